package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/outbox"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
)

const (
	testSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	// tolerance is how far the time of a signature may be from a receiver's.
	tolerance = 5 * time.Minute
)

func ended(i int, state deploylog.State) deploylog.Run {
	at := time.Date(2026, 3, 9, 14, i, 0, 0, time.UTC)
	run := deploylog.Run{
		ID: erp.IntID(int64(1000 + i)), UUID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), Environment: deploylog.Production, Status: state,
		Version: fmt.Sprintf("12.0.%d", i), VersionPrevious: "12.0", DateStarted: at, DateCompleted: at.Add(3 * time.Minute), Duration: 3 * time.Minute, DeployedBy: "anna",
	}
	if state == deploylog.Failed {
		run.ErrorMessage = "disk full\nat line 7"
	}
	return run
}

// receiver is a server that takes messages, with the signature checked.
type testReceiver struct {
	t   *testing.T
	srv *httptest.Server

	mu       sync.Mutex
	copies   map[string]int // messages by id
	order    []string       // events by run, as they came the first time
	respond  func(n int, w http.ResponseWriter, r *http.Request) bool
	requests int
}

func newReceiver(t *testing.T) *testReceiver {
	t.Helper()
	r := &testReceiver{t: t, copies: map[string]int{}}
	r.srv = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.srv.Close)
	return r
}

// faulty sets what happens to the request of that number; it returns whether the
// request was dealt with.
func (r *testReceiver) faulty(respond func(n int, w http.ResponseWriter, req *http.Request) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.respond, r.requests = respond, 0
}

func (r *testReceiver) serve(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // it was cut
	}
	r.mu.Lock()
	r.requests++
	n, respond := r.requests, r.respond
	r.mu.Unlock()
	if respond != nil && respond(n, w, req) {
		return
	}
	r.take(req, body)
	if respond == nil {
		w.WriteHeader(http.StatusNoContent)
	}
}

func (r *testReceiver) take(req *http.Request, body []byte) {
	secret, err := ParseSecret(testSecret)
	assert.NoError(r.t, err)
	id := req.Header.Get(headerID)
	seconds, err := strconv.ParseInt(req.Header.Get(headerTimestamp), 10, 64)
	assert.NoError(r.t, err)
	at := time.Unix(seconds, 0)
	assert.WithinDuration(r.t, time.Now(), at, tolerance)
	want := http.Header{}
	secret.sign(want, id, at, body)
	assert.Equal(r.t, want.Get(headerSignature), req.Header.Get(headerSignature))
	var p Payload
	assert.NoError(r.t, json.Unmarshal(body, &p))
	assert.Equal(r.t, id, p.ID)
	assert.Equal(r.t, 1, p.Version)
	assert.NotEmpty(r.t, p.Text)
	assert.Equal(r.t, "application/json", req.Header.Get("Content-Type"))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.copies[id]++; r.copies[id] == 1 {
		r.order = append(r.order, p.Run.Version+" "+p.Event)
	}
}

func (r *testReceiver) seen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.order...)
}

func (r *testReceiver) count() (requests, copies int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.copies {
		copies += n
	}
	return r.requests, copies
}

func newNotifier(t *testing.T, dir string, o Options, urls ...string) *Notifier {
	t.Helper()
	o.URLs = urls
	var err error
	if o.Secret.IsZero() {
		o.Secret, err = ParseSecret(testSecret)
		require.NoError(t, err)
	}
	n, err := New(dir, &o)
	require.NoError(t, err)
	return n
}

func TestDelivers(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	dir := filepath.Join(t.TempDir(), "a", "webhooks")
	n := newNotifier(t, dir, Options{}, r.srv.URL+"/one", r.srv.URL+"/two", r.srv.URL+"/one")
	require.NoError(t, n.Add(t.Context(), ended(1, deploylog.Failed), nil))
	require.NoError(t, n.Add(t.Context(), ended(1, deploylog.Failed), nil)) // the same again
	require.NoError(t, n.Add(t.Context(), ended(2, deploylog.Deploying), nil))
	kept, err := n.List()
	require.NoError(t, err)
	require.Len(t, kept, 2, "one for each receiver")
	assert.Equal(t, "w1", kept[0].Name)
	assert.NotContains(t, kept[0].Host, "/one")
	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	report := n.Send(t.Context())
	assert.Equal(t, Report{Delivered: 2}, report)
	rolledBack := ended(1, deploylog.RolledBack)
	require.NoError(t, n.Add(t.Context(), rolledBack, nil))
	require.NoError(t, n.Add(t.Context(), ended(1, deploylog.Failed), nil), "it was delivered before")
	assert.Equal(t, Report{Delivered: 2}, n.Send(t.Context()))
	assert.Equal(t, []string{"12.0.1 deployment.failed", "12.0.1 deployment.rolled_back"}, r.seen())
	_, copies := r.count()
	assert.Equal(t, 4, copies)
	assert.Equal(t, Report{}, n.Send(t.Context()))
	left, err := filepath.Glob(filepath.Join(dir, "0*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// What a receiver does wrong loses nothing, and it gets the messages of a run in
// order.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		respond  func(r *testReceiver) func(n int, w http.ResponseWriter, req *http.Request) bool
		problem  string
		requests int // before it is well again
	}{
		"500": {func(*testReceiver) func(int, http.ResponseWriter, *http.Request) bool {
			return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusInternalServerError)
				return true
			}
		}, "responded with 500 Internal Server Error", 1},
		"429": {func(*testReceiver) func(int, http.ResponseWriter, *http.Request) bool {
			return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Retry-After", "99999999")
				w.WriteHeader(http.StatusTooManyRequests)
				return true
			}
		}, "responded with 429", 1},
		"refused": {func(*testReceiver) func(int, http.ResponseWriter, *http.Request) bool {
			return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusForbidden)
				return true
			}
		}, "responded with 403", 2}, // once for each run
		"redirect": {func(r *testReceiver) func(int, http.ResponseWriter, *http.Request) bool {
			return func(_ int, w http.ResponseWriter, req *http.Request) bool {
				if req.URL.Path != "/hook-canary" {
					r.t.Errorf("the redirect was followed")
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(http.StatusTemporaryRedirect)
				return true
			}
		}, "redirects are not followed", 2},
		"cut before": {func(*testReceiver) func(int, http.ResponseWriter, *http.Request) bool {
			return func(int, http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }
		}, "EOF", 1},
		"cut after it was taken": {func(r *testReceiver) func(int, http.ResponseWriter, *http.Request) bool {
			return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				hj, _, err := http.NewResponseController(w).Hijack()
				assert.NoError(r.t, err)
				_ = hj.Close()
				return false // it takes the message all the same
			}
		}, "EOF", 1},
		"never responds": {func(*testReceiver) func(int, http.ResponseWriter, *http.Request) bool {
			return func(_ int, _ http.ResponseWriter, req *http.Request) bool {
				<-req.Context().Done()
				return true
			}
		}, "deadline exceeded", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t)
			var logged bytes.Buffer
			now := time.Now()
			n := newNotifier(t, t.TempDir(), Options{Timeout: 300 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(&logged, nil)), Clock: func() time.Time { return now }}, r.srv.URL+"/hook-canary")
			r.faulty(tt.respond(r))
			for _, run := range []deploylog.Run{ended(1, deploylog.Failed), ended(2, deploylog.Success), ended(1, deploylog.RolledBack)} {
				require.NoError(t, n.Add(t.Context(), run, nil))
			}
			report := n.Send(t.Context())
			assert.Zero(t, report.Delivered)
			assert.Equal(t, 3, report.Waiting)
			require.Len(t, report.Problems, 1)
			assert.ErrorContains(t, report.Problems[0], tt.problem)
			requests, _ := r.count()
			assert.Equal(t, tt.requests, requests)
			assert.Empty(t, n.Send(t.Context()).Delivered, "it is left alone for a while")
			requests, _ = r.count()
			assert.Equal(t, tt.requests, requests)
			assert.NotContains(t, logged.String()+fmt.Sprint(report.Problems), "canary", "the address is a secret")

			r.faulty(nil)
			now = now.Add(2 * time.Second)
			if name == "429" {
				assert.Zero(t, n.Send(t.Context()).Delivered, "it asked for more time")
				now = now.Add(maxPause)
			}
			r.mu.Lock()
			r.requests = 0
			r.mu.Unlock()
			if now.After(time.Now().Add(tolerance)) { // signatures are of the time they are sent
				n.opts.Clock = time.Now
				n.setHealth(keyOfReceiver(&mustWait(t, n)[0]), health{})
			}
			assert.Equal(t, Report{Delivered: 3}, n.Send(t.Context()))
			assert.Equal(t, []string{"12.0.1 deployment.failed", "12.0.2 deployment.succeeded", "12.0.1 deployment.rolled_back"}, r.seen())
		})
	}
}

// One receiver that is down or slow keeps no other from its messages, and Send
// ends when its time is over.
func TestSendIsBounded(t *testing.T) {
	t.Parallel()
	slow, good := newReceiver(t), newReceiver(t)
	slow.faulty(func(_ int, _ http.ResponseWriter, req *http.Request) bool {
		<-req.Context().Done()
		return true
	})
	n := newNotifier(t, t.TempDir(), Options{Timeout: time.Hour}, slow.srv.URL, "http://127.0.0.1:1/", good.srv.URL)
	for i := range 5 {
		require.NoError(t, n.Add(t.Context(), ended(i, deploylog.Success), nil))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	report := n.Send(ctx)
	assert.Equal(t, 5, report.Delivered)
	assert.Equal(t, 10, report.Waiting)
	assert.Len(t, report.Problems, 2)
	assert.Len(t, good.seen(), 5)
	require.Error(t, ctx.Err())
}

// Flush tries a receiver that stumbles again at once.
func TestFlushRetries(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	r.faulty(func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n < 3 {
			w.WriteHeader(http.StatusBadGateway)
		}
		return n < 3
	})
	n := newNotifier(t, t.TempDir(), Options{}, r.srv.URL)
	require.NoError(t, n.Add(t.Context(), ended(1, deploylog.Success), nil))
	assert.Equal(t, Report{Delivered: 1}, n.Flush(t.Context()))
}

// Delivery is given up in the end, which is told, and what was given up is there
// until somebody removes it.
func TestExpires(t *testing.T) {
	t.Parallel()
	now := time.Now()
	n := newNotifier(t, t.TempDir(), Options{MaxAge: time.Hour, Clock: func() time.Time { return now }}, "http://127.0.0.1:1/")
	require.NoError(t, n.Add(t.Context(), ended(1, deploylog.Success), nil))
	assert.Equal(t, 1, n.Send(t.Context()).Waiting)
	now = now.Add(61 * time.Minute)
	report := n.Send(t.Context())
	assert.Equal(t, 0, report.Waiting)
	assert.Equal(t, 1, report.Expired)
	require.Len(t, report.Problems, 1)
	assert.ErrorContains(t, report.Problems[0], "given up: not delivered within 1h0m0s: ")
	kept, err := n.List()
	require.NoError(t, err)
	require.Len(t, kept, 1)
	assert.True(t, kept[0].Expired)
	assert.Contains(t, kept[0].Reason, "refused")
	_, err = n.Discard(t.Context(), "w99")
	require.Error(t, err)
	gone, err := n.Discard(t.Context())
	require.NoError(t, err)
	assert.Len(t, gone, 1)
	kept, err = n.List()
	require.NoError(t, err)
	assert.Empty(t, kept)
}

// A damaged file holds back its run and no other, and is listed and discarded.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	dir := t.TempDir()
	n := newNotifier(t, dir, Options{}, r.srv.URL)
	for _, run := range []deploylog.Run{ended(1, deploylog.Failed), ended(2, deploylog.Success), ended(1, deploylog.RolledBack)} {
		require.NoError(t, n.Add(t.Context(), run, nil))
	}
	require.NoError(t, os.WriteFile(mustWait(t, n)[0].Path, []byte(`{"version":99}`), 0o600))
	report := n.Send(t.Context())
	assert.Equal(t, 1, report.Delivered)
	assert.Equal(t, 2, report.Waiting)
	assert.Equal(t, []string{"12.0.2 deployment.succeeded"}, r.seen())
	require.Len(t, report.Problems, 1)
	assert.ErrorContains(t, report.Problems[0], "w1 cannot be read: another version of erphub wrote it: it has form 99, and this erphub reads form 2 alone")
	gone, err := n.Discard(t.Context())
	require.NoError(t, err)
	require.Len(t, gone, 1)
	assert.Equal(t, Report{Delivered: 1}, n.Send(t.Context()))
}

// A message that was to be signed is never sent without a signature.
func TestSignedMessagesNeedTheSecret(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	dir := t.TempDir()
	require.NoError(t, newNotifier(t, dir, Options{}, r.srv.URL).Add(t.Context(), ended(1, deploylog.Success), nil))
	bare, err := New(dir, nil)
	require.NoError(t, err)
	report := bare.Flush(t.Context())
	assert.Zero(t, report.Delivered)
	require.Len(t, report.Problems, 1)
	assert.ErrorContains(t, report.Problems[0], "no secret to sign them with")
	requests, _ := r.count()
	assert.Zero(t, requests)
	data, err := os.ReadFile(mustWait(t, bare)[0].Path)
	require.NoError(t, err)
	assert.NotContains(t, string(data), strings.TrimPrefix(testSecret, "whsec_"), "the secret is not in the folder")
	assert.Equal(t, Report{Delivered: 1}, newNotifier(t, dir, Options{}).Flush(t.Context()))
}

func mustWait(t *testing.T, n *Notifier) []outbox.Entry {
	t.Helper()
	list, err := n.queue.Waiting()
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return list
}

// Messages go to the targets of the process that made a call, whoever carries it
// out.
func TestTargets(t *testing.T) {
	t.Parallel()
	mine, others := newReceiver(t), newReceiver(t)
	dir := t.TempDir()
	noted := newNotifier(t, dir, Options{}, mine.srv.URL).Targets()
	bare, err := New(dir, &Options{URLs: []string{others.srv.URL}}) // without the secret
	require.NoError(t, err)
	require.NoError(t, bare.Add(t.Context(), ended(7, deploylog.Success), noted))
	require.ErrorIs(t, bare.Add(t.Context(), ended(8, deploylog.Success), []byte(`[{"url":"pigeon:canary","signed":true}]`)), ErrAddress)
	assert.Zero(t, bare.Send(t.Context()).Delivered, "it is signed")
	other := newNotifier(t, dir, Options{}, others.srv.URL)
	require.NoError(t, other.Add(t.Context(), ended(8, deploylog.Success), nil))
	assert.Equal(t, 2, other.Send(t.Context()).Delivered)
	assert.Equal(t, []string{"12.0.7 deployment.succeeded"}, mine.seen())
	assert.Equal(t, []string{"12.0.8 deployment.succeeded"}, others.seen())
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"https://hooks.example.com/x": true, "http://127.0.0.1:8080/": true, "http://localhost/": true, "http://[::1]:1/": true,
		"http://hooks.example.com/canary": false, "http://10.0.0.1/canary": false, "http://localhost.example.com/canary": false,
		"ftp://hooks.example.com/canary": false, "hooks.example.com/canary": false, "": false, "https:///canary": false, "https://user:canary@hooks.example.com/": false,
		"http://127.0.0.1.example.com/canary": false, "https://[canary": false,
	} {
		_, err := New(t.TempDir(), &Options{URLs: []string{address}})
		if ok {
			require.NoError(t, err, address)
			continue
		}
		require.ErrorIs(t, err, ErrAddress, address)
		assert.NotContains(t, err.Error(), "canary")
	}
	_, err := New(t.TempDir(), &Options{URLs: []string{"http://hooks.example.com/"}, AllowHTTP: true})
	require.NoError(t, err)
}

// What chats show is one line that mentions nobody and hides no address.
func TestText(t *testing.T) {
	t.Parallel()
	run := ended(1, deploylog.Success)
	run.Changes = "SHIP-12 labels\nmore"
	run.BuildURL = "https://ci.example.com/1"
	assert.Equal(t, "12.0.1 is running in Production (before: 12.0); by anna, took 3m0s. Changes: SHIP-12 labels … https://ci.example.com/1", payload(run).Text)
	run = ended(1, deploylog.Failed)
	assert.Equal(t, "the deployment of 12.0.1 to Production failed: disk full …; by anna, took 3m0s", payload(run).Text)
	run.VersionPrevious = ""
	assert.Contains(t, payload(run).Text, "the build of 12.0.1 for Production failed")
	run.Version, run.ErrorMessage, run.DeployedBy = "<!channel>", "<https://evil.example|click> @all\x1b[2J", "@here"
	got := payload(run).Text
	for _, bad := range []string{"<", ">", "@all", "@here", "\x1b", "\n"} {
		assert.NotContains(t, got, bad)
	}
	assert.Equal(t, EventRolledBack, payload(ended(1, deploylog.RolledBack)).Event)
}

// Processes are killed after they wrote a message, after they sent it and after
// they noted that, beside others that are not: nothing is lost, and a receiver
// that looks at the ids sees each message once, those of a run in order.
func TestKilled(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	r.faulty(func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n%7 == 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return n%7 == 3
	})
	dir := t.TempDir()
	program, err := os.Executable()
	require.NoError(t, err)
	var all sync.WaitGroup
	killed := make(chan bool, 100)
	for i, stage := range []string{"added", "sent", "noted", "", "added", "sent", "noted", ""} {
		all.Go(func() {
			c := child{Dir: dir, URL: r.srv.URL, Secret: testSecret, Run: i, Die: stage, DieAt: 1 + i%2}
			for { // a build server runs it again until it ends well
				text, err := json.Marshal(c)
				if !assert.NoError(t, err) {
					return
				}
				cmd := exec.CommandContext(t.Context(), program)
				cmd.Env = append(os.Environ(), "NOTIFY_TEST_CHILD="+string(text))
				out, err := cmd.CombinedOutput()
				if err == nil {
					return
				}
				var exit *exec.ExitError
				if !assert.True(t, errors.As(err, &exit) && exit.ExitCode() == -1, "%v: %s", err, out) {
					return
				}
				killed <- true
				c.Die = ""
			}
		})
	}
	all.Wait()
	close(killed)
	n := newNotifier(t, dir, Options{})
	require.Eventually(t, func() bool { return n.Flush(t.Context()).Waiting == 0 }, 30*time.Second, time.Millisecond)
	assert.NotEmpty(t, killed)
	seen := r.seen()
	require.Len(t, seen, 16)
	at := map[string]int{}
	for i, s := range seen {
		at[s] = i
	}
	for i := range 8 {
		version := fmt.Sprintf("12.0.%d", i)
		assert.Less(t, at[version+" deployment.failed"], at[version+" deployment.rolled_back"])
	}
	_, copies := r.count()
	t.Logf("%d processes were killed, %d copies of 16 messages came", len(killed), copies)
	assert.GreaterOrEqual(t, copies, 16)
}
