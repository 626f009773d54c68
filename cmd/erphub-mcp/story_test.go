package main

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/server"
	"github.com/erphub/erphub/mcp/tools"
	"github.com/erphub/erphub/tokens"
)

// told is what an assistant learned on the way; it must be the same whichever
// backend is in front.
type told struct {
	Found     string          // the table that was meant
	Columns   []string        // of it
	Orders    json.RawMessage // rows under the administrator's role
	Refused   string          // what became of two statements in one
	Created   string
	Inserted  string // name of the new record, read back
	Generated bool
	Deployed  string // how the deployment ended
}

// An assistant that knows no name finds a table, describes it, asks it under a
// role, makes a table of its own, synchronises it, puts a record in, generates
// a plugin and records its deployment: over every backend, with the same
// responses. Over rest and ai the program itself is called; the embedded ERP's
// database is none the program can open, so db is asked over the same server
// in this process.
func TestStory(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after another")
	}
	t.Parallel()
	fronts := []backend.Name{backend.REST, backend.AI, backend.DB}
	stories := map[backend.Name]told{}
	for _, front := range fronts {
		srv := embeddedERP(t)
		installLog(t, srv)
		token := func(user string, client, role, org int64) string {
			token, err := srv.APIToken(t.Context(), user, client, role, org, time.Hour)
			require.NoError(t, err)
			return token
		}
		url, version := "", "2025-11-25"
		if front == backend.DB {
			url, version = overDatabase(t, srv), "2026-07-28"
		} else {
			url = run(t, []string{"ERP_URL=" + srv.URL(), "AI_API_URL=" + aiAPI(t, srv), "BACKEND=" + string(front)}, "--toolsets", "all").url
		}
		admin := connect(t, url, token("GardenAdmin", 11, 102, 11), version)
		root := connect(t, url, token("SuperUser", 0, 0, 0), version)
		stories[front] = story(t, admin, root)
	}
	for front, told := range stories {
		assert.Equal(t, stories[backend.REST], told, "%s", front)
	}
}

func story(t *testing.T, admin, root *sdk.ClientSession) (out told) {
	t.Helper()
	require.Eventually(t, func() bool { // on a busy machine the dictionary takes longer to read than a tool may
		_, failed := call(t, admin, "getStatistics", nil)
		return !failed
	}, 2*time.Minute, time.Millisecond)
	type hits struct{ Hits []struct{ Kind, Name string } }
	for _, h := range do[hits](t, admin, "searchRegistry", args{"query": "business partner"}).Hits {
		if h.Kind == "table" {
			out.Found = h.Name
			break
		}
	}
	require.NotEmpty(t, out.Found)
	type described struct{ Columns []struct{ Name string } }
	for _, c := range do[described](t, admin, "describeTable", args{"table": out.Found, "detail": "names"}).Columns {
		out.Columns = append(out.Columns, c.Name)
	}
	require.NotEmpty(t, out.Columns)
	type rows struct{ Rows json.RawMessage }
	out.Orders = do[rows](t, admin, "executeQuery", args{"sql": "SELECT documentno, grandtotal FROM c_order ORDER BY c_order_id", "maxRows": 3}).Rows
	require.Contains(t, string(out.Orders), "[")
	text, failed := call(t, admin, "executeQuery", args{"sql": "SELECT 1; DROP TABLE c_order"})
	require.True(t, failed, text)
	var refusal struct{ Code string }
	require.NoError(t, json.Unmarshal([]byte(text), &refusal))
	out.Refused = refusal.Code
	_, failed = call(t, admin, "executeQuery", args{"sql": "SELECT count(*) FROM c_order"})
	require.False(t, failed, "the table is still there")

	type made struct{ Status string }
	out.Created = do[made](t, root, "createTable", args{
		"table": "XX_Remark", "label": "Remark", "templates": []string{"VALUE_NAME"}, "columns": []args{{"name": "XX_Kind", "type": "String", "length": 20}},
	}).Status
	type done struct{ Done bool }
	require.True(t, do[done](t, root, "syncTable", args{"table": "XX_Remark"}).Done)
	do[json.RawMessage](t, admin, "createRecord", args{"table": "XX_Remark", "values": args{"Value": "R1", "Name": "said by an assistant", "XX_Kind": "note"}})
	type found struct{ Records []struct{ Name string } }
	records := do[found](t, admin, "searchRecords", args{"tableName": "XX_Remark", "filter": "Value eq 'R1'", "columns": []string{"Name"}}).Records
	require.Len(t, records, 1)
	out.Inserted = records[0].Name

	text, failed = call(t, admin, "generatePlugin", args{"artifactId": "com.example.remark"})
	require.False(t, failed, text)
	out.Generated = assert.Contains(t, text, "MANIFEST.MF")

	type run struct {
		Run struct {
			ID     int
			Status string
		}
	}
	id := do[run](t, root, "startDeployment", args{"environment": "DEV", "version": "1.0.0", "components": "com.example.remark"}).Run.ID
	do[run](t, root, "updateDeployment", args{"id": id, "progress": 80, "deploying": true})
	out.Deployed = do[run](t, root, "completeDeployment", args{"id": id, "status": "SUCCESS"}).Run.Status
	return out
}

// embeddedERP has large pages: its dictionary is read often here.
func embeddedERP(t *testing.T) *erptest.Server {
	t.Helper()
	srv := erptest.New(t)
	require.NoError(t, srv.SetConfig(t.Context(), "REST_MAX_RECORDS_SIZE", "5000"))
	return srv
}

// installLog makes the deployment log's table in the ERP.
func installLog(t *testing.T, srv *erptest.Server) {
	t.Helper()
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, time.Hour)
	require.NoError(t, err)
	source, err := tokens.Static(tokens.NewSecret(token))
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(source))
	require.NoError(t, err)
	plan, err := deploylog.Plan(&deploylog.InstallOptions{NoWindow: true})
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client, plan, &restdict.Options{BatchSize: 200})
	require.NoError(t, err)
}

// openEmbedded is the ERP's database for the engine of queries.
func openEmbedded(t *testing.T, srv *erptest.Server) (aiquery.Database, *dbdict.Source) {
	t.Helper()
	source, err := dbdict.New(srv.Database(), dbdict.SQLite, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, source.Close()) })
	db, err := embedded.Open(srv)
	require.NoError(t, err)
	require.NoError(t, aiquery.Install(t.Context(), db))
	return db, source
}

// aiAPI serves an AI API over the ERP's database.
func aiAPI(t *testing.T, srv *erptest.Server) string {
	t.Helper()
	db, source := openEmbedded(t, srv)
	cache := registry.NewCache(source, nil)
	require.NoError(t, cache.Load(t.Context()))
	engine, err := aiquery.New(db, cache, nil)
	require.NoError(t, err)
	verifier, err := tokens.NewSecretVerifier([]byte(srv.TokenSecret()))
	require.NoError(t, err)
	handler, err := httpapi.New(engine, verifier, nil)
	require.NoError(t, err)
	api := httptest.NewServer(handler)
	t.Cleanup(func() {
		api.Close()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		assert.NoError(t, engine.Close(ctx))
		assert.NoError(t, db.Close())
	})
	return api.URL
}

// overDatabase serves the tools with the ERP's database in front.
func overDatabase(t *testing.T, srv *erptest.Server) string {
	t.Helper()
	db, source := openEmbedded(t, srv)
	front, err := backend.NewDB(db, source, nil)
	require.NoError(t, err)
	rest, err := backend.NewREST(srv.URL(), nil)
	require.NoError(t, err)
	pool, err := backend.NewPool(backend.DB, rest, front)
	require.NoError(t, err)
	limits, err := mcp.NewBoundary(nil)
	require.NoError(t, err)
	verifier, err := tokens.NewIntrospectionVerifier(srv.URL())
	require.NoError(t, err)
	s, err := server.New(server.Options{Catalog: *tools.New(tools.Options{Pool: pool}).Catalog(), Boundary: limits, Verifier: verifier})
	require.NoError(t, err)
	ln, err := httpserver.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-served)
		late, stop := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer stop()
		assert.NoError(t, front.Close(late))
		rest.Close()
	})
	return httpserver.URL(ln.Addr())
}
