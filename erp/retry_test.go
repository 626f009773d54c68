package erp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// cut breaks the connection without a response.
func cut(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}
}

// failing lets the first n requests fail in a certain way.
func failing(n int, fail func(http.ResponseWriter)) http.HandlerFunc {
	var count atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) {
		if count.Add(1) <= int64(n) {
			fail(w)
			return
		}
		respond(w, 200, `{"id":1}`)
	}
}

func status(code int, retryAfter string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		respond(w, code, `{"title":"Busy","status":`+http.StatusText(code)+`}`)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	get := func(c *erp.Client) error { _, err := c.Get(t.Context(), "C_Order", erp.IntID(1), nil); return err }
	create := func(c *erp.Client) error { _, err := c.Create(t.Context(), "C_Order", nil); return err }
	update := func(c *erp.Client) error {
		_, err := c.Update(t.Context(), "C_Order", erp.IntID(1), map[string]any{"Description": "x"})
		return err
	}
	children := func(c *erp.Client) error {
		_, err := c.Update(t.Context(), "C_Order", erp.IntID(1), map[string]any{"C_OrderLine": []any{map[string]any{"Line": 10}}})
		return err
	}
	action := func(c *erp.Client) error {
		_, err := c.Update(t.Context(), "C_Order", erp.IntID(1), map[string]any{"doc-action": "CO"})
		return err
	}
	patch := func(c *erp.Client) error { _, err := c.Patch(t.Context(), "C_Order", erp.IntID(1), nil); return err }
	remove := func(c *erp.Client) error { return c.Delete(t.Context(), "C_Order", erp.IntID(1)) }
	run := func(c *erp.Client) error { _, err := c.RunProcess(t.Context(), "x", nil); return err }
	foreign := func(method string) func(*erp.Client) error {
		return func(c *erp.Client) error {
			req, _ := http.NewRequestWithContext(t.Context(), method, c.BaseURL()+"/models/C_Order", strings.NewReader("{}"))
			resp, err := c.HTTPClient().Do(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != 200 {
				return errors.New(resp.Status)
			}
			return nil
		}
	}
	for name, tc := range map[string]struct {
		do    func(*erp.Client) error
		fail  func(http.ResponseWriter)
		times int // it fails so often
		want  int // requests sent
		ok    bool
	}{
		"GET 503":                      {get, status(503, ""), 2, 3, true},
		"GET 503 to the end":           {get, status(503, ""), 9, 4, false},
		"GET 429 with Retry-After":     {get, status(429, "0"), 1, 2, true},
		"GET 429 demands too long":     {get, status(429, "3600"), 1, 1, false},
		"GET 502":                      {get, status(502, ""), 1, 2, true},
		"GET 504":                      {get, status(504, ""), 1, 2, true},
		"GET 500 is a business error":  {get, status(500, ""), 1, 1, false},
		"GET 501":                      {get, status(501, ""), 1, 1, false},
		"GET 404":                      {get, status(404, ""), 1, 1, false},
		"GET cut":                      {get, cut, 2, 3, true},
		"POST 503":                     {create, status(503, "0"), 1, 1, false},
		"POST 429":                     {create, status(429, "0"), 1, 1, false},
		"POST cut":                     {create, cut, 1, 1, false},
		"PUT 503":                      {update, status(503, "0"), 1, 2, true},
		"PUT cut":                      {update, cut, 1, 2, true},
		"PUT with children cut":        {children, cut, 1, 1, false},
		"PUT with children 503":        {children, status(503, ""), 1, 1, false},
		"PUT with document action cut": {action, cut, 1, 1, false},
		"PATCH cut":                    {patch, cut, 1, 1, false},
		"DELETE 503":                   {remove, status(503, ""), 1, 2, true},
		"DELETE cut":                   {remove, cut, 1, 2, true},
		"process cut":                  {run, cut, 1, 1, false},
		"HTTPClient POST 503":          {foreign("POST"), status(503, ""), 1, 1, false},
		"HTTPClient PUT 503":           {foreign("PUT"), status(503, ""), 1, 1, false},
		"HTTPClient GET 503":           {foreign("GET"), status(503, ""), 1, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			rec, client := serve(t, failing(tc.times, tc.fail))
			err := tc.do(client)
			assert.Len(t, rec.seen(), tc.want)
			if tc.ok {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
			}
		})
	}
}

func TestRetryAfterReachesTheCaller(t *testing.T) {
	t.Parallel()
	_, client := serve(t, failing(1, status(503, "3600")))
	_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	var e *erp.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, time.Hour, e.RetryAfter)
	require.ErrorIs(t, err, erp.ErrUnavailable)
}

func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	_, client := serve(t, failing(1, status(503, "1")))
	start := time.Now()
	_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(start), time.Second)
}

func TestContextEndsTheWait(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, failing(9, status(503, "5")))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := client.Get(ctx, "C_Order", erp.IntID(1), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Contains(t, err.Error(), "503", "what came before is worth knowing")
	assert.Less(t, time.Since(start), 4*time.Second)
	assert.Len(t, rec.seen(), 1)

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err = client.Create(ctx, "C_Order", nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, erp.ErrUnreachable)
	assert.Len(t, rec.seen(), 1)
}

func TestRetriesCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, failing(1, status(503, "")), erp.WithRetryPolicy(erp.RetryPolicy{}))
	_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.ErrorIs(t, err, erp.ErrUnavailable)
	assert.Len(t, rec.seen(), 1)
}

// dialer refuses the first connections.
type dialer struct {
	refuse atomic.Int64
	dials  atomic.Int64
}

func (d *dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d.dials.Add(1)
	if d.refuse.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
	}
	return (&net.Dialer{}).DialContext(ctx, network, addr)
}

func TestPostIsRetriedIfItNeverLeft(t *testing.T) {
	t.Parallel()
	d := &dialer{}
	d.refuse.Store(2)
	transport := &http.Transport{DialContext: d.dial}
	defer transport.CloseIdleConnections()
	rec, client := serve(t, always(201, `{"id":7}`), erp.WithTransport(transport))
	record, err := client.Create(t.Context(), "C_Order", map[string]string{"Description": "once"})
	require.NoError(t, err)
	assert.Equal(t, erp.IntID(7), record.ID())
	assert.Len(t, rec.seen(), 1)
	assert.Equal(t, `{"Description":"once"}`, rec.last(t).Body)
	assert.EqualValues(t, 3, d.dials.Load())
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	dead := listener.Addr().String()
	listener.Close()
	tlsServer := httptest.NewTLSServer(always(200, `{}`))
	defer tlsServer.Close()
	tlsServer.Config.ErrorLog = nil
	plain := httptest.NewServer(always(200, `{}`))
	defer plain.Close()
	for name, url := range map[string]string{
		"dead port":           "http://" + dead,
		"unknown host":        "http://erp.invalid",
		"untrusted":           tlsServer.URL,
		"TLS to plain server": strings.Replace(plain.URL, "http:", "https:", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := erp.New(url, quick())
			require.NoError(t, err)
			_, err = client.Create(t.Context(), "C_Order", nil)
			require.ErrorIs(t, err, erp.ErrUnreachable)
			var conn *erp.ConnError
			require.ErrorAs(t, err, &conn)
			assert.False(t, conn.Sent)
			assert.Contains(t, err.Error(), "cannot reach "+strings.SplitN(url, "://", 2)[1])
		})
	}
	t.Run("cut", func(t *testing.T) {
		_, client := serve(t, failing(9, cut))
		_, err := client.Create(t.Context(), "C_Order", nil)
		require.ErrorIs(t, err, erp.ErrUnreachable)
		var conn *erp.ConnError
		require.ErrorAs(t, err, &conn)
		assert.True(t, conn.Sent)
		assert.Contains(t, err.Error(), "may have carried out")
	})
}

// hanging does not respond until the test is over.
func hanging(t *testing.T, before func(http.ResponseWriter)) http.HandlerFunc {
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	return func(w http.ResponseWriter, r *http.Request) {
		if before != nil {
			before(w)
		}
		select {
		case <-done:
		case <-r.Context().Done():
		}
	}
}

func TestSilentServer(t *testing.T) {
	t.Parallel()
	half := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":`)
		w.(http.Flusher).Flush()
	}
	for name, before := range map[string]func(http.ResponseWriter){"before the response": nil, "within the response": half} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec, client := serve(t, hanging(t, before), erp.WithTimeouts(time.Second, 40*time.Millisecond))
			_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
			require.ErrorIs(t, err, erp.ErrTimeout)
			require.ErrorIs(t, err, erp.ErrUnreachable)
			assert.Len(t, rec.seen(), 1, "a slow server is not called again")

			_, client = serve(t, hanging(t, before))
			ctx, cancel := context.WithTimeout(t.Context(), 40*time.Millisecond)
			defer cancel()
			_, err = client.Get(ctx, "C_Order", erp.IntID(1), nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.NotErrorIs(t, err, erp.ErrUnreachable)
		})
	}
}

func TestSlowConsumerIsNotASilentServer(t *testing.T) {
	t.Parallel()
	_, client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write(make([]byte, 4<<20))
	}, erp.WithTimeouts(5*time.Second, 700*time.Millisecond))
	file, err := client.DownloadAttachment(t.Context(), "C_Order", erp.IntID(1), "a.pdf")
	require.NoError(t, err)
	defer file.Close()
	<-time.After(1500 * time.Millisecond) // the caller is busy; the time itself is what is tested
	n, err := io.Copy(io.Discard, file)
	require.NoError(t, err)
	assert.EqualValues(t, 4<<20, n)
}

func TestProcessTimeoutReplacesTheClients(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	_, client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		<-release
		respond(w, 200, `{"AD_PInstance_ID":1,"process":"x","summary":"done","isError":false}`)
	}, erp.WithTimeouts(time.Second, 30*time.Millisecond))
	time.AfterFunc(150*time.Millisecond, func() { close(release) })
	result, err := client.RunProcess(t.Context(), "x", &erp.ProcessParams{Timeout: 20 * time.Second})
	require.NoError(t, err)
	assert.Equal(t, "done", result.Summary)
}

func TestDeleteIsDoneWhenItsRetryFindsNothing(t *testing.T) {
	t.Parallel()
	var count atomic.Int64
	_, client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if count.Add(1) == 1 {
			cut(w) // the record is gone, the response too
			return
		}
		respond(w, 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 1"}`)
	})
	require.NoError(t, client.Delete(t.Context(), "C_Order", erp.IntID(1)))
	require.ErrorIs(t, client.Delete(t.Context(), "C_Order", erp.IntID(1)), erp.ErrNotFound)
}
