package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/notify"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
)

const hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// webhookBench is an ERP with a deployment log, a receiver of webhooks, and a
// folder for what is kept.
type webhookBench struct {
	t    *testing.T
	erp  *erptest.Server
	hook *httptest.Server
	env  []string

	mu     sync.Mutex
	events []string
	fault  func(w http.ResponseWriter, r *http.Request) bool
	out    strings.Builder // of all commands
}

func newWebhookBench(t *testing.T) *webhookBench {
	t.Helper()
	b := &webhookBench{t: t, erp: erptest.New(t)}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(hookSecret, "whsec_"))
	require.NoError(t, err)
	b.hook = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.fault != nil && b.fault(w, r) {
			return
		}
		mac := hmac.New(sha256.New, secret)
		fmt.Fprintf(mac, "%s.%s.%s", r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), body)
		assert.Equal(t, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)), r.Header.Get("webhook-signature"))
		var p notify.Payload
		assert.NoError(t, json.Unmarshal(body, &struct{ Event, Text *string }{&p.Event, &p.Text}))
		b.events = append(b.events, p.Event+": "+p.Text)
	}))
	t.Cleanup(b.hook.Close)
	dir := t.TempDir()
	env := func(user string, client, role, org int64) []string {
		token, err := b.erp.APIToken(t.Context(), user, client, role, org, 0)
		require.NoError(t, err)
		return []string{"ERP_URL=" + b.erp.URL(), "ERP_TOKEN=" + token, "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "ERPHUB_CONFIG=" + filepath.Join(dir, "config.yaml"), "ERPHUB_WEBHOOK_SECRET=" + hookSecret}
	}
	b.env = env("SuperUser", 0, 0, 0)
	b.run(0, "install", "--no-window")
	b.env = env("GardenAdmin", 11, 102, 11)
	return b
}

// run is `erphub env deploy` in this process; it returns what it prints.
func (b *webhookBench) run(code int, args ...string) (stdout, stderr string) {
	b.t.Helper()
	var out, errs bytes.Buffer
	got := execute(b.t.Context(), append([]string{"erphub", "env", "deploy"}, args...), b.env, shell.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	require.Equal(b.t, code, got, "%v: %s%s", args, &out, &errs)
	b.out.WriteString(out.String() + errs.String())
	return out.String(), errs.String()
}

// deploying starts a run and returns its id.
func (b *webhookBench) deploying(version string) string {
	b.t.Helper()
	id, _ := b.run(0, "start", "--env", "PROD", "--version", version)
	id = strings.TrimSpace(id)
	b.run(0, "update", "--id", id, "--status", "DEPLOYING")
	return id
}

func (b *webhookBench) faulty(fault func(w http.ResponseWriter, r *http.Request) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = fault
}

func (b *webhookBench) told() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	events := b.events
	b.events = nil
	return events
}

func (b *webhookBench) with(env ...string) {
	b.env = append(b.env, env...)
}

// Whoever is configured is told how runs end; receivers that are slow, broken or
// away change neither the outcome of a command nor what it prints, and are told
// later.
func TestDeployWebhooks(t *testing.T) {
	t.Parallel()
	b := newWebhookBench(t)
	address := b.hook.URL + "/hooks/CANARY"

	id := b.deploying("12.0.3")
	assert.Empty(t, b.told(), "a run that has not ended is nobody's news")
	out, errs := b.run(0, "complete", "--id", id, "--status", "SUCCESS", "--changes", "SHIP-1", "--webhook", address)
	assert.Contains(t, out, "SUCCESS")
	assert.Empty(t, errs)
	require.Len(t, b.told(), 1)
	b.run(0, "complete", "--id", id, "--status", "SUCCESS", "--webhook", address) // again
	assert.Empty(t, b.told(), "the receiver has it")

	for name, fault := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"500": func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		},
		"cut": func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) },
	} {
		b.faulty(fault)
		id := b.deploying("13.0." + name)
		out, errs := b.run(0, "complete", "--id", id, "--status", "FAILED", "--error", "disk full", "--webhook", address)
		assert.Equal(t, "recorded run "+id+": FAILED: disk full\n", out, name)
		assert.Contains(t, errs, "the webhook for 127.0.0.1:", name)
		_, errs = b.run(0, "status")
		assert.Contains(t, errs, "kept for receivers: 1 webhook", name)
		out, _ = b.run(0, "spool")
		assert.Contains(t, out, "webhook for 127.0.0.1:", name)
		b.faulty(nil)
		b.run(0, "rollback", "--id", id, "--version", "12.0.3", "--webhook", address) // the receiver has a pause
		out, _ = b.run(0, "flush", "--json")
		var report struct{ Webhooks notify.Report }
		require.NoError(t, json.Unmarshal([]byte(out), &report), out)
		if report.Webhooks.Delivered != 2 { // else the pause was over and rollback did it
			assert.Zero(t, report.Webhooks.Waiting)
		}
		told := b.told()
		require.Len(t, told, 2, name)
		assert.Contains(t, told[0], "deployment.failed: the deployment of 13.0."+name+" to Production failed: disk full")
		assert.Contains(t, told[1], "deployment.rolled_back: 13.0."+name+" was rolled back in Production, 12.0.3 is running again")
	}

	// A receiver that never responds: the command ends all the same.
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	id = b.deploying("14.0")
	b.run(0, "complete", "--id", id, "--status", "SUCCESS", "--webhook", slow.URL)
	close(release)
	slow.Close()
	out, _ = b.run(0, "spool", "--json")
	var kept struct{ Webhooks []notify.Kept }
	require.NoError(t, json.Unmarshal([]byte(out), &kept), out)
	require.Len(t, kept.Webhooks, 1)
	b.run(0, "spool", "--discard", kept.Webhooks[0].Name)
	_, errs = b.run(0, "spool")
	assert.Contains(t, errs, "no call is kept")

	// What is configured wrongly is said, and nothing more.
	id = b.deploying("15.0")
	_, errs = b.run(0, "complete", "--id", id, "--status", "SUCCESS", "--webhook", "http://hooks.example.com/CANARY")
	assert.Contains(t, errs, "warning: nobody is told by webhook: the webhook cannot be sent there: hooks.example.com would get it over plain http")
	assert.NotContains(t, b.out.String(), "CANARY", "the address is a secret")
	assert.NotContains(t, b.out.String(), hookSecret[6:])
}

// A call that is kept while the ERP is away is told when it is carried out,
// by whoever does that.
func TestDeployWebhooksOfKeptCalls(t *testing.T) {
	t.Parallel()
	b := newWebhookBench(t)
	b.with("CI=1")
	id := b.deploying("12.0.3")
	gone := b.erp.Faults().On(erptest.Match{Path: "/..."}, erptest.CutBefore())
	_, errs := b.run(0, "complete", "--id", id, "--status", "SUCCESS", "--webhook", b.hook.URL)
	assert.Contains(t, errs, "the call is kept")
	assert.Empty(t, b.told(), "the ERP does not know that it ended")
	gone.Remove()
	b.run(0, "flush")
	told := b.told()
	require.Len(t, told, 1)
	assert.Contains(t, told[0], "deployment.succeeded: 12.0.3 is running in Production")
	b.run(0, "flush")
	assert.Empty(t, b.told())

	// The same from the configuration, strictly: without keeping calls.
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(strings.TrimPrefix(b.env[3], "ERPHUB_CONFIG=")), "config.yaml"), []byte("hub.webhook.url: "+b.hook.URL+"\n"), 0o600))
	id = b.deploying("12.0.4")
	b.run(0, "complete", "--id", id, "--status", "FAILED", "--error", "no", "--strict")
	require.Len(t, b.told(), 1)
}
