package backend_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/tokens"
)

// spy remembers the tokens that were sent.
type spy struct {
	mu   sync.Mutex
	sent map[string]int
}

func (s *spy) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.sent[r.Header.Get("Authorization")]++
	s.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

func (s *spy) take() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = map[string]int{}
	return sent
}

func caller(t *testing.T, srv *erptest.Server, user string, client, role, org int64) mcp.Caller {
	t.Helper()
	token, err := srv.APIToken(t.Context(), user, client, role, org, 0)
	require.NoError(t, err)
	return mcp.Caller{ID: user, Token: tokens.NewSecret(token), ClientID: int(client), RoleID: int(role), OrgID: int(org), Known: true}
}

func TestREST(t *testing.T) {
	seen := &spy{sent: map[string]int{}}
	srv, b := over(t, backend.RESTOptions{Transport: seen, Registry: patient})
	ctx := t.Context()
	admin := caller(t, srv, "GardenAdmin", 11, 102, 11)
	user := caller(t, srv, "GardenUser", 11, 103, 11)

	// Each call carries the caller's token, and a caller without one is refused.
	text, err := b.Check(ctx, admin)
	require.NoError(t, err)
	assert.Equal(t, "the REST API at "+srv.URL()+"/api/v1 responds; the token acts for tenant GardenWorld", text)
	assert.Equal(t, map[string]int{"Bearer " + admin.Token.Reveal(): 1}, seen.take())
	_, err = b.Check(ctx, user)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"Bearer " + user.Token.Reveal(): 1}, seen.take())
	_, err = b.Check(ctx, mcp.Caller{})
	assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code)
	assert.Empty(t, seen.take())

	// Two roles have two dictionaries, each read with its own token.
	reg, err := b.Registry(ctx, admin)
	require.NoError(t, err)
	table, err := reg.Table(ctx, "c_order")
	require.NoError(t, err)
	assert.Equal(t, "C_Order", table.Name)
	for token := range seen.take() {
		assert.Equal(t, "Bearer "+admin.Token.Reveal(), token)
	}
	again, err := b.Registry(ctx, admin)
	require.NoError(t, err)
	assert.Same(t, reg, again)
	assert.Empty(t, seen.take(), "it is kept")
	other, err := b.Registry(ctx, user)
	require.NoError(t, err)
	assert.NotSame(t, reg, other)
	for token := range seen.take() {
		assert.Equal(t, "Bearer "+user.Token.Reveal(), token)
	}

	page, err := b.Search(ctx, admin, backend.Search{Table: "C_BPartner", Filter: "IsCustomer eq true", OrderBy: "Name desc, Value", Select: []string{"Name"}, Limit: 2})
	require.NoError(t, err)
	assert.Len(t, page.Records, 2)
	assert.Greater(t, page.Total, 2)
	var first struct {
		ID   int `json:"id"`
		Name string
	}
	require.NoError(t, page.Records[0].Decode(&first))
	one, err := b.Record(ctx, admin, "C_BPartner", json.Number(jsonInt(first.ID)).String())
	require.NoError(t, err)
	assert.Contains(t, one.String(), first.Name)
	_, err = b.Record(ctx, admin, "C_BPartner", "../../auth/tokens")
	assert.Equal(t, mcp.CodeInvalidArguments, mcp.ErrorOf(err).Code)

	jobs, err := b.Jobs(ctx, caller(t, srv, "SuperUser", 0, 0, 0))
	require.NoError(t, err)
	require.NotEmpty(t, jobs)
	root := caller(t, srv, "SuperUser", 0, 0, 0)
	job, err := b.SetJob(ctx, root, jobs[0].ID, !jobs[0].Enabled)
	require.NoError(t, err)
	assert.Equal(t, !jobs[0].Enabled, job.Enabled)
	_, err = b.Job(ctx, root, "no such job")
	assert.Equal(t, mcp.CodeNotFound, mcp.ErrorOf(err).Code)

	_, err = b.RunProcess(ctx, admin, backend.Run{Process: "no such process"})
	assert.Equal(t, mcp.CodeNotFound, mcp.ErrorOf(err).Code)
}

func jsonInt(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// What the dictionary looked like is asked again once it is no longer fresh,
// and after a change of ours.
func TestRegistryIsAskedAgain(t *testing.T) {
	srv, b := over(t, backend.RESTOptions{Registry: patient})
	ctx := t.Context()
	root := caller(t, srv, "SuperUser", 0, 0, 0)
	reg, err := b.Registry(ctx, root)
	require.NoError(t, err)
	_, err = reg.Table(ctx, "XX_Late")
	require.Error(t, err)

	with, client, err := b.Connect(ctx, root)
	require.NoError(t, err)
	_, err = client.Create(with, "AD_Table", map[string]any{"TableName": "XX_Late", "Name": "Late", "AccessLevel": "3", "EntityType": "U"})
	require.NoError(t, err)
	_, err = reg.Table(ctx, "XX_Late")
	require.Error(t, err, "the dictionary is kept")
	require.NoError(t, b.Refresh(ctx, root))
	reg, err = b.Registry(ctx, root)
	require.NoError(t, err)
	_, err = reg.Table(ctx, "XX_Late")
	require.NoError(t, err)
}

// Callers at the same time share one reading.
func TestRegistryIsReadOnce(t *testing.T) {
	seen := &spy{sent: map[string]int{}}
	srv, b := over(t, backend.RESTOptions{Transport: seen, Registry: patient})
	admin := caller(t, srv, "GardenAdmin", 11, 102, 11)
	_, err := b.Registry(t.Context(), admin)
	require.NoError(t, err)
	once := 0
	for _, n := range seen.take() {
		once += n
	}

	another, err := backend.NewREST(srv.URL(), &backend.RESTOptions{Transport: seen, Registry: patient})
	require.NoError(t, err)
	t.Cleanup(another.Close)
	var wg sync.WaitGroup
	regs := make([]registry.Registry, 16)
	for i := range regs {
		wg.Go(func() {
			r, err := another.Registry(context.WithoutCancel(t.Context()), admin)
			assert.NoError(t, err)
			regs[i] = r
		})
	}
	wg.Wait()
	for _, r := range regs {
		assert.Same(t, regs[0], r)
	}
	together := 0
	for _, n := range seen.take() {
		together += n
	}
	assert.Equal(t, once, together)
}

// expired is a login whose first token has run out.
type expired struct {
	mu    sync.Mutex
	token string // the current one
	next  string
	asked int // how often one was called invalid
}

func (r *expired) Token(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.token, nil
}

func (r *expired) Invalidate(context.Context, string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	r.token = r.next
	return nil
}

// The program's own login is refreshed when the ERP refuses its token; a caller's
// refused token leaves it alone.
func TestOwnLoginIsRefreshed(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	good, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	own := &expired{token: "eyJhbGciOiJIUzUxMiJ9.e30.AAAA", next: good}
	b, err := backend.NewREST(srv.URL(), &backend.RESTOptions{Own: own})
	require.NoError(t, err)
	t.Cleanup(b.Close)

	_, err = b.Check(t.Context(), mcp.Caller{Token: tokens.NewSecret("eyJhbGciOiJIUzUxMiJ9.e30.BBBB")})
	require.Error(t, err)
	assert.Zero(t, own.asked, "a caller's token is not the program's")
	_, err = b.Check(t.Context(), mcp.Caller{})
	require.NoError(t, err)
	assert.Equal(t, 1, own.asked)
}
