//go:build unix

package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// audited is a tool server whose changes are confirmed by their calls and written to a
// file. Servers with one home share the dictionary that they read.
type audited struct {
	*program
	path string
}

func runAudited(t *testing.T, srv *erptest.Server, home, path string, more ...string) *audited {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return runAuditedBinary(t, self, srv, home, path, more...)
}

// runAuditedBinary is runAudited with another binary of the program.
func runAuditedBinary(t *testing.T, binary string, srv *erptest.Server, home, path string, more ...string) *audited {
	t.Helper()
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	return &audited{runBinary(t, binary, []string{"ERP_URL=" + srv.URL(), "ERP_TOKEN=" + token, "HOME=" + home},
		append([]string{"--own-login", "--toolsets", "all", "--confirm", "client", "--calls-per-minute", "0", "--audit", path}, more...)...), path}
}

// client is one with a session; the dictionary is there once it was opened.
func (a *audited) client(t *testing.T) *rawClient {
	t.Helper()
	c := &rawClient{url: a.url, http: &http.Client{Transport: &http.Transport{}}}
	require.NoError(t, c.open(t.Context()))
	require.Eventually(t, func() bool {
		got, err := c.post(t.Context(), toolCall(1, "describeTable", args{"table": "C_Greeting"}))
		return err == nil && len(got) == 1 && !strings.Contains(string(got[0]), `"isError":true`)
	}, 2*time.Minute, time.Millisecond)
	return c
}

// greeting is the call that creates a greeting, with what the audit has of its
// arguments.
func greeting(name string) (body, digest string) {
	arguments := fmt.Sprintf(`{"table":"C_Greeting","values":{"Name":%q}}`, name)
	sum := sha256.Sum256([]byte(arguments))
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"createRecord","arguments":%s}}`, arguments), hex.EncodeToString(sum[:8])
}

// auditLine is what these tests look at.
type auditLine struct{ Event, Reference, Tool, Outcome, Digest string }

func auditOf(t *testing.T, path string) (all []auditLine) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l auditLine
		require.NoError(t, json.Unmarshal(lines.Bytes(), &l), lines.Text())
		all = append(all, l)
	}
	return all
}

// greetings are the names of those in the ERP.
func greetings(t *testing.T, srv *erptest.Server) map[string]bool {
	t.Helper()
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	names := map[string]bool{}
	for r, err := range client.Records(t.Context(), "C_Greeting", nil) {
		require.NoError(t, err)
		name, _ := r.Text("Name")
		names[name] = true
	}
	return names
}

// Wherever a tool server is cut off, by SIGTERM, by SIGKILL, or by clients that go away:
// each change in the ERP is on record as begun. A server that ends in order writes the
// end of each; after SIGKILL those without an end are the ones that were running.
func TestEveryChangeInTheERPIsOnRecord(t *testing.T) {
	t.Parallel()
	srv, home := embeddedERP(t), t.TempDir()
	srv.Faults().On(erptest.Match{Method: http.MethodPost, Path: "/models/C_Greeting"}, erptest.Delay(5*time.Millisecond))
	const clients = 4
	trials := 9
	if testing.Short() {
		trials = 3
	}
	changed, cut := 0, 0
	for trial := range trials {
		random := rand.New(rand.NewPCG(uint64(trial), 7))
		how := []string{"SIGTERM", "SIGKILL", "gone"}[trial%3]
		a := runAudited(t, srv, home, filepath.Join(t.TempDir(), "audit.jsonl"))
		var digests sync.Map // by name
		var done atomic.Int64
		ctx, leave := context.WithCancel(t.Context())
		var working sync.WaitGroup
		for i := range clients {
			c := a.client(t)
			working.Go(func() {
				defer c.http.CloseIdleConnections()
				for n := range 200 {
					name := fmt.Sprintf("%s %d client %d number %d", how, trial, i, n)
					body, digest := greeting(name)
					digests.Store(name, digest)
					if _, err := c.post(ctx, body); err != nil {
						return
					}
					done.Add(1)
				}
			})
		}
		after := int64(random.IntN(12))
		require.Eventually(t, func() bool { return done.Load() >= after }, time.Minute, time.Millisecond)
		for range random.IntN(2000) { // somewhere within the calls that run
			_ = done.Load()
		}
		switch how {
		case "SIGTERM":
			require.NoError(t, a.cmd.Process.Signal(syscall.SIGTERM))
		case "SIGKILL":
			require.NoError(t, a.cmd.Process.Kill())
		default:
			leave()
			working.Wait()
			require.NoError(t, a.cmd.Process.Signal(syscall.SIGTERM))
		}
		working.Wait()
		leave()
		<-a.ended
		lines := auditOf(t, a.path)
		begun, ended := map[string]string{}, map[string]bool{}
		for _, l := range lines {
			switch l.Event {
			case "begun":
				begun[l.Digest] = l.Reference
			case "ended":
				ended[l.Reference] = true
			}
		}
		there := greetings(t, srv)
		digests.Range(func(name, digest any) bool {
			if there[name.(string)] {
				changed++
				assert.Contains(t, begun, digest, "%s: %s is in the ERP, and not on record", how, name)
			}
			return true
		})
		left := 0
		for _, reference := range begun {
			if !ended[reference] {
				left++
			}
		}
		cut += left
		if how == "SIGKILL" {
			assert.LessOrEqual(t, left, clients, "only what was running has no end")
		} else {
			assert.Zero(t, left, "%s: %v", how, lines)
		}
	}
	assert.Positive(t, changed)
	t.Logf("%d changes, %d without an end after SIGKILL", changed, cut)
}

// What runs longer than the server waits for is cancelled, its client is told, and the
// audit says that it was cut off.
func TestACallThatOutlastsTheServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes as long as the server waits for calls")
	}
	srv := embeddedERP(t)
	a := runAudited(t, srv, t.TempDir(), filepath.Join(t.TempDir(), "audit.jsonl"))
	c := a.client(t)
	held := srv.Faults().On(erptest.Match{Method: http.MethodPost, Path: "/models/C_Greeting"}, erptest.Hold(nil))
	body, digest := greeting("outlasts the server")
	response := make(chan string, 1)
	go func() {
		got, err := c.post(t.Context(), body)
		response <- fmt.Sprintf("%s %v", got, err)
	}()
	require.Eventually(t, func() bool { return held.Hits() > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, a.cmd.Process.Signal(syscall.SIGTERM))
	assert.Contains(t, <-response, `\"code\":\"outcome_unknown\"`)
	<-a.ended
	assert.Zero(t, a.cmd.ProcessState.ExitCode(), a.log)
	var of []string
	for _, l := range auditOf(t, a.path) {
		if l.Digest == digest {
			of = append(of, l.Event+" "+l.Outcome)
		}
	}
	assert.Equal(t, []string{"begun ", "ended cut_off"}, of)
}

// Over standard input and output the server ends with its client, also in a change.
func TestAClientOfStandardInputGoesAway(t *testing.T) {
	t.Parallel()
	srv := embeddedERP(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "--stdio", "--toolsets", "records,registry", "--confirm", "client", "--audit", path)
	cmd.Env = []string{programVariable + "=1", "HOME=" + t.TempDir(), "ERP_URL=" + srv.URL(), "ERP_TOKEN=" + token}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	responses := bufio.NewScanner(out)
	responses.Buffer(nil, 4<<20)
	send := func(message string) { _, err := io.WriteString(in, message+"\n"); require.NoError(t, err) }
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	require.True(t, responses.Scan())
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for loads := true; loads; { // the dictionary
		send(toolCall(2, "describeTable", args{"table": "C_Greeting"}))
		require.True(t, responses.Scan())
		loads = strings.Contains(responses.Text(), "loading")
	}
	held := srv.Faults().On(erptest.Match{Method: http.MethodPost, Path: "/models/C_Greeting"}, erptest.Hold(nil))
	body, digest := greeting("its client went away")
	lines := make(chan string)
	go func() {
		defer close(lines)
		for responses.Scan() {
			lines <- responses.Text()
		}
	}()
	send(body)
	for held.Hits() == 0 {
		select {
		case said, ok := <-lines: // on a busy machine the ERP may have seemed to be away
			require.True(t, ok)
			require.Contains(t, said, "unreachable")
			send(body)
		case <-time.After(time.Millisecond):
		}
	}
	require.NoError(t, in.Close())
	for range lines { // to its end
	}
	_ = cmd.Wait()
	var of []string
	for _, l := range auditOf(t, path) {
		if l.Digest == digest {
			of = append(of, l.Event+" "+l.Outcome)
		}
	}
	require.GreaterOrEqual(t, len(of), 2)
	of = of[len(of)-2:]
	assert.Equal(t, "begun ", of[0])
	assert.Contains(t, []string{"ended outcome_unknown", "ended cut_off"}, of[1], "the call or the server ended first")
}

// An audit that cannot be written refuses changes and nothing else, and whoever looks
// after the server sees it.
func TestAnAuditOnAFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	srv := embeddedERP(t)
	a := runAudited(t, srv, t.TempDir(), "/dev/full")
	waitReady(t, a.program)
	c := a.client(t)
	body, _ := greeting("not on record")
	got, err := c.post(t.Context(), body)
	require.NoError(t, err)
	assert.Contains(t, string(got[0]), "nothing was changed: the server's audit cannot be written")
	assert.NotContains(t, greetings(t, srv), "not on record")
	assert.Contains(t, readyz(t, a.url, http.StatusServiceUnavailable), "the audit cannot be written, so nothing can be changed")
	res, err := http.Get(a.url + "/metrics")
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^mcp_audit_failures_total [1-9]`, string(text))
}

// Log rotation renames the file and sends SIGHUP: no record is lost, and new ones go to
// a new file, also where the server was started with SIGHUP ignored, as nohup does.
func TestTheAuditIsRotated(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	deaf := filepath.Join(t.TempDir(), "deaf")
	require.NoError(t, os.WriteFile(deaf, []byte("#!/bin/sh\ntrap '' HUP\nexec '"+self+"' \"$@\"\n"), 0o700))
	srv := embeddedERP(t)
	for name, binary := range map[string]string{"as it is": self, "SIGHUP ignored": deaf} {
		t.Run(name, func(t *testing.T) { t.Parallel(); rotated(t, srv, binary) })
	}
}

// rotated rotates the audit of a server while it is used.
func rotated(t *testing.T, srv *erptest.Server, binary string) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	a := runAuditedBinary(t, binary, srv, t.TempDir(), path)
	c := a.client(t)
	create := func(name string) string {
		body, digest := greeting(name)
		got, err := c.post(t.Context(), body)
		require.NoError(t, err)
		require.NotContains(t, string(got[0]), `"isError":true`)
		return digest
	}
	before := create("before rotation")
	require.NoError(t, os.Rename(path, path+".1"))
	require.NoError(t, a.cmd.Process.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool { _, err := os.Stat(path); return err == nil }, time.Minute, time.Millisecond)
	after := create("after rotation")
	events := func(path, digest string) (of []string) {
		for _, l := range auditOf(t, path) {
			if l.Digest == digest {
				of = append(of, l.Event+" "+l.Outcome)
			}
		}
		return of
	}
	assert.Equal(t, []string{"begun ", "ended ok"}, events(path+".1", before))
	assert.Equal(t, []string{"begun ", "ended ok"}, events(path, after))
	assert.Empty(t, events(path, before))
}
