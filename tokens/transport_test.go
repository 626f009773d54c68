package tokens_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

// watched is a body that knows whether it was closed.
type watched struct {
	io.Reader
	closed atomic.Int32
}

func (w *watched) Close() error { w.closed.Add(1); return nil }

func TestTransport(t *testing.T) {
	t.Parallel()
	f := newFront(t, nil)
	m := f.manager(t, tokens.WithCredentials(garden))
	tr, err := tokens.NewTransport(f.URL, m, nil)
	require.NoError(t, err)
	client := &http.Client{Transport: tr}
	get := func() int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.URL+"/api/v1/models/AD_Org/11", nil)
		require.NoError(t, err)
		res, err := client.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Empty(t, req.Header.Get("Authorization"), "the caller's request is not changed")
		return res.StatusCode
	}
	assert.Equal(t, 200, get())
	// The session is ended elsewhere: the refresh is refused, too, so it logs in.
	store := tokens.NewMemoryStore(tokens.Stored{Access: tokens.NewSecret(token(t, m))})
	require.NoError(t, f.manager(t, tokens.WithStore(store)).Logout(t.Context()))
	assert.Equal(t, 200, get())
	assert.Equal(t, 2, f.counted(loginOK))
}

func TestTransportRetries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		body   func() io.Reader
		source tokens.Source
		want   []string // what the server got
		status int
	}{
		{"POST with a body that can be read again", func() io.Reader { return strings.NewReader("abc") }, &twoTokens{}, []string{"Bearer old abc", "Bearer new abc"}, 200},
		{"no body", func() io.Reader { return nil }, &twoTokens{}, []string{"Bearer old ", "Bearer new "}, 200},
		{"a body that is gone", func() io.Reader { return io.MultiReader(strings.NewReader("abc")) }, &twoTokens{}, []string{"Bearer old abc"}, 401},
		{"the same token again", func() io.Reader { return nil }, &twoTokens{same: true}, []string{"Bearer old "}, 401},
		{"a source that cannot be told", func() io.Reader { return nil }, must(tokens.Static(tokens.NewSecret("old"))), []string{"Bearer old "}, 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			srv := newScript(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer new" {
					w.WriteHeader(401)
				}
			})
			// Its own connections: those of all are closed whenever a test server ends.
			own := http.DefaultTransport.(*http.Transport).Clone()
			t.Cleanup(own.CloseIdleConnections)
			tr, err := tokens.NewTransport(srv.URL, tt.source, own)
			require.NoError(t, err)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/x", tt.body())
			require.NoError(t, err)
			res, err := tr.RoundTrip(req)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			assert.Equal(t, tt.status, res.StatusCode)
			for i, r := range srv.requests() {
				got = append(got, srv.header[i].Get("Authorization")+strings.TrimPrefix(r, "POST /x"))
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// twoTokens has another token once the first was refused.
type twoTokens struct {
	same    bool
	refused atomic.Bool
}

func (s *twoTokens) Token(context.Context) (string, error) {
	if s.refused.Load() && !s.same {
		return "new", nil
	}
	return "old", nil
}
func (s *twoTokens) Invalidate(context.Context, string) error { s.refused.Store(true); return nil }

func TestTransportElsewhere(t *testing.T) {
	t.Parallel()
	other := newScript(t, say(200, ""))
	erp := newScript(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/x", http.StatusTemporaryRedirect)
	})
	tr, err := tokens.NewTransport(erp.URL, must(tokens.Static(tokens.NewSecret("CANARY"))), nil)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, erp.URL, nil)
	require.NoError(t, err)
	res, err := (&http.Client{Transport: tr}).Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, "Bearer CANARY", erp.header[0].Get("Authorization"))
	assert.Empty(t, other.header[0].Get("Authorization"))
}

func TestTransportClosesTheBody(t *testing.T) {
	t.Parallel()
	m, err := tokens.NewManager("http://localhost:1")
	require.NoError(t, err)
	tr, err := tokens.NewTransport("http://localhost:1", m, roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("not to be called")
	}))
	require.NoError(t, err)
	body := &watched{Reader: strings.NewReader("x")}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost:1/x", body)
	require.NoError(t, err)
	_, err = tr.RoundTrip(req)
	require.ErrorIs(t, err, tokens.ErrAuthentication)
	assert.Equal(t, int32(1), body.closed.Load())

	_, err = tokens.NewTransport("nonsense", m, nil)
	require.Error(t, err)
	_, err = tokens.NewTransport("http://x", nil, nil)
	require.Error(t, err)
}
