package twin_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
	"github.com/erphub/erphub/tokens"
)

// client talks to a server as one of its users.
func client(t *testing.T, srv *erptest.Server, user string, tenant, role int64) *erp.Client {
	t.Helper()
	return clientIn(t, srv, user, tenant, role, 0)
}

// clientIn is client in an organization.
func clientIn(t *testing.T, srv *erptest.Server, user string, tenant, role, org int64) *erp.Client {
	t.Helper()
	token, err := srv.APIToken(t.Context(), user, tenant, role, org, 0)
	require.NoError(t, err)
	c, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)), erp.WithLocale("en_US"))
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// live is the ERP that tests make twins of; they do not write to it. It is in a
// file, so that who reads it keeps nobody from logging in.
var live = sync.OnceValue(func() *erptest.Server {
	srv, err := erptest.Start(context.Background(), erptest.Options{Path: filepath.Join(liveFolder, "live.db")})
	if err != nil {
		panic(err)
	}
	return srv
})

var liveFolder string

func TestMain(m *testing.M) {
	if from := os.Getenv(killedSource); from != "" {
		os.Exit(cloneUntilKilled(from, os.Getenv(killedTarget)))
	}
	folder, err := os.MkdirTemp("", "twin")
	if err != nil {
		panic(err)
	}
	liveFolder = folder
	code := m.Run()
	if err := errors.Join(live().Close(), os.RemoveAll(folder)); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// database reads a server's database.
func database(t *testing.T, srv *erptest.Server) *twin.Database {
	t.Helper()
	db := srv.Database()
	src, err := twin.NewDatabase(db, twin.SQLite, &twin.DatabaseOptions{Origin: "the live ERP"})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, src.Close())
		assert.NoError(t, db.Close())
	})
	return src
}

// fewTables are what [small] has of the dictionary: enough to log in and to read
// orders.
var fewTables = []string{
	"AD_Table", "AD_Column", "AD_Element", "AD_Reference", "AD_Ref_List", "AD_Ref_Table", "AD_Client", "AD_ClientInfo", "AD_Org", "AD_OrgInfo", "AD_Role",
	"AD_Role_OrgAccess", "AD_User", "AD_User_Roles", "AD_User_OrgAccess", "AD_Sequence", "AD_SysConfig", "AD_System", "AD_Language", "AD_Image",
	"AD_Window", "AD_Tab", "AD_Window_Access", "AD_Table_Access", "AD_Column_Access", "AD_Record_Access", "AD_Role_Included", "AD_Message", "AD_EntityType",
	"C_Order", "C_OrderLine", "C_BPartner", "C_BPartner_Location", "C_Location", "C_Country", "C_Region", "C_Currency", "C_UOM", "C_UOM_Trl", "M_Product",
	"M_Product_Category", "C_Tax", "C_TaxCategory", "C_DocType", "M_PriceList", "M_Warehouse", "C_PaymentTerm", "C_BP_Group", "AD_Preference", "AD_Session", "AD_ChangeLog", "AD_Note", "AD_Attachment",
}

// fewIDs are their numbers.
var fewIDs = sync.OnceValue(func() []any {
	db := live().Database()
	defer db.Close()
	return idsOf(db)
})

func idsOf(db *sql.DB) []any {
	var ids []any
	for _, name := range fewTables {
		var id int64
		if err := db.QueryRow(`SELECT AD_Table_ID FROM AD_Table WHERE TableName=?`, name).Scan(&id); err != nil {
			panic(name + ": " + err.Error())
		}
		ids = append(ids, id)
	}
	return ids
}

// small is a source that shows few tables.
type small struct {
	twin.Source
	keys []any
}

func newSmall(src twin.Source) *small { return &small{src, fewIDs()} }

func (s *small) Rows(ctx context.Context, q *twin.Query, row func([]any) error) error {
	if q.By == "" && (q.Table.Name == "AD_Table" || q.Table.Name == "AD_Column") {
		few := *q
		few.By, few.Keys = "AD_Table_ID", s.keys
		q = &few
	}
	return s.Source.Rows(ctx, q, row)
}

// plain leaves values as they are, so that they can be compared.
var plain = mask.Options{Mode: mask.None}

// orders are the options for a twin with all orders.
func orders() twin.Options {
	return twin.Options{Tables: []string{"C_Order", "C_OrderLine"}, Languages: []string{"es_CO"}, Tenants: []string{"*"}, Backoff: 1, Password: "known to the test",
		Masking: plain}
}

// whole is a twin of the live ERP with all orders, that other ones are compared with.
// Tests do not write to it.
var whole = sync.OnceValues(func() (dir string, report *twin.Report) {
	dir = filepath.Join(liveFolder, "whole")
	src, err := twin.NewDatabase(live().Database(), twin.SQLite, &twin.DatabaseOptions{Origin: "the live ERP"})
	if err == nil {
		report, err = twin.Clone(context.Background(), newSmall(src), dir, orders())
	}
	if err = errors.Join(err, src.Close()); err != nil {
		panic(err)
	}
	return dir, report
})

// verified is what a twin says of itself, all rows as cloned.
func verified(t *testing.T, dir string) *twin.Info {
	t.Helper()
	info, err := twin.Verify(t.Context(), twin.InFolder(dir))
	require.NoError(t, err)
	require.Empty(t, info.Changed)
	return info
}

// table is what a report says of a table.
func table(t *testing.T, r *twin.Report, name string) twin.TableReport {
	t.Helper()
	i := slices.IndexFunc(r.Tables, func(x twin.TableReport) bool { return x.Table == name })
	require.GreaterOrEqual(t, i, 0, "the report has no %s", name)
	return r.Tables[i]
}

// mark runs a statement on a twin, beside the ERP.
func mark(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// logIn requests a token with a password.
func logIn(t *testing.T, srv *erptest.Server, user, password string) (string, error) {
	t.Helper()
	m, err := tokens.NewManager(srv.URL(), tokens.WithCredentials(tokens.Login{Username: user, Password: tokens.NewSecret(password), Client: "11", Role: "102", Organization: "11"}))
	require.NoError(t, err)
	return m.Token(t.Context())
}
