package browserlogin_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/browserlogin"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/tokens"
)

// once begins a login on a page of this computer, and returns its address and what
// becomes of it.
func once(ctx context.Context, t *testing.T, erp string) (address string, wait func() (tokens.Stored, error)) {
	t.Helper()
	type outcome struct {
		st  tokens.Stored
		err error
	}
	shown, done := make(chan string, 1), make(chan outcome, 1)
	go func() {
		st, err := browserlogin.Once(ctx, erp, slog.New(slog.DiscardHandler), func(address string) error {
			shown <- address
			return nil
		})
		done <- outcome{st, err}
	}()
	return <-shown, func() (tokens.Stored, error) { o := <-done; return o.st, o.err }
}

// walk fills in the pages of one login until there is no form any more.
func (p *person) walk(address string) string {
	p.t.Helper()
	u, err := url.Parse(address)
	require.NoError(p.t, err)
	p.do(http.MethodGet, address, nil)
	for strings.Contains(p.last, "<form") {
		p.fill("http://" + u.Host)
	}
	return p.last
}

func TestOnce(t *testing.T) {
	t.Parallel()
	erp := erptest.New(t)
	address, wait := once(t.Context(), t, erp.URL())

	p := newPerson(t, "GardenAdmin")
	u, err := url.Parse(address)
	require.NoError(t, err)
	p.do(http.MethodGet, address, nil)
	to, form := p.form()
	form.Set("user", "GardenAdmin")
	form.Set("password", "wrong")
	p.do(http.MethodPost, "http://"+u.Host+to, form)
	assert.Contains(t, p.last, "The ERP refused the login")

	// The list of processes shows the address of a browser that is started with it: who
	// reads it there comes too late, with the form of somebody else, too.
	late := newPerson(t, "GardenUser")
	late.do(http.MethodGet, address, nil)
	assert.Equal(t, http.StatusForbidden, late.lastCode)
	assert.Contains(t, late.last, "Another browser has opened this page")
	assert.NotContains(t, late.last, "<form")
	to, form = p.form()
	form.Set("user", "GardenUser")
	form.Set("password", "GardenUser")
	late.do(http.MethodPost, "http://"+u.Host+to, form)
	assert.Equal(t, http.StatusForbidden, late.lastCode)

	// Somebody who does not know the address gets nowhere, neither do forms of other pages.
	for _, guess := range []string{"/", "/oauth/login", "/oauth/authorize", "/oauth/grants", u.Path[:len(u.Path)-1], u.Path + "/oauth/token", u.Path + "/oauth/register"} {
		res, err := http.Get("http://" + u.Host + guess)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Contains(t, []int{404, 405}, res.StatusCode, guess)
	}
	res, err := http.PostForm("http://"+u.Host+to, url.Values{"user": {"GardenAdmin"}, "password": {"GardenAdmin"}})
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusForbidden, res.StatusCode, "a form without the page before it")

	assert.Contains(t, p.walk(address), "You are logged in")
	st, err := wait()
	require.NoError(t, err)
	claims, err := tokens.UnverifiedClaims(st.Access.Reveal())
	require.NoError(t, err)
	assert.True(t, claims.Complete)
	assert.Equal(t, 11, claims.ClientID)
	assert.NotEmpty(t, st.Names.Role)

	_, err = http.Get(address)
	assert.Error(t, err, "the page has gone with the login")
}

func TestOnceEnds(t *testing.T) {
	t.Parallel()
	erp := erptest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, wait := once(ctx, t, erp.URL())
	cancel()
	_, err := wait()
	require.ErrorIs(t, err, context.Canceled)

	closed := errors.New("the terminal was closed")
	_, err = browserlogin.Once(t.Context(), erp.URL(), slog.New(slog.DiscardHandler), func(string) error { return closed })
	require.ErrorIs(t, err, closed)
}
