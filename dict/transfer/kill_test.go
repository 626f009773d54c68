//go:build unix

package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// childVariable makes the test program import a file, to be killed at it: the
// address of the ERP.
const childVariable = "TRANSFER_TEST_CHILD"

// killEveryVariable makes TestKilled kill at every nth request instead of a few.
const killEveryVariable = "ERPHUB_KILL_EVERY"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		if err := child(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child imports the file, or goes on with it.
func child(ctx context.Context) error {
	client, err := erp.New(os.Getenv(childVariable), erp.WithTokenSource(erp.StaticToken(os.Getenv("CHILD_TOKEN"))))
	if err != nil {
		return err
	}
	opts := transfer.ImportOptions{Table: "C_BPartner", BatchSize: 20, Journal: os.Getenv("CHILD_FILE") + ".import.json", Errors: os.Getenv("CHILD_FILE") + ".errors.csv"}
	if key := os.Getenv("CHILD_KEY"); key != "" {
		opts.Key = []string{key}
	}
	if os.Getenv("CHILD_AT_ONCE") != "" {
		opts.AllOrNothing = true
	}
	if _, err := os.Stat(opts.Journal); !errors.Is(err, fs.ErrNotExist) {
		opts.Resume = true
	}
	_, err = transfer.Import(ctx, client, dictionary(client), transfer.File{Path: os.Getenv("CHILD_FILE"), Format: transfer.CSV}, opts)
	return err
}

// killer is an embedded ERP that kills the process that calls it, at chosen
// requests: before they are carried out, or after it and before the response.
type killer struct {
	*erptest.Server
	client *erp.Client
	url    string
	token  string

	mu    sync.Mutex // guards the rest
	seen  int
	at    int // 0: never
	after bool
	child *exec.Cmd
}

func newKiller(t *testing.T) *killer {
	t.Helper()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	s := &killer{Server: srv, client: login(t, srv), token: token}
	front := httptest.NewServer(s)
	t.Cleanup(front.Close)
	s.url = front.URL
	return s
}

func (s *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.seen++
	due, after := s.seen == s.at, s.after
	s.mu.Unlock()
	if !due {
		s.Server.ServeHTTP(w, r)
		return
	}
	if after {
		s.Server.ServeHTTP(httptest.NewRecorder(), r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.child.Process.Kill() // that it died of it is looked at
	panic(http.ErrAbortHandler)
}

// run imports in a process of its own, and reports whether it was killed. at counts
// its requests.
func (s *killer) run(t *testing.T, path, key string, atOnce bool, at int, after bool) (killed bool) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childVariable+"="+s.url, "CHILD_TOKEN="+s.token, "CHILD_FILE="+path, "CHILD_KEY="+key)
	if atOnce {
		cmd.Env = append(cmd.Env, "CHILD_AT_ONCE=1")
	}
	var said strings.Builder
	cmd.Stderr = &said
	s.mu.Lock()
	s.seen, s.at, s.after, s.child = 0, at, after, cmd
	err = cmd.Start()
	s.mu.Unlock()
	require.NoError(t, err)
	err = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	if status.Signaled() {
		require.Equal(t, syscall.SIGKILL, status.Signal())
		return true
	}
	require.NoError(t, err, said.String())
	return false
}

// killFile has rows that are made, changed, left alone and refused.
func killFile(t *testing.T, rows int, clean bool) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("Value,Name,C_BP_Group_ID,NumberEmployees\n")
	for i := range rows {
		number := strconv.Itoa(i)
		if i%17 == 5 && !clean {
			number = "many"
		}
		fmt.Fprintf(&b, "ZK%03d,\"Killed, %d\",Standard,%s\n", i, i, number)
	}
	return file(t, "kill.csv", b.String()).Path
}

// The process that imports is killed at a request, and again, and another goes on:
// the records are those of a run without a kill, nothing is there twice, and the
// rows that were refused are in the file once.
func TestKilled(t *testing.T) {
	t.Parallel()
	for _, mode := range []struct {
		name, key string
		atOnce    bool
	}{{"new records", "", false}, {"with a key", "Value", false}, {"at once", "", true}} {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			prepare := func() (*killer, string) {
				s := newKiller(t)
				for i := 0; mode.key != "" && i < 30; i += 3 { // some are there already
					_, err := s.client.Create(t.Context(), "C_BPartner", map[string]any{"Value": fmt.Sprintf("ZK%03d", i), "Name": "old", "C_BP_Group_ID": 103})
					require.NoError(t, err)
				}
				path := killFile(t, 50, mode.atOnce)
				require.NoError(t, os.WriteFile(path+".errors.csv", []byte("of an earlier import"), 0o600))
				return s, path
			}
			state := func(s *killer, path string) (records []string, refused string) {
				earlier, err := os.ReadFile(path + ".errors.csv")
				require.NoError(t, err)
				assert.Equal(t, "of an earlier import", string(earlier))
				assert.NoFileExists(t, path+".errors-3.csv")
				text, err := os.ReadFile(path + ".errors-2.csv")
				if mode.atOnce {
					require.ErrorIs(t, err, fs.ErrNotExist)
				} else {
					require.NoError(t, err)
				}
				assert.NoFileExists(t, path+".import.json")
				return partners(t, s.client, "ZK", "Name", "NumberEmployees", "C_BP_Group_ID"), string(text)
			}
			calm, path := prepare()
			require.False(t, calm.run(t, path, mode.key, mode.atOnce, 0, false))
			requests := calm.seen
			records, refused := state(calm, path)
			require.NotEmpty(t, records)
			type point struct {
				at    int
				after bool
			}
			points := []point{{requests - 2, false}, {requests - 1, true}}
			if every, err := strconv.Atoi(os.Getenv(killEveryVariable)); err == nil {
				points = nil
				for k := 1; k <= requests; k += max(every, 1) {
					points = append(points, point{k, false}, point{k, true})
				}
			}
			kills := 0
			for _, p := range points {
				s, path := prepare()
				if !s.run(t, path, mode.key, mode.atOnce, p.at, p.after) {
					continue // look-ups run ahead of writing, so there may be fewer requests
				}
				kills++
				if s.run(t, path, mode.key, mode.atOnce, p.at/2+1, !p.after) { // and once more
					require.False(t, s.run(t, path, mode.key, mode.atOnce, 0, false))
				}
				got, gotRefused := state(s, path)
				assert.Equal(t, records, got, "killed at request %d, after it %t", p.at, p.after)
				assert.Equal(t, refused, gotRefused, "killed at request %d, after it %t", p.at, p.after)
			}
			assert.Positive(t, kills)
		})
	}
}

// A run that was cut off is resumed with the same file and options, or not at all.
func TestResume(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	in := file(t, "p.csv", "Value,Name\n"+strings.Join(func() (lines []string) {
		for i := range 60 {
			lines = append(lines, fmt.Sprintf("ZR%02d,R\n", i))
		}
		return lines
	}(), ""))
	opts := transfer.ImportOptions{Table: "C_BPartner", BatchSize: 20, Journal: in.Path + ".import.json"}
	run := func(in transfer.File, opts transfer.ImportOptions) (*transfer.Result, error) {
		return transfer.Import(t.Context(), client, demoDictionary(), in, opts)
	}
	resume := opts
	resume.Resume = true
	_, err := run(in, resume)
	require.ErrorIs(t, err, transfer.ErrNothingToResume)

	ctx, cancel := context.WithCancel(t.Context())
	interrupted := opts
	interrupted.Progress = func(transfer.Progress) { cancel() }
	_, err = transfer.Import(ctx, client, demoDictionary(), in, interrupted)
	require.ErrorIs(t, err, context.Canceled)
	require.FileExists(t, opts.Journal)

	_, err = run(in, opts)
	require.ErrorIs(t, err, transfer.ErrInterrupted)
	other := resume
	other.SkipEmpty = true
	_, err = run(in, other)
	require.ErrorIs(t, err, transfer.ErrOtherRun)
	content, err := os.ReadFile(in.Path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(in.Path, append(content, "ZR99,new\n"...), 0o600))
	_, err = run(in, resume)
	require.ErrorContains(t, err, "the content of the file has changed")
	require.NoError(t, os.WriteFile(in.Path, content, 0o600))

	srv.Faults().On(erptest.Match{Method: "POST", Path: "/batch", N: 1}, erptest.CutAfter())
	result, err := run(in, resume)
	require.NoError(t, err)
	assert.Positive(t, result.Resumed)
	assert.Equal(t, 60, result.Created)
	assert.Len(t, partners(t, client, "ZR"), 60)
	assert.NoFileExists(t, opts.Journal)
}
