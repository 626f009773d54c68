package browserlogin_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/browserlogin"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testredis"
)

var endButton = regexp.MustCompile(`name="end" value="([^"]+)"`)

// list logs in to the page of grants.
func (p *person) list(h *hub) {
	p.t.Helper()
	p.do(http.MethodGet, h.url+"/oauth/grants", nil)
	for range 4 {
		if _, form := p.form(); !form.Has("request") && !form.Has("part") {
			return
		}
		require.Nil(p.t, p.fill(h.url))
		if !action.MatchString(p.last) {
			return // none
		}
	}
}

// end presses the button of a grant on the page.
func (p *person) end(h *hub, id string) {
	p.t.Helper()
	_, form := p.form()
	form.Set("end", id)
	require.Nil(p.t, p.do(http.MethodPost, h.url+"/oauth/grants", form))
}

// Users see and end what acts for them, and the administrator of the System what acts
// for everybody; nobody else sees anything of it.
func TestGrants(t *testing.T) {
	t.Parallel()
	h := start(t, erptest.New(t), nil)
	g := h.grant(t, newPerson(t, "GardenUser"))

	stranger := newPerson(t, "GardenAdmin")
	other := h.grant(t, stranger)
	stranger.list(h)
	require.Len(t, endButton.FindAllStringSubmatch(stranger.last, -1), 1, stranger.last)

	user := newPerson(t, "GardenUser")
	user.list(h)
	assert.Contains(t, user.last, "Assistant")
	mine := endButton.FindAllStringSubmatch(user.last, -1)
	require.Len(t, mine, 1, user.last)
	stranger.end(h, mine[0][1])
	require.True(t, h.opens(t, g.access), "it is not theirs to end")
	user.end(h, mine[0][1])
	assert.Contains(t, user.last, "No program acts for you")
	assert.False(t, h.opens(t, g.access), "at the next request")
	require.True(t, h.opens(t, other.access))

	system := newPerson(t, "SuperUser")
	system.choices = map[string]string{"client": "0", "role": "0", "organization": "0"}
	system.do(http.MethodGet, h.url+"/oauth/grants", nil)
	to, form := system.form()
	form.Set("user", "SuperUser")
	form.Set("password", "System")
	require.Nil(t, system.do(http.MethodPost, h.url+to, form))
	for {
		if _, form := system.form(); !form.Has("part") {
			break
		}
		require.Nil(t, system.fill(h.url))
	}
	all := endButton.FindAllStringSubmatch(system.last, -1)
	require.Len(t, all, 1, system.last)
	assert.Contains(t, system.last, "GardenAdmin")
	system.end(h, all[0][1])
	assert.False(t, h.opens(t, other.access))
}

// replicas are two servers that share a Redis.
func replicas(t *testing.T) (srv *erptest.Server, hubs [2]*hub) {
	t.Helper()
	redis := testredis.Start(t)
	srv = erptest.New(t)
	for i := range hubs {
		store, err := browserlogin.OpenRedis(redis.URL())
		require.NoError(t, err)
		t.Cleanup(func() { _ = store.Close() })
		hubs[i] = start(t, srv, func(o *browserlogin.Options) { o.Store = store })
	}
	return srv, hubs
}

// What one replica grants is good at the other, and each can end it for both.
func TestReplicas(t *testing.T) {
	t.Parallel()
	_, hubs := replicas(t)
	a, b := hubs[0], hubs[1]
	_, id := a.register(t, "Assistant", callback)
	p := newPerson(t, "GardenAdmin")
	p.do(http.MethodGet, a.request(id, "resource", ""), nil)
	var to *url.URL
	for turn := 0; to == nil; turn++ { // each page is sent to the replica that did not show it
		to = p.fill(hubs[(turn+1)%2].url)
	}
	code := to.Query().Get("code")
	status, out := b.exchange(t, id, code)
	require.Equal(t, http.StatusOK, status, "%v", out)
	access, refresh := out["access_token"].(string), out["refresh_token"].(string)
	assert.True(t, a.opens(t, access))
	assert.True(t, b.opens(t, access))
	status, out = a.refresh(t, id, refresh)
	require.Equal(t, http.StatusOK, status, "%v", out)
	assert.True(t, b.opens(t, out["access_token"].(string)))
	status, _ = b.refresh(t, id, refresh)
	assert.Equal(t, http.StatusBadRequest, status, "it was used at the other")
	assert.False(t, a.opens(t, access), "and that ended the grant")

	g := a.grant(t, newPerson(t, "GardenUser"))
	require.True(t, b.opens(t, g.access))
	user := newPerson(t, "GardenUser")
	user.list(b)
	user.end(b, endButton.FindStringSubmatch(user.last)[1])
	assert.False(t, a.opens(t, g.access))
	assert.False(t, b.opens(t, g.access))
}

// Replicas that need a new token of the ERP at the same time refresh it one after the
// other: the ERP takes a refresh token that comes twice for theft. Of many attempts to
// use a refresh token of ours at most one gets tokens.
func TestReplicasAtOnce(t *testing.T) {
	t.Parallel()
	srv, hubs := replicas(t)
	require.NoError(t, srv.SetConfig(t.Context(), "REST_TOKEN_EXPIRE_IN_MINUTES", "1"))
	g := hubs[0].grant(t, newPerson(t, "GardenUser"))
	var wg sync.WaitGroup
	var opened [8]bool
	for i := range opened {
		wg.Go(func() { opened[i] = hubs[i%2].opens(t, g.access) })
	}
	wg.Wait()
	assert.NotContains(t, opened, false)
	refreshes := 0
	for _, r := range srv.Faults().Requests() {
		if strings.HasSuffix(r.Path, "/auth/refresh") {
			refreshes++
			assert.Equal(t, http.StatusOK, r.Status)
		}
	}
	assert.NotZero(t, refreshes)

	var status [8]int
	for i := range status {
		wg.Go(func() { status[i], _ = hubs[i%2].refresh(t, g.client, g.refresh) })
	}
	wg.Wait()
	good := 0
	for _, s := range status {
		if s == http.StatusOK {
			good++
		}
	}
	assert.LessOrEqual(t, good, 1)
	assert.False(t, hubs[0].opens(t, g.access), "the others ended the grant")
}

// While Redis does not respond nobody is let in, and nobody is sent to log in again.
func TestRedisDoesNotRespond(t *testing.T) {
	t.Parallel()
	redis := testredis.Start(t)
	store, err := browserlogin.OpenRedis(redis.URL())
	require.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	h := start(t, erptest.New(t), func(o *browserlogin.Options) { o.Store = store })
	g := h.grant(t, newPerson(t, "GardenUser"))
	require.True(t, h.opens(t, g.access))
	redis.Stop()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/mcp", http.NoBody)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+g.access)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	status, out := h.refresh(t, g.client, g.refresh)
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Equal(t, "temporarily_unavailable", out["error"])
}
