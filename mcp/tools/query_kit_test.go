package tools_test

import (
	"context"
	"database/sql"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
	"github.com/erphub/erphub/tokens"
)

// everyWay is one ERP that is reached in every way: three kits, each with
// another backend in front.
type everyWay struct {
	rest, ai, db *kit
	pools        map[backend.Name]*backend.Pool
}

var ways struct {
	once sync.Once
	kits *everyWay
}

// prepared is what the tests find besides the demo data: a table that role 103
// must not see, a help text, a long text.
var prepared = []string{
	`INSERT INTO AD_Table_Access(AD_Table_Access_UU, AD_Role_ID, AD_Table_ID, AD_Client_ID, AD_Org_ID, IsActive, IsExclude, IsReadOnly, AccessTypeRule, Created, Updated, CreatedBy, UpdatedBy)
		SELECT 'a0000000-0000-4000-8000-000000000001', 103, AD_Table_ID, 11, 0, 'Y', 'Y', 'N', 'A', Created, Updated, 100, 100 FROM AD_Table WHERE TableName = 'C_Payment'`,
	`UPDATE AD_Table SET Help = 'A griffin guards the period.', Updated = '2030-01-01 00:00:00' WHERE TableName = 'C_Period'`,
	`UPDATE R_MailText SET MailText = '` + strings.Repeat("ä", 1900) + `'`,
}

// reachable is the ERP that the tests of queries share.
func reachable(t *testing.T) *everyWay {
	t.Helper()
	shared(t) // its clean-up is for all tests
	ways.once.Do(func() { ways.kits = openWays(&common.tb) })
	require.NotNil(t, ways.kits, "the shared ERP did not start")
	return ways.kits
}

// openWays starts an ERP with more rows in it.
func openWays(tb testing.TB, more ...string) *everyWay {
	tb.Helper()
	srv := erptest.New(tb)
	require.NoError(tb, srv.SetConfig(tb.Context(), "REST_MAX_RECORDS_SIZE", "5000")) // the dictionary is read often
	require.NoError(tb, srv.Write(tb.Context(), func(tx *sql.Tx) error {
		for _, statement := range slices.Concat(prepared, more) {
			if _, err := tx.ExecContext(tb.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	}, "*"))
	installAudit(tb, srv)
	engine := aiquery.Options{PerUser: 32, Running: 32}
	open := func() (aiquery.Database, registry.Source) {
		source, err := dbdict.New(srv.Database(), dbdict.SQLite, nil)
		require.NoError(tb, err)
		tb.Cleanup(func() { assert.NoError(tb, source.Close()) })
		db, err := embedded.Open(srv)
		require.NoError(tb, err)
		return db, source
	}
	kept := backend.RegistryOptions{Fresh: time.Hour, Wait: 5 * time.Minute} // nothing changes it
	const patience = 5 * time.Minute                                         // a machine that does other work is not a server that is away
	rest := overREST(tb, srv, backend.RESTOptions{Patience: patience})

	db, source := open()
	overDB, err := backend.NewDB(db, source, &backend.DBOptions{Engine: engine, Registry: kept})
	require.NoError(tb, err)

	served, source := open()
	catalog, err := registry.LoadCatalog(tb.Context(), source)
	require.NoError(tb, err)
	queryEngine, err := aiquery.New(served, catalog, &engine)
	require.NoError(tb, err)
	verifier, err := tokens.NewSecretVerifier([]byte(srv.TokenSecret()))
	require.NoError(tb, err)
	handler, err := httpapi.New(queryEngine, verifier, &httpapi.Options{StatementsPerMinute: 6000, StatementBurst: 500}) // all tests are one user
	require.NoError(tb, err)
	api := httptest.NewServer(handler)
	overAI, err := backend.NewAI(api.URL, &backend.AIOptions{Patience: patience})
	require.NoError(tb, err)
	tb.Cleanup(func() {
		api.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		assert.NoError(tb, queryEngine.Close(ctx))
		assert.NoError(tb, served.Close())
		assert.NoError(tb, overDB.Close(ctx))
	})

	callers := map[string]mcp.Caller{}
	for who, id := range map[login]int{admin: 101, user: 102, root: 100} {
		token, err := srv.APIToken(tb.Context(), who.user, who.client, who.role, who.org, time.Hour)
		require.NoError(tb, err)
		callers[who.user] = mcp.Caller{
			ID: who.user, Token: tokens.NewSecret(token), ClientID: int(who.client), UserID: id, RoleID: int(who.role), OrgID: int(who.org), Known: true,
		}
	}
	for _, who := range []login{admin, user} { // here, because no time limit of a tool holds here
		_, err := rest.Registry(tb.Context(), callers[who.user])
		require.NoError(tb, err)
	}
	w := &everyWay{pools: map[backend.Name]*backend.Pool{}}
	front := func(chosen backend.Name, backends ...backend.Backend) *kit {
		pool, err := backend.NewPool(chosen, backends...)
		require.NoError(tb, err)
		w.pools[chosen] = pool
		set := tools.New(tools.Options{Pool: pool}).Tools()
		require.NoError(tb, set.Check())
		return &kit{srv: srv, rest: rest, set: set, callers: callers}
	}
	w.rest = front(backend.REST, rest, overAI)
	w.ai = front(backend.AI, rest, overAI)
	w.db = front(backend.DB, rest, overDB)
	return w
}

// kits are all of them by name.
func (w *everyWay) kits() map[string]*kit {
	return map[string]*kit{"rest": w.rest, "ai": w.ai, "db": w.db}
}
