package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/generator/httpapi"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/testkit/testclock"
	"github.com/erphub/erphub/internal/testkit/testgit"
	"github.com/erphub/erphub/internal/testkit/testsmtp"
)

// gate is deliveries that end when they are told to, and count.
type gate struct {
	mode    generator.Mode
	began   chan struct{} // is told of every delivery that begins
	end     chan error    // what a delivery ends with
	expires time.Time
	runs    atomic.Int64
	stopped atomic.Int64
}

func newGate(mode generator.Mode) *gate {
	return &gate{mode: mode, began: make(chan struct{}, 100), end: make(chan error)}
}

func (g *gate) Choose(context.Context, string, string) (generator.Mode, generator.Delivery, error) {
	return g.mode, g, nil
}

func (g *gate) Deliver(ctx context.Context, a *generator.Artifact, progress generator.Progress) (*generator.Receipt, error) {
	n := g.runs.Add(1)
	progress.Report(0, 2, "packing")
	g.began <- struct{}{}
	select {
	case err := <-g.end:
		if err != nil {
			return nil, err
		}
	case <-ctx.Done():
		g.stopped.Add(1)
		return nil, fmt.Errorf("delivering: %w", ctx.Err())
	}
	progress.Report(2, 2, "done")
	return &generator.Receipt{Mode: g.mode, SentTo: fmt.Sprint("run ", n), Filename: a.Filename(), ExpiresAt: g.expires, Zip: []byte("zip")}, nil
}

var _ generator.Delivery = (*gate)(nil)

// key is the header Idempotency-Key.
func key(text string) func(*http.Request) { return header("Idempotency-Key", text) }

// later makes a request in the background.
func (a *api) later(ctx context.Context, body string, change ...func(*http.Request)) <-chan response {
	a.t.Helper()
	out := make(chan response, 1)
	change = append([]func(*http.Request){header("Authorization", "Bearer "+token(a.t, 101, time.Hour))}, change...)
	req := a.request(ctx, http.MethodPost, "/api/generate/plugin", body, change...)
	go func() {
		defer close(out)
		resp, err := a.server.Client().Do(req)
		if err != nil {
			return // given up
		}
		var text strings.Builder
		_, err = bufio.NewReader(resp.Body).WriteTo(&text)
		if errors.Join(err, resp.Body.Close()) == nil {
			out <- response{resp.StatusCode, resp.Header, []byte(text.String())}
		}
	}()
	return out
}

func TestSameKeySameResponse(t *testing.T) {
	t.Parallel()
	c := testclock.New(time.Now())
	a := start(t, setup{options: httpapi.Options{Clock: c.Now}, delivery: delivery.Options{Now: c.Now}})
	first := a.post(body+`,"output":"url"}`, key("k"))
	require.Equal(t, http.StatusOK, first.status)
	assert.Empty(t, first.header.Get("Idempotency-Replayed"))

	again := a.post(`{ "output": "url", "artifactId": "com.example.demo" }`, key("k"))
	assert.Equal(t, string(first.body), string(again.body), "the same request, written otherwise")
	assert.Equal(t, "true", again.header.Get("Idempotency-Replayed"))
	assert.NotEqual(t, first.header.Get("X-Request-Id"), again.header.Get("X-Request-Id"))

	for _, other := range []string{body + `}`, `{"artifactId":"com.example.other","output":"url"}`, body + `,"output":"url","options":{"ide":false}}`} {
		got := a.post(other, key("k"))
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		assert.Equal(t, "idempotency_key_reused", got.refusal(t).Error.Code)
	}
	others := a.post(body+`,"output":"url"}`, key("k"), header("Authorization", "Bearer "+token(t, 102, time.Hour)))
	assert.Equal(t, http.StatusOK, others.status)
	assert.NotEqual(t, string(first.body), string(others.body), "keys belong to users")
	assert.NotEqual(t, string(first.body), string(a.post(body+`,"output":"url"}`).body), "without a key it is a new request")

	c.Advance(59 * time.Minute)
	assert.Equal(t, string(first.body), string(a.post(body+`,"output":"url"}`, key("k")).body))
	c.Advance(2 * time.Minute)
	late := a.post(body+`,"output":"url"}`, key("k"))
	require.Equal(t, http.StatusOK, late.status)
	assert.NotEqual(t, string(first.body), string(late.body), "the key lives as long as the link")
}

func TestSameKeyAtOnce(t *testing.T) {
	t.Parallel()
	g := newGate(generator.ModeEmail)
	a := with(t, g, httpapi.Options{MaxConcurrent: 1, PerMinute: 6000, Burst: 100})
	const n = 20
	responses := make([]<-chan response, n)
	for i := range n {
		responses[i] = a.later(t.Context(), body+`}`, key("k"))
	}
	<-g.began
	g.end <- nil
	for i := range n {
		got := <-responses[i]
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		assert.JSONEq(t, `{"sent_to":"run 1","filename":"com.example.demo.zip"}`, string(got.body))
	}
	assert.EqualValues(t, 1, g.runs.Load())
}

// A request that waits for another's work does not lose it when that one goes
// away; the work ends when nobody waits.
func TestFirstOfTwoGoesAway(t *testing.T) {
	t.Parallel()
	g := newGate(generator.ModeEmail)
	a := with(t, g, httpapi.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	first := a.later(ctx, body+`}`, key("k"))
	<-g.began
	// The second is known to wait when it has its first event.
	resp, err := a.server.Client().Do(a.request(t.Context(), http.MethodPost, "/api/generate/plugin", body+`}`, key("k"),
		header("Authorization", "Bearer "+token(t, 101, time.Hour)), header("Accept", "text/event-stream")))
	require.NoError(t, err)
	events := bufio.NewScanner(resp.Body)
	require.True(t, events.Scan())
	assert.Equal(t, "event: progress", events.Text())
	cancel()
	_, received := <-first
	assert.False(t, received)
	g.end <- nil
	var rest strings.Builder
	for events.Scan() {
		rest.WriteString(events.Text() + "\n")
	}
	require.NoError(t, resp.Body.Close())
	assert.Contains(t, rest.String(), "event: result\ndata: {\"sent_to\":\"run 1\"")
	assert.Zero(t, g.stopped.Load())
}

func TestAllGoAway(t *testing.T) {
	t.Parallel()
	g := newGate(generator.ModeEmail)
	a := with(t, g, httpapi.Options{MaxConcurrent: 1})
	for _, accept := range []string{"application/json", "text/event-stream"} {
		ctx, cancel := context.WithCancel(t.Context())
		gone := a.later(ctx, body+`}`, key("k"), header("Accept", accept))
		<-g.began
		before := g.stopped.Load()
		cancel()
		<-gone
		require.Eventually(t, func() bool { return g.stopped.Load() == before+1 }, 5*time.Second, time.Millisecond)
	}
	// The key is free again, as is the slot.
	require.Eventually(t, func() bool {
		again := a.later(t.Context(), body+`}`, key("k"))
		select {
		case <-g.began:
			g.end <- nil
			return (<-again).status == http.StatusOK
		case got := <-again:
			return got.status == http.StatusOK
		}
	}, 5*time.Second, time.Millisecond)
	assert.EqualValues(t, 3, g.runs.Load())
}

func TestFailuresAreTriedAgain(t *testing.T) {
	t.Parallel()
	g := newGate(generator.ModeEmail)
	a := with(t, g, httpapi.Options{})
	run := func(end error) response {
		t.Helper()
		got := a.later(t.Context(), body+`}`, key("k"))
		select {
		case <-g.began:
			g.end <- end
			return <-got
		case replayed := <-got:
			return replayed
		}
	}
	assert.Equal(t, http.StatusServiceUnavailable, run(&failure.Error{Kind: failure.Unreachable, Doing: "sending", Why: "away"}).status)
	assert.Equal(t, http.StatusInternalServerError, run(errors.New("must-not-show-in-responses")).status)
	assert.Equal(t, "unknown_outcome", run(&failure.Error{Kind: failure.Unknown, Doing: "sending", Why: "gone"}).refusal(t).Error.Code)
	replayed := run(nil)
	assert.Equal(t, "unknown_outcome", replayed.refusal(t).Error.Code, "what may have been sent is not sent again")
	assert.Equal(t, "true", replayed.header.Get("Idempotency-Replayed"))
	assert.EqualValues(t, 3, g.runs.Load())
	assert.Contains(t, a.log.String(), "must-not-show-in-responses")
	a.log.text.Reset()
}

func TestTooManyAtOnce(t *testing.T) {
	t.Parallel()
	g := newGate(generator.ModeEmail)
	a := with(t, g, httpapi.Options{MaxConcurrent: 2, MaxPerUser: 3})
	first, second := a.later(t.Context(), body+`}`), a.later(t.Context(), body+`}`)
	<-g.began
	<-g.began
	got := a.post(body+`}`, key("k"))
	require.Equal(t, http.StatusServiceUnavailable, got.status)
	assert.Equal(t, "1", got.header.Get("Retry-After"))
	assert.Equal(t, "unavailable", got.refusal(t).Error.Code)
	g.end <- nil
	g.end <- nil
	assert.Equal(t, http.StatusOK, (<-first).status)
	assert.Equal(t, http.StatusOK, (<-second).status)
	third := a.later(t.Context(), body+`}`, key("k"))
	<-g.began
	g.end <- nil
	assert.Equal(t, http.StatusOK, (<-third).status, "the refusal was not kept under the key")
}

// One user does not take all slots.
func TestTooManyOfOneUser(t *testing.T) {
	t.Parallel()
	g := newGate(generator.ModeEmail)
	a := with(t, g, httpapi.Options{MaxConcurrent: 2})
	first := a.later(t.Context(), body+`}`)
	<-g.began
	got := a.post(body + `}`)
	require.Equal(t, http.StatusTooManyRequests, got.status)
	assert.Equal(t, "1", got.header.Get("Retry-After"))
	other := a.later(t.Context(), body+`}`, header("Authorization", "Bearer "+token(t, 102, time.Hour)))
	<-g.began
	g.end <- nil
	g.end <- nil
	assert.Equal(t, http.StatusOK, (<-first).status)
	assert.Equal(t, http.StatusOK, (<-other).status)
	again := a.later(t.Context(), body+`}`)
	<-g.began
	g.end <- nil
	assert.Equal(t, http.StatusOK, (<-again).status)
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	g := newGate(generator.ModeEmail)
	got := with(t, g, httpapi.Options{Timeout: 2 * time.Second}).post(body + `}`)
	require.Equal(t, http.StatusGatewayTimeout, got.status, string(got.body))
	assert.Equal(t, "timeout", got.refusal(t).Error.Code)
	assert.EqualValues(t, 1, g.stopped.Load())
}

// panicking is a delivery with a bug.
type panicking struct{}

func (panicking) Choose(context.Context, string, string) (generator.Mode, generator.Delivery, error) {
	return generator.ModeEmail, panicking{}, nil
}

func (panicking) Deliver(context.Context, *generator.Artifact, generator.Progress) (*generator.Receipt, error) {
	panic("boom")
}

func TestPanic(t *testing.T) {
	t.Parallel()
	a := with(t, panicking{}, httpapi.Options{MaxConcurrent: 1})
	for range 2 {
		got := a.post(body+`}`, key("k"))
		require.Equal(t, http.StatusInternalServerError, got.status)
		assert.NotContains(t, string(got.body), "boom")
	}
	assert.Contains(t, a.log.String(), "boom")
}

// event is one of a stream.
type event struct{ name, data string }

func eventsOf(t *testing.T, text string) []event {
	t.Helper()
	var all []event
	for block := range strings.SplitSeq(strings.TrimSuffix(text, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(block, "\n")
		require.True(t, ok, block)
		all = append(all, event{strings.TrimPrefix(name, "event: "), strings.TrimPrefix(data, "data: ")})
	}
	return all
}

func TestEvents(t *testing.T) {
	t.Parallel()
	server := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: forgeToken})
	a := start(t, setup{settings: forge(server)})
	stream := header("Accept", "text/event-stream, application/json;q=0.5")
	got := a.post(body+`,"output":"repository"}`, stream)
	require.Equal(t, http.StatusOK, got.status)
	assert.Equal(t, "text/event-stream", got.header.Get("Content-Type"))
	events := eventsOf(t, string(got.body))
	require.Len(t, events, 5)
	for i, e := range events[:4] {
		assert.Equal(t, "progress", e.name)
		var s struct {
			Done, Total int
			Message     string
		}
		require.NoError(t, json.Unmarshal([]byte(e.data), &s))
		assert.Equal(t, i, s.Done)
		assert.Equal(t, 3, s.Total)
		assert.NotEmpty(t, s.Message)
	}
	assert.Equal(t, "result", events[4].name)
	var receipt any
	require.NoError(t, json.Unmarshal([]byte(events[4].data), &receipt))
	require.NoError(t, a.doc.Components.Schemas["Receipt"].Value.VisitJSON(receipt))

	got = a.post(body+`,"output":"repository"}`, stream)
	require.Equal(t, http.StatusOK, got.status, "it had begun")
	events = eventsOf(t, string(got.body))
	last := events[len(events)-1]
	assert.Equal(t, "error", last.name)
	var refused any
	require.NoError(t, json.Unmarshal([]byte(last.data), &refused))
	require.NoError(t, a.doc.Components.Schemas["Error"].Value.VisitJSON(refused))
	assert.Contains(t, last.data, `"code":"exists"`)

	got = a.post(body+`,"output":"archive"}`, header("Accept", "application/zip, text/event-stream"))
	assert.Equal(t, "application/zip", got.header.Get("Content-Type"))
	assert.Equal(t, wanted(t), got.body)
	got = a.post(body+`,"output":"archive"}`, header("Accept", "text/event-stream"))
	assert.Equal(t, http.StatusNotAcceptable, got.status)
	got = a.post(body+`,"output":"url"}`, header("Accept", "text/event-stream;q=0, */*"))
	assert.Equal(t, "application/json", got.header.Get("Content-Type"))
}

// The client is killed while its plugin is pushed: the repository goes again.
func TestKilledClient(t *testing.T) {
	t.Parallel()
	pushing := make(chan struct{}, 1)
	server := testgit.Start(t, testgit.Forge{Kind: testgit.Gitea, Token: forgeToken, Hook: "sleep 1", Created: func() { pushing <- struct{}{} }})
	var mu sync.Mutex
	codes := []string{}
	done := make(chan struct{}, 1)
	a := start(t, setup{settings: forge(server), options: httpapi.Options{Observe: func(operation, code string, _ time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		codes = append(codes, operation+" "+code)
		done <- struct{}{}
	}}})
	ctx, cancel := context.WithCancel(t.Context())
	gone := a.later(ctx, body+`,"output":"repository"}`)
	<-pushing
	require.Len(t, server.Repositories(), 1)
	cancel()
	<-gone
	<-done
	assert.Empty(t, server.Repositories())
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []string{"generate canceled"}, codes)
}

// A key lives as long as links do, also for what has no link.
func TestLifeOfKeys(t *testing.T) {
	t.Parallel()
	c := testclock.New(time.Now())
	server := testsmtp.StartFaulty(t, testsmtp.Faults{})
	a := start(t, setup{
		settings: map[string]string{delivery.KeySMTPHost: server.Addr, delivery.KeySMTPSecurity: "none", delivery.KeyRecipients: "a@example.com", delivery.KeyTTL: "120"},
		options:  httpapi.Options{Clock: c.Now},
	})
	send := func() int {
		got := a.post(body+`,"output":"email","email":"a@example.com"}`, key("k"))
		require.Equal(t, http.StatusOK, got.status, string(got.body))
		return len(server.Mails())
	}
	assert.Equal(t, 1, send())
	c.Advance(119 * time.Minute)
	assert.Equal(t, 1, send())
	c.Advance(time.Minute)
	assert.Equal(t, 2, send())
}

// Mails are sent once, however often the same is asked for.
func TestOneMail(t *testing.T) {
	t.Parallel()
	server := testsmtp.StartFaulty(t, testsmtp.Faults{})
	a := start(t, setup{settings: map[string]string{delivery.KeySMTPHost: server.Addr, delivery.KeySMTPSecurity: "none", delivery.KeyRecipients: "a@example.com"}})
	for range 5 {
		got := a.post(body+`,"output":"email","email":"a@example.com"}`, key("k"))
		require.Equal(t, http.StatusOK, got.status, string(got.body))
	}
	assert.Len(t, server.Mails(), 1)
}

func TestStreams(t *testing.T) {
	t.Parallel()
	a := with(t, never{}, httpapi.Options{})
	for _, tt := range []struct {
		method, path, accept string
		want                 bool
	}{
		{http.MethodPost, "/api/generate/plugin", "text/event-stream", true},
		{http.MethodPost, "/api/generate/plugin", "", false},
		{http.MethodPost, "/api/generate/plugin", "*/*", false},
		{http.MethodGet, "/api/generate/plugin", "text/event-stream", false},
		{http.MethodGet, "/api/artifacts/x/download", "", true},
		{http.MethodPost, "/api/artifacts/x/download", "", false},
		{http.MethodPost, "/elsewhere", "text/event-stream", false},
	} {
		assert.Equal(t, tt.want, httpapi.Streams(a.request(t.Context(), tt.method, tt.path, "", header("Accept", tt.accept))), tt)
	}
}
