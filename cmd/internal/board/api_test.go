package board_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/board"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp/erptest"
)

// response is what the tests look at of any response.
type response struct {
	Now          time.Time
	Clients      []struct{ Name string }
	Environments []struct {
		Environment, Running string
		Current              *run
		Deployments          int
		FailureRate          float64
		LeadTime, Restore    int
	}
	Runs  []run
	Next  string
	Total int
	run
}

type run struct {
	ID                           int
	UUID                         string
	Environment, Status, Version string
	Changes                      string
	RolledBackAt                 time.Time
}

func TestStatusHistoryAndRun(t *testing.T) {
	t.Parallel()
	w := start(t)
	record(t, w.log)
	long := strings.Repeat("é", 5000)
	begun, err := w.log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Staging, Version: "13.0", Changes: long})
	require.NoError(t, err)

	var a response
	resp := w.get(t, "/api/deployments", &a)
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Equal(t, "no-store", resp.Header.Get("Cache-Control"))
	require.Len(t, a.Environments, 3)
	assert.WithinDuration(t, time.Now(), a.Now, time.Minute)
	assert.Equal(t, "PROD", a.Environments[0].Environment)
	assert.Equal(t, "12.0.3-hotfix", a.Environments[0].Running)
	assert.Equal(t, "12.0.3", a.Environments[1].Running)
	assert.Equal(t, "BUILDING", a.Environments[1].Current.Status)
	assert.Equal(t, 200, len([]rune(a.Environments[1].Current.Changes)), "lists carry the beginning of long texts only")
	assert.NotEmpty(t, a.Clients)

	a = response{}
	w.get(t, "/api/deployments?env=dev", &a)
	require.Len(t, a.Environments, 1)
	assert.Equal(t, "12.0.5-dev.7", a.Environments[0].Running)
	a = response{}
	w.get(t, "/api/deployments?client=0", &a)
	assert.Nil(t, a.Environments[0].Current, "the runs are another tenant's")

	a = response{}
	w.get(t, "/api/deployments/"+begun.ID.String(), &a)
	assert.Equal(t, long, a.Changes)
	a = response{}
	w.get(t, "/api/deployments/"+begun.UUID, &a)
	assert.Equal(t, "13.0", a.Version)

	var seen []string
	cursor := ""
	for pages := 0; ; pages++ {
		require.Less(t, pages, 5)
		a = response{}
		w.get(t, "/api/deployments/history?limit=5&cursor="+cursor, &a)
		require.LessOrEqual(t, len(a.Runs), 5)
		for _, r := range a.Runs {
			seen = append(seen, fmt.Sprint(r.ID))
		}
		if cursor = a.Next; cursor == "" {
			break
		}
	}
	assert.Len(t, seen, 12)
	assert.Equal(t, begun.ID.String(), seen[0])
	a = response{}
	w.get(t, "/api/deployments/history?env=PROD&status=ROLLED_BACK&client=11", &a)
	require.Len(t, a.Runs, 1)
	assert.WithinDuration(t, time.Now().Add(-6*24*time.Hour+54*time.Minute+90*time.Minute), a.Runs[0].RolledBackAt, time.Minute)
	a = response{}
	w.get(t, "/api/deployments/history?since="+time.Now().Add(-48*time.Hour).UTC().Format(time.RFC3339), &a)
	assert.Equal(t, 5, a.Total)

	a = response{}
	w.get(t, "/api/deployments/measures?env=PROD&period=30d", &a)
	require.Len(t, a.Environments, 1)
	assert.Equal(t, 4, a.Environments[0].Deployments)
	assert.InDelta(t, 0.25, a.Environments[0].FailureRate, 1e-9)
	assert.Equal(t, 90*60, a.Environments[0].Restore)
	a = response{}
	w.get(t, "/api/deployments/measures?env=PROD&period=24h", &a)
	assert.Zero(t, a.Environments[0].Deployments)
}

// What cannot be is refused, in words for people and without the ERP's.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := start(t)
	for _, tt := range []struct {
		name, method, path string
		status             int
		contains           string
	}{
		{"environment", "GET", "/api/deployments?env=MARS", 400, "PROD, STAGING, DEV"},
		{"client", "GET", "/api/deployments?client=11%20or%201%20eq%201", 400, "number"},
		{"negative client", "GET", "/api/deployments?client=-1", 400, "number"},
		{"status", "GET", "/api/deployments/history?status=DONE", 400, "SUCCESS"},
		{"since", "GET", "/api/deployments/history?since=yesterday", 400, "2026-03-09"},
		{"until", "GET", "/api/deployments/history?until=9999-01-01", 400, "until"},
		{"limit", "GET", "/api/deployments/history?limit=1000000", 400, "1 to 100"},
		{"search", "GET", "/api/deployments/history?q=a+b+c+d+e+f+g+h+i", 400, "8 words"},
		{"client of versions", "GET", "/api/deployments/versions?client=x", 400, "number"},
		{"cursor", "GET", "/api/deployments/history?cursor=%27", 400, "history"},
		{"period", "GET", "/api/deployments/measures?period=10y", 400, "30d"},
		{"long period", "GET", "/api/deployments/measures?period=367d", 400, "366d"},
		{"empty period", "GET", "/api/deployments/measures?period=0d", 400, "30d"},
		{"broken query", "GET", "/api/deployments?%zz", 400, "query"},
		{"no run", "GET", "/api/deployments/99999999", 404, "no run 99999999"},
		{"no id", "GET", "/api/deployments/%27or", 400, "UUID"},
		{"another table", "GET", "/api/deployments/..%2f..%2fad_user%2f100", 400, "UUID"},
		{"long id", "GET", "/api/deployments/" + strings.Repeat("9", 400), 400, "UUID"},
		{"writing a run", "PUT", "/api/deployments/1", 405, "env deploy"},
		{"deleting a run", "DELETE", "/api/deployments/1", 405, "env deploy"},
		{"posting", "POST", "/api/deployments", 405, "env deploy"},
		{"posting to the page", "POST", "/deployments", 405, "read"},
		{"posting to the events", "POST", "/api/deployments/events", 405, "env deploy"},
		{"a file that is not", "GET", "/deployments/../board.go", 404, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), tt.method, w.url+tt.path, nil)
			require.NoError(t, err)
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, tt.status, resp.StatusCode, "%s", body)
			assert.Contains(t, string(body), tt.contains)
			assert.Equal(t, "nosniff", resp.Header.Get("X-Content-Type-Options"))
			if tt.contains != "" {
				assert.Equal(t, "application/problem+json", resp.Header.Get("Content-Type"))
			}
		})
	}
}

// The page and its files come with a strict policy, and are not sent twice.
func TestPageHeaders(t *testing.T) {
	t.Parallel()
	w := start(t)
	for path, media := range map[string]string{
		"/deployments": "text/html; charset=utf-8", "/deployments/board.css": "text/css; charset=utf-8",
		"/deployments/board.js": "text/javascript; charset=utf-8", "/deployments/icon.svg": "image/svg+xml",
	} {
		resp := w.get(t, path, nil)
		assert.Equal(t, http.StatusOK, resp.StatusCode, path)
		assert.Equal(t, media, resp.Header.Get("Content-Type"), path)
		policy := resp.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"} {
			assert.Contains(t, policy, want, path)
		}
		assert.NotContains(t, policy, "unsafe", path)
		assert.Equal(t, "DENY", resp.Header.Get("X-Frame-Options"), path)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+path, nil)
		require.NoError(t, err)
		req.Header.Set("If-None-Match", resp.Header.Get("ETag"))
		again, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, again.Body.Close())
		assert.Equal(t, http.StatusNotModified, again.StatusCode, path)
	}
}

// events are the server-sent events of one connection.
type events struct {
	t    *testing.T
	body io.ReadCloser
	scan *bufio.Scanner
	last string // id
}

func (w *world) listen(t *testing.T, last string) *events {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/api/deployments/events", nil)
	require.NoError(t, err)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, "text/event-stream; charset=utf-8", resp.Header.Get("Content-Type"))
	return &events{t: t, body: resp.Body, scan: bufio.NewScanner(resp.Body)}
}

// next is the next event that is not a beat; ok is false at the end.
func (e *events) next() (name, data string, ok bool) {
	for e.scan.Scan() {
		line := e.scan.Text()
		switch {
		case line == "" && name != "" && name != "beat":
			return name, data, true
		case line == "":
			name, data = "", ""
		}
		if v, is := strings.CutPrefix(line, "event: "); is {
			name = v
		}
		if v, is := strings.CutPrefix(line, "data: "); is {
			data = v
		}
		if v, is := strings.CutPrefix(line, "id: "); is {
			e.last = v
		}
	}
	return "", "", false
}

// until skips events up to one that fits.
func (e *events) until(name, contains string) string {
	e.t.Helper()
	for {
		n, data, ok := e.next()
		require.True(e.t, ok, "the events ended before %s with %q", name, contains)
		if n == name && strings.Contains(data, contains) {
			return data
		}
	}
}

// A listener is told of changes, gets what it missed when it comes back, and
// reads everything again when that is not known.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := w.listen(t, "")
	a.until("state", `"ok":true`)
	started, err := w.log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Production, Version: "1.0", Changes: "line one\n\nid: 7\nevent: fake"})
	require.NoError(t, err)
	var r run
	require.NoError(t, json.Unmarshal([]byte(a.until("run", "1.0")), &r))
	assert.Equal(t, "BUILDING", r.Status)
	assert.Equal(t, "line one\n\nid: 7\nevent: fake", r.Changes, "text does not become events")
	last := a.last
	require.NoError(t, a.body.Close())

	_, err = w.log.Update(t.Context(), started.ID, deploylog.Update{Status: deploylog.Deploying})
	require.NoError(t, err)
	w.listen(t, "").until("state", "ok") // another listener does not matter
	back := w.listen(t, last)
	back.until("run", "DEPLOYING")
	assert.Greater(t, back.last, "")

	for name, id := range map[string]string{"of another process": "abcdefghij-3", "of the future": strings.Split(last, "-")[0] + "-99999", "nonsense": "'; drop", "of now, but nothing": strings.Split(last, "-")[0]} {
		n, _, ok := w.listen(t, id).next()
		assert.True(t, ok && n == "reset", "%s: got %q", name, n)
	}
}

// Listeners are bounded, and let go when the server ends, which does not wait
// for them.
func TestListenersAreBoundedAndEnd(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	install(t, srv)
	w := serve(t, srv, &board.Options{MaxListeners: 2, Every: 20 * time.Millisecond})
	a, b := w.listen(t, ""), w.listen(t, "")
	a.until("state", "ok")
	b.until("state", "ok")
	resp := w.get(t, "/api/deployments/events", nil)
	assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	assert.NotEmpty(t, resp.Header.Get("Retry-After"))
	begin := time.Now()
	w.stop()
	assert.Less(t, time.Since(begin), 4*time.Second)
	for _, l := range []*events{a, b} {
		for ok := true; ok; {
			_, _, ok = l.next()
		}
	}
}

// Whether the log can be read is told to those who ask and to those who
// listen; when it is back they read everything again.
func TestOutage(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w := serve(t, srv, &board.Options{Every: 20 * time.Millisecond, Quiet: 40 * time.Millisecond})
	assert.Equal(t, http.StatusServiceUnavailable, w.get(t, "/readyz", nil).StatusCode)
	l := w.listen(t, "")
	assert.Contains(t, l.until("state", "env deploy install"), `"reason":"missing"`)
	var problem struct{ Detail string }
	w.get(t, "/api/deployments", &problem)
	assert.Contains(t, problem.Detail, "env deploy install")

	install(t, srv)
	l.until("state", `"ok":true`)
	l.until("reset", "")
	assert.Equal(t, http.StatusOK, w.get(t, "/readyz", nil).StatusCode)

	gone := srv.Faults().On(erptest.Match{Path: "/models/..."}, erptest.CutBefore())
	l.until("state", "does not respond")
	gone.Remove()
	l.until("state", `"ok":true`)
	l.until("reset", "")

	refused := srv.Faults().On(erptest.Match{Path: "/models/..."}, erptest.Fail(http.StatusForbidden))
	assert.Contains(t, l.until("state", "may not read"), `"reason":"access"`)
	resp := w.get(t, "/api/deployments/history", &problem)
	assert.Equal(t, http.StatusBadGateway, resp.StatusCode)
	assert.Contains(t, problem.Detail, "may not read")
	assert.NotContains(t, problem.Detail, "/api/v1", "where the ERP is concerns nobody")
	refused.Remove()
	l.until("state", `"ok":true`)
}

// A log that is missing is looked for without ever longer pauses, because who
// installs it wants to see it.
func TestMissingLogIsLookedFor(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w := serve(t, srv, &board.Options{Every: 10 * time.Millisecond, Quiet: time.Hour})
	l := w.listen(t, "")
	l.until("state", `"reason":"missing"`)
	looks := func() int { return srv.Faults().Count(erptest.Match{Path: "/models/..."}) }
	require.Eventually(t, func() bool { return looks() > 30 }, 30*time.Second, 5*time.Millisecond, "with pauses that double, the 30th look is a week away")
	install(t, srv)
	l.until("state", `"ok":true`)
}

// What runs where, and what promotions would bring.
func TestVersions(t *testing.T) {
	t.Parallel()
	w := start(t)
	record(t, w.log)
	var a struct {
		Clients []struct {
			Client       struct{ Name string }
			Environments []struct {
				Environment, Version string
				Since                time.Time
				Components           []struct{ Name, Version string }
			}
			Promotions []struct {
				From, To, Relation string
				Runs               []run
			}
		}
	}
	w.get(t, "/api/deployments/versions", &a)
	require.Len(t, a.Clients, 1)
	c := a.Clients[0]
	assert.Equal(t, "GardenWorld", c.Client.Name)
	require.Len(t, c.Environments, 3)
	assert.Equal(t, "12.0.3-hotfix", c.Environments[0].Version)
	assert.False(t, c.Environments[0].Since.IsZero())
	require.Len(t, c.Environments[2].Components, 1)
	assert.Equal(t, "org.example.shipping", c.Environments[2].Components[0].Name)
	assert.Equal(t, "12.0.5-dev.7", c.Environments[2].Components[0].Version)
	require.Len(t, c.Promotions, 2)
	assert.Equal(t, "PROD", c.Promotions[0].To)
	assert.Equal(t, "unclear", c.Promotions[0].Relation)
	assert.Equal(t, "DEV", c.Promotions[1].From)
	require.Len(t, c.Promotions[1].Runs, 3)
	assert.Equal(t, "12.0.5-dev.7", c.Promotions[1].Runs[0].Version)
	assert.Contains(t, c.Promotions[1].Runs[0].Changes, "SHIP-12")

	// A run that ends is seen, however new what was read is.
	l := w.listen(t, "")
	deployed, err := w.log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Staging, Version: "12.0.5-dev.7"})
	require.NoError(t, err)
	_, err = w.log.Update(t.Context(), deployed.ID, deploylog.Update{Status: deploylog.Deploying})
	require.NoError(t, err)
	_, err = w.log.Complete(t.Context(), deployed.ID, deploylog.Completion{Status: deploylog.Success})
	require.NoError(t, err)
	l.until("run", "SUCCESS")
	w.get(t, "/api/deployments/versions?client=11", &a)
	assert.Equal(t, "same", a.Clients[0].Promotions[1].Relation)
	assert.Empty(t, a.Clients[0].Promotions[1].Runs)

	var found response
	w.get(t, "/api/deployments/history?q=labels+hotfix", &found)
	require.Len(t, found.Runs, 1)
	assert.Equal(t, "12.0.3-hotfix", found.Runs[0].Version)
}

// A look at the headers of the events is not a listener.
func TestHeadOfEvents(t *testing.T) {
	t.Parallel()
	w := start(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, w.url+"/api/deployments/events", nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Zero(t, w.board.Listeners())
}

// Many who ask at the same time for the same are one question to the ERP.
func TestQuestionsAreShared(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	install(t, srv)
	w := serve(t, srv, &board.Options{Every: time.Hour, Timeout: time.Minute})
	w.listen(t, "").until("state", `"ok":true`)
	var a response
	w.get(t, "/api/deployments", &a)
	before := len(srv.Faults().Requests())
	done := make(chan int)
	for range 50 {
		go func() {
			req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, w.url+"/api/deployments", nil)
			if err != nil {
				done <- 0
				return
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				done <- 0
				return
			}
			_ = resp.Body.Close()
			done <- resp.StatusCode
		}()
	}
	for range 50 {
		assert.Equal(t, http.StatusOK, <-done)
	}
	// Those of the poller that begins are among them.
	assert.Less(t, len(srv.Faults().Requests())-before, 50)
}

// An ERP that hangs is given up soon, by everything the page asks for.
func TestHungERP(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	install(t, srv)
	w := serve(t, srv, &board.Options{Every: 20 * time.Millisecond, Timeout: 500 * time.Millisecond})
	w.listen(t, "").until("state", `"ok":true`)
	release := make(chan struct{})
	defer close(release)
	srv.Faults().On(erptest.Match{Path: "/models/..."}, erptest.Hold(release))
	for _, path := range []string{"?env=DEV", "/history", "/measures", "/4711"} {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second) // less than the ERP's client waits
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/api/deployments"+path, nil)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err, path)
		var problem struct{ Detail string }
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&problem))
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode, path)
		assert.Equal(t, "the ERP does not respond", problem.Detail, path)
		assert.NotEmpty(t, resp.Header.Get("Retry-After"), path)
		cancel()
	}
}

// An ERP that needs too long for one request responds, and the board says so.
func TestSlowRequest(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	install(t, srv)
	h := board.New(login(t, srv.URL()), &board.Options{Timeout: 2 * time.Second}).Handler()
	release := make(chan struct{})
	defer close(release)
	for _, path := range []string{"?env=DEV", "/history", "/4711"} {
		held := srv.Faults().On(erptest.Match{Path: "/models/...", N: 1}, erptest.Hold(release))
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/deployments"+path, nil))
		held.Remove()
		assert.Equal(t, http.StatusGatewayTimeout, rec.Code, path)
		assert.Contains(t, rec.Body.String(), "the ERP responds, but needs too long for this", path)
	}
}

// Once the log is installed the next look at it tells all who listen, however
// long nobody was to look again.
func TestInstalledIsNoticed(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w := serve(t, srv, &board.Options{Every: time.Hour, Timeout: time.Minute}) // one look, however slow the machine is
	l := w.listen(t, "")
	l.until("state", `"reason":"missing"`)
	install(t, srv)
	var a response
	assert.Equal(t, http.StatusOK, w.get(t, "/api/deployments", &a).StatusCode)
	l.until("state", `"ok":true`)
	_, err := w.log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Production, Version: "1.0"})
	require.NoError(t, err)
}

// What a page of another site makes a browser send is refused; people who follow
// a link and programs are not.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	w := start(t)
	host := strings.TrimPrefix(w.url, "http://")
	for name, c := range map[string]struct {
		header map[string]string
		page   int // status of the page
		api    int // status of what it reads
	}{
		"a program":              {nil, 200, 200},
		"the page itself":        {map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, 200, 200},
		"typed":                  {map[string]string{"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200, 200},
		"a link elsewhere":       {map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200, 200},
		"a script elsewhere":     {map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Origin": "https://evil.example"}, 200, 403},
		"an image elsewhere":     {map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, 200, 403},
		"a frame elsewhere":      {map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 200, 403},
		"another port":           {map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 200, 403},
		"nonsense":               {map[string]string{"Sec-Fetch-Site": "x"}, 200, 403},
		"an old browser":         {map[string]string{"Origin": "https://evil.example"}, 200, 403},
		"an old browser, hidden": {map[string]string{"Origin": "null"}, 200, 403},
		"an old browser, here":   {map[string]string{"Origin": "http://" + host}, 200, 200},
	} {
		for path, want := range map[string]int{"/deployments": c.page, "/api/deployments": c.api, "/api/deployments/history": c.api, "/api/deployments/events": c.api} {
			method := http.MethodGet
			if path == "/api/deployments/events" {
				method = http.MethodHead
			}
			req, err := http.NewRequestWithContext(t.Context(), method, w.url+path, nil)
			require.NoError(t, err)
			for header, value := range c.header {
				req.Header.Set(header, value)
			}
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			assert.Equal(t, want, resp.StatusCode, "%s: %s", name, path)
		}
	}
}

// A client that holds all slots keeps no client of another address out.
func TestListenersOfAnotherAddress(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	install(t, srv)
	w := serve(t, srv, &board.Options{MaxListeners: 3, Every: 20 * time.Millisecond})
	for range 3 {
		w.listen(t, "").until("state", "ok")
	}
	assert.Equal(t, http.StatusServiceUnavailable, w.get(t, "/api/deployments/events", nil).StatusCode)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	other := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
	defer other.CloseIdleConnections()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/api/deployments/events", nil)
	require.NoError(t, err)
	resp, err := other.Do(req)
	if err != nil {
		t.Skipf("this system has one loopback address only: %v", err)
	}
	defer resp.Body.Close()
	assert.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Equal(t, 3, w.board.Listeners())
}
