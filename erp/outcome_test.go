package erp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// TestOutcome: what Unsent, Retryable and ErrOutcomeUnknown say of a creation that failed, and
// what the embedded ERP holds afterwards.
func TestOutcome(t *testing.T) {
	t.Parallel()
	silent := erp.WithTimeouts(time.Second, 200*time.Millisecond)
	for _, tt := range []struct {
		name              string
		fault             erptest.Action
		opts              []erp.Option
		unsent, retryable bool
		made              bool
		unknown           bool
		is                error
	}{
		{"cut before it was handled", erptest.CutBefore(), nil, false, true, false, true, erp.ErrUnreachable},
		{"cut after it was handled", erptest.CutAfter(), nil, false, true, true, true, erp.ErrUnreachable},
		{"the response breaks off", erptest.CutMiddle(), nil, false, true, true, true, erp.ErrBadResponse},
		{"silent", erptest.Hold(nil), []erp.Option{silent}, false, true, false, true, erp.ErrTimeout},
		{"a proxy's page of success", erptest.HTML(200), nil, false, true, false, true, erp.ErrBadResponse},
		{"too many requests", erptest.Fail(429, erptest.RetryAfter(time.Second)), nil, false, true, false, false, erp.ErrRateLimited},
		{"not available", erptest.Fail(503), nil, false, true, false, false, erp.ErrUnavailable},
		{"a proxy that waited in vain", erptest.Fail(504), nil, false, true, false, true, erp.ErrUnavailable},
		{"a proxy without the server", erptest.HTML(502), nil, false, true, false, true, erp.ErrUnavailable},
		{"a business failure", erptest.Fail(500), nil, false, false, false, false, erp.ErrServer},
		{"refused values", erptest.Fail(400), nil, false, false, false, false, erp.ErrValidation},
		{"token refused", erptest.Fail(401), nil, false, false, false, false, erp.ErrUnauthorized},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv, client := embedded(t, tt.opts...)
			match := erptest.Match{Method: http.MethodPost, Path: "/models/C_BPartner"}
			fault := srv.Faults().On(match, tt.fault)
			const uuid = "0b6d7f0e-6f0c-4f52-9a38-6a3a4a1c0d01"
			_, err := client.Create(t.Context(), "C_BPartner", map[string]any{"Value": "outcome", "Name": "Outcome", "C_BP_Group_ID": 103, "C_BPartner_UU": uuid})
			require.ErrorIs(t, err, tt.is)
			assert.Equal(t, tt.unsent, erp.Unsent(err), err)
			assert.Equal(t, tt.retryable, erp.Retryable(err), err)
			assert.Equal(t, tt.unknown, errors.Is(err, erp.ErrOutcomeUnknown), err)
			assert.Equal(t, tt.unknown, strings.Contains(err.Error(), "may have carried out the request"), err)
			assert.Equal(t, 1, srv.Faults().Count(match), "a creation is not sent twice")
			fault.Remove()
			_, err = clientOf(t, srv).Get(t.Context(), "C_BPartner", erp.UUID(uuid), nil) // by one that has patience
			if tt.made {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, erp.ErrNotFound)
			}
		})
	}
}

// TestOutcomeUnknown: which calls end with a change that nobody knows of, beside
// creations.
func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	partner, number := "/models/C_BPartner/*", erp.IntID(118)
	read := func(ctx context.Context, c *erp.Client) error {
		_, err := c.Get(ctx, "C_BPartner", number, nil)
		return err
	}
	update := func(ctx context.Context, c *erp.Client) error {
		_, err := c.Update(ctx, "C_BPartner", number, map[string]any{"Description": "x"})
		return err
	}
	remove := func(ctx context.Context, c *erp.Client) error { return c.Delete(ctx, "C_BPartner", number) }
	for name, tt := range map[string]struct {
		call    func(context.Context, *erp.Client) error
		method  string
		first   erptest.Action // of the first attempt
		then    erptest.Action // of those after it
		cancel  bool           // the caller goes away while the server works
		unknown bool
	}{
		"a reading that is cut":                   {call: read, method: http.MethodGet, first: erptest.CutAfter(), then: erptest.CutAfter()},
		"a reading with a proxy's 502":            {call: read, method: http.MethodGet, first: erptest.HTML(502), then: erptest.HTML(502)},
		"an update that is cut":                   {call: update, method: http.MethodPut, first: erptest.CutAfter(), then: erptest.CutAfter(), unknown: true},
		"an update with a proxy's 504":            {call: update, method: http.MethodPut, first: erptest.HTML(504), then: erptest.HTML(504), unknown: true},
		"an update that is cut, then turned away": {call: update, method: http.MethodPut, first: erptest.CutAfter(), then: erptest.Fail(503), unknown: true},
		"an update that is cut, then refused":     {call: update, method: http.MethodPut, first: erptest.CutAfter(), then: erptest.Fail(403)},
		"an update that is turned away":           {call: update, method: http.MethodPut, first: erptest.Fail(503), then: erptest.Fail(503)},
		"a deletion with a page of success":       {call: remove, method: http.MethodDelete, first: erptest.HTML(200), then: erptest.HTML(200), unknown: true},
		"an update whose caller goes away":        {call: update, method: http.MethodPut, first: erptest.Hold(nil), cancel: true, unknown: true},
		"a reading whose caller goes away":        {call: read, method: http.MethodGet, first: erptest.Hold(nil), cancel: true},
		"a deletion whose caller goes away":       {call: remove, method: http.MethodDelete, first: erptest.Hold(nil), cancel: true, unknown: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, client := embedded(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			match := erptest.Match{Method: tt.method, Path: partner}
			fault := srv.Faults().On(erptest.Match{Method: match.Method, Path: match.Path, N: 1}, tt.first)
			if !tt.cancel {
				srv.Faults().On(match, tt.then)
			} else {
				go func() {
					for fault.Hits() == 0 && ctx.Err() == nil {
						runtime.Gosched()
					}
					cancel()
				}()
			}
			err := tt.call(ctx, client)
			require.Error(t, err)
			assert.Equal(t, tt.unknown, errors.Is(err, erp.ErrOutcomeUnknown), err)
			if tt.cancel {
				require.ErrorIs(t, err, context.Canceled)
			}
		})
	}
}

// TestADeletionBehindAProxy: the proxy gave up while the server deleted, and the
// retry finds the record gone, which is what was wanted.
func TestADeletionBehindAProxy(t *testing.T) {
	t.Parallel()
	attempt := 0
	_, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		attempt++
		always([]int{502, 404}[attempt-1], `{"title":"Record not found","status":404}`)(w, r)
	}, quick())
	require.NoError(t, client.Delete(t.Context(), "C_BPartner", erp.IntID(118)))
	assert.Equal(t, 2, attempt)
}

type failingTokens struct{ err error }

func (f failingTokens) Token(context.Context) (string, error) { return "", f.err }

// TestUnsent: what never reached a server, and what may have.
func TestUnsent(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	dead := "http://" + listener.Addr().String()
	listener.Close()
	untrusted := httptest.NewTLSServer(always(200, `{}`))
	t.Cleanup(untrusted.Close)
	live := httptest.NewServer(always(200, `{}`))
	t.Cleanup(live.Close)
	create := func(ctx context.Context, url string, body any, opts ...erp.Option) error {
		client, err := erp.New(url, append([]erp.Option{quick()}, opts...)...)
		require.NoError(t, err)
		_, err = client.Create(ctx, "C_Order", body)
		require.Error(t, err)
		return err
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	lost := &erp.ConnError{Method: "POST", Path: "/x", Host: "h", Sent: true, Err: errors.New("reset")}
	never := &erp.ConnError{Method: "POST", Path: "/x", Host: "h", Err: errors.New("refused")}
	ctx := t.Context()
	for _, tt := range []struct {
		name              string
		err               error
		unsent, retryable bool
	}{
		{"nil", nil, false, false},
		{"another error", errors.New("x"), false, false},
		{"dead port", create(ctx, dead, nil), true, true},
		{"unknown host", create(ctx, "http://erp.invalid", nil), true, true},
		{"untrusted certificate", create(ctx, untrusted.URL, nil), true, true},
		{"TLS to a plain server", create(ctx, strings.Replace(live.URL, "http:", "https:", 1), nil), true, true},
		{"input", create(ctx, live.URL, []int{1}), true, false},
		{"no token", create(ctx, live.URL, nil, erp.WithTokenSource(failingTokens{errors.New("no login")})), true, false},
		{"a token that cannot be sent", create(ctx, live.URL, nil, erp.WithTokenSource(&tokenList{tokens: []string{"a\nb"}})), true, false},
		{"no token because the login's server is away", create(ctx, live.URL, nil, erp.WithTokenSource(failingTokens{lost})), true, true},
		{"the context had ended", create(ended, dead, nil), false, false},
		{"wrapped", fmt.Errorf("a: %w", fmt.Errorf("b: %w", never)), true, true},
		{"joined with what was lost", errors.Join(never, lost), false, true},
		{"joined with a response", errors.Join(&erp.Error{Status: 500}, never), false, true},
		{"joined with another", errors.Join(errors.New("x"), never), true, true},
		{"of a batch", &erp.BatchError{Err: &erp.Error{Status: 500}}, false, false},
		{"a process that failed", &erp.ProcessError{Slug: "x", Result: &erp.ProcessResult{}}, false, false},
	} {
		assert.Equal(t, tt.unsent, erp.Unsent(tt.err), "%s: %v", tt.name, tt.err)
		assert.Equal(t, tt.retryable, erp.Retryable(tt.err), "%s: %v", tt.name, tt.err)
	}
}

// tokenList is a source that goes through its tokens as they are refused, and
// has none at the end.
type tokenList struct {
	mu     sync.Mutex
	tokens []string
}

func (l *tokenList) Token(context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.tokens) == 0 {
		return "", errors.New("no more tokens")
	}
	return l.tokens[0], nil
}

func (l *tokenList) Invalidate(context.Context, string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens = l.tokens[1:]
	return nil
}

// TestUnsentAfterALostAttempt: that the last attempt did not leave says nothing
// about the one before.
func TestUnsentAfterALostAttempt(t *testing.T) {
	t.Parallel()
	tokens := &tokenList{tokens: []string{"token-one"}}
	rec, client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_ = tokens.Invalidate(t.Context(), "")
		cut(w)
	}, erp.WithTokenSource(tokens))
	err := client.Delete(t.Context(), "C_Order", erp.IntID(1))
	require.ErrorContains(t, err, "no more tokens")
	assert.False(t, erp.Unsent(err))
	assert.Len(t, rec.seen(), 1)

	// A token that is refused has reached the server.
	rec, client = serve(t, always(401, `{"title":"Invalid token","status":401}`), erp.WithTokenSource(&tokenList{tokens: []string{"token-one"}}))
	_, err = client.Create(t.Context(), "C_Order", nil)
	require.ErrorIs(t, err, erp.ErrUnauthorized)
	assert.False(t, erp.Unsent(err))
	assert.Len(t, rec.seen(), 1)
}

// TestDeleteWhoseResponseBreaksOff: the retry finds the record gone, which is
// what was wanted.
func TestDeleteWhoseResponseBreaksOff(t *testing.T) {
	t.Parallel()
	srv, client := embedded(t)
	record, err := client.Create(t.Context(), "C_BPartner", map[string]any{"Value": "gone", "Name": "Gone", "C_BP_Group_ID": 103})
	require.NoError(t, err)
	match := erptest.Match{Method: http.MethodDelete, Path: "/models/C_BPartner/*"}
	srv.Faults().On(erptest.Match{Method: match.Method, Path: match.Path, N: 1}, erptest.CutMiddle())
	require.NoError(t, client.Delete(t.Context(), "C_BPartner", record.ID()))
	assert.Equal(t, 2, srv.Faults().Count(match))
}

// TestExists: the ways in which the ERP says that there is one already, and
// what is only like them.
func TestExists(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	ctx := t.Context()
	const uuid = "0b6d7f0e-6f0c-4f52-9a38-6a3a4a1c0d02"
	partner := map[string]any{"Value": "exists", "Name": "Exists", "C_BP_Group_ID": 103, "C_BPartner_UU": uuid}
	record, err := client.Create(ctx, "C_BPartner", partner)
	require.NoError(t, err)
	file := erp.NewAttachment("a.txt", []byte("x"))
	require.NoError(t, client.UploadAttachment(ctx, "C_BPartner", record.ID(), file))
	for name, do := range map[string]func() error{
		"key":        func() error { _, err := client.Create(ctx, "C_BPartner", partner); return err },
		"attachment": func() error { return client.UploadAttachment(ctx, "C_BPartner", record.ID(), file) },
		"UUID": func() error {
			_, err := client.Create(ctx, "C_BPartner", map[string]any{"Value": "exists-not", "Name": "x", "C_BP_Group_ID": 103, "C_BPartner_UU": uuid})
			return err
		},
		"batch": func() error {
			_, err := client.Batch(ctx, []erp.BatchRequest{erp.BatchCreate("C_BPartner", partner)}, erp.BatchOptions{})
			return err
		},
	} {
		err := do()
		require.ErrorIs(t, err, erp.ErrExists, name)
		assert.False(t, erp.Retryable(err), name)
	}

	// Recorded of the ERP itself, release 13 on PostgreSQL, and others.
	for _, tt := range []struct {
		name, body string
		status     int
		exists     bool
	}{
		{"a table", `{"title":"Save error","status":500,"detail":"Record already exists: ERROR: duplicate key value violates unique constraint \"ad_table_name\"\n  Detail: Key (upper(tablename::text))=(C_BPARTNER) already exists."}`, 500, true},
		{"through a window", `{"title":"Save error","status":500,"detail":"Save error with exception: Record already exists"}`, 500, true},
		{"the contract's example", `{"title":"Save error","status":500,"detail":"Could not save record - Require unique data"}`, 500, true},
		{"another language", `{"title":"Save error","status":500,"detail":"El registro ya existe: ERROR: duplicate key value violates unique constraint \"c_bpartner_value\""}`, 500, true},
		{"Oracle", `{"title":"Save error","status":500,"detail":"ORA-00001: unique constraint (X.C_BPARTNER_VALUE) violated"}`, 500, true},
		{"an attachment", `{"title":"Duplicate file name","status":409,"detail":"Duplicate file name: a.txt"}`, 409, true},
		{"a process that is running", `{"title":"Process is already running","status":409,"detail":"x"}`, 409, false},
		{"an upload that is over", `{"title":"Upload session is already: completed","status":409}`, 409, false},
		{"a mandatory column", `{"title":"Save error","status":500,"detail":"Fill mandatory fields: Name"}`, 500, false},
		{"a page that shows a log", `<html><title>Record already exists</title></html>`, 500, false},
		{"a refusal that quotes it", `{"title":"x","status":400,"detail":"Record already exists"}`, 400, false},
	} {
		_, client := serve(t, always(tt.status, tt.body))
		_, err := client.Create(ctx, "AD_Table", nil)
		require.Error(t, err, tt.name)
		assert.Equal(t, tt.exists, errors.Is(err, erp.ErrExists), tt.name)
	}
}
