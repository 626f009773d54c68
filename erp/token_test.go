package erp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// rotating gives a new token each time the last one was invalidated.
type rotating struct {
	mu          sync.Mutex
	tokens      []string
	invalidated []string
	err         error
}

func (r *rotating) Token(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.tokens) == 0 {
		return "", r.err
	}
	return r.tokens[0], nil
}

func (r *rotating) Invalidate(_ context.Context, token string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.invalidated = append(r.invalidated, token)
	if len(r.tokens) > 1 || r.err != nil {
		r.tokens = r.tokens[1:]
	}
	return nil
}

// wants responds 401 unless the request carries that token.
func wants(token string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			respond(w, 401, `{"title":"Token has expired","status":401}`)
			return
		}
		respond(w, 200, `{"id":1}`)
	}
}

func TestUnauthorizedIsRetriedOnceWithANewToken(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*erp.Client) error{
		"GET": func(c *erp.Client) error { _, err := c.Get(t.Context(), "C_Order", erp.IntID(1), nil); return err },
		"POST": func(c *erp.Client) error {
			_, err := c.Create(t.Context(), "C_Order", map[string]int{"Line": 7})
			return err
		},
		"PUT": func(c *erp.Client) error {
			_, err := c.Update(t.Context(), "C_Order", erp.IntID(1), map[string]int{"Line": 7})
			return err
		},
		"DELETE": func(c *erp.Client) error { return c.Delete(t.Context(), "C_Order", erp.IntID(1)) },
		"streamed POST": func(c *erp.Client) error {
			return c.UploadAttachment(t.Context(), "C_Order", erp.IntID(1), erp.NewAttachment("a.bin", bytes.Repeat([]byte("x"), 300000)))
		},
		"HTTPClient": func(c *erp.Client) error {
			resp, err := c.HTTPClient().Post(c.BaseURL()+"/models/C_Order", "application/json", strings.NewReader(`{"Line":7}`))
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != 200 {
				return errors.New(resp.Status)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			source := &rotating{tokens: []string{"old", "new"}}
			rec, client := serve(t, wants("new"), erp.WithTokenSource(source))
			require.NoError(t, do(client))
			sent := rec.seen()
			require.Len(t, sent, 2)
			assert.Equal(t, sent[0].Body, sent[1].Body, "the body goes out twice")
			assert.Equal(t, []string{"old"}, source.invalidated)
			if strings.Contains(name, "POST") || name == "HTTPClient" {
				assert.NotEmpty(t, sent[1].Body)
			}
		})
	}
}

func TestUnauthorizedIsNotRetriedWithTheSameToken(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, wants("other"), erp.WithTokenSource(&rotating{tokens: []string{"same"}}))
	_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.ErrorIs(t, err, erp.ErrUnauthorized)
	assert.Contains(t, err.Error(), "Token has expired")
	assert.Len(t, rec.seen(), 1)

	// Two new tokens in a row are not tried.
	rec, client = serve(t, wants("other"), erp.WithTokenSource(&rotating{tokens: []string{"a", "b", "c"}}))
	_, err = client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.ErrorIs(t, err, erp.ErrUnauthorized)
	assert.Len(t, rec.seen(), 2)
}

func TestTokenSourceErrors(t *testing.T) {
	t.Parallel()
	cause := errors.New("log in with erphub auth login")
	rec, client := serve(t, wants("x"), erp.WithTokenSource(&rotating{err: cause}))
	_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.ErrorIs(t, err, cause)
	assert.NotErrorIs(t, err, erp.ErrUnreachable)
	assert.Empty(t, rec.seen(), "without a token nothing is sent")

	rec, client = serve(t, wants("x"), erp.WithTokenSource(&rotating{tokens: []string{"refused"}, err: cause}))
	_, err = client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.ErrorIs(t, err, cause)
	require.ErrorIs(t, err, erp.ErrUnauthorized)
	assert.NotContains(t, err.Error(), "refused\"")
	assert.Len(t, rec.seen(), 1)

	rec, client = serve(t, wants("x"), erp.WithTokenSource(&rotating{tokens: []string{"geheim\r\nX-Evil: 1"}}))
	_, err = client.Create(t.Context(), "C_Order", nil)
	require.ErrorIs(t, err, erp.ErrInvalid)
	assert.NotContains(t, err.Error(), "geheim")
	assert.Empty(t, rec.seen())
}

func TestTokenStaysWithItsHost(t *testing.T) {
	t.Parallel()
	var stolen []string
	var mu sync.Mutex
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		stolen = append(stolen, r.Header.Get("Authorization"))
		respond(w, 200, `{"id":1}`)
	}))
	defer other.Close()
	_, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}, erp.WithTokenSource(erp.StaticToken("geheim")))

	_, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.ErrorIs(t, err, erp.ErrBadResponse)
	assert.Contains(t, err.Error(), other.URL)
	_, err = client.Create(t.Context(), "C_Order", nil)
	require.ErrorIs(t, err, erp.ErrBadResponse)
	assert.Empty(t, stolen, "redirects elsewhere are not followed")

	resp, err := client.HTTPClient().Get(other.URL)
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	assert.Equal(t, []string{""}, stolen, "other hosts get no token")
}

func TestRedirectWithinTheServer(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/1") {
			http.Redirect(w, r, "/api/v1/models/C_Order/2", http.StatusFound)
			return
		}
		respond(w, 200, `{"id":2}`)
	}, erp.WithTokenSource(erp.StaticToken("t")))
	record, err := client.Get(t.Context(), "C_Order", erp.IntID(1), nil)
	require.NoError(t, err)
	assert.Equal(t, erp.IntID(2), record.ID())
	assert.Equal(t, "Bearer t", rec.last(t).Header.Get("Authorization"))

	// A redirected write would become a read.
	before := len(rec.seen())
	err = client.Delete(t.Context(), "C_Order", erp.IntID(1))
	require.ErrorIs(t, err, erp.ErrBadResponse)
	assert.Len(t, rec.seen(), before+1)
}
