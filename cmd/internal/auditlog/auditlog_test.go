package auditlog_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/cmd/internal/auditlog"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// first is when the first record of the tests was made; each further one is a
// minute later.
var first = time.Date(2026, 3, 9, 14, 0, 0, 0, time.UTC)

// reader is a role of the tenant and all its organizations that is no
// administrator's.
const reader = 50000

// made are the records of the tests, oldest first, with the numbers 1, 2, ...
var made = []struct {
	client, user, role int
	status, sql        string
}{
	{11, 101, 102, "Success", "SELECT name FROM c_bpartner WHERE taxid = '4711-X'"},
	{11, 102, 103, "PermissionDenied", "DELETE FROM c_order"},
	{1000000, 1000000, 1000000, "Success", "SELECT 'of Fern Hollow'"},
	{11, 101, 2999999, "PermissionDenied", "SELECT 1"}, // a role that does not exist
	{0, 100, 0, "Success", "SELECT 'of the System'"},
	{11, 102, 103, "Error", "SELECT\n'Straße', \x1b[2J 1/0 -- cxorder"},
	{11, 101, 102, "Error", "SELECT it's (50%) of \\ C_Order"},
}

// shared is an ERP with the records, for tests that do not change it.
var shared struct {
	once sync.Once
	tb   lasting
	srv  *erptest.Server
}

// lasting is a testing.TB whose cleanups run when all tests are over.
type lasting struct {
	testing.TB
	ended []func()
}

func (l *lasting) Cleanup(f func())         { l.ended = append(l.ended, f) }
func (l *lasting) Context() context.Context { return context.Background() }

func TestMain(m *testing.M) {
	code := m.Run()
	for i := len(shared.tb.ended) - 1; i >= 0; i-- {
		shared.tb.ended[i]()
	}
	os.Exit(code)
}

func recorded(t *testing.T) *erptest.Server {
	t.Helper()
	shared.once.Do(func() {
		shared.tb.TB = t
		shared.srv = install(&shared.tb)
	})
	require.NotNil(t, shared.srv)
	return shared.srv
}

// install makes an ERP with the audit's table, as an installation over REST
// does, and the records.
func install(t testing.TB) *erptest.Server {
	t.Helper()
	srv := erptest.New(t)
	plan, err := aiquery.AuditPlan()
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client(t, srv, "SuperUser", 0, 0), plan, nil)
	require.NoError(t, err)
	change(t, srv, "INSERT INTO AD_User_Roles (AD_Client_ID, AD_Org_ID, IsActive, AD_User_ID, AD_Role_ID, Created, CreatedBy, Updated, UpdatedBy) SELECT AD_Client_ID, AD_Org_ID, 'Y', 102, ?, Created, 0, Updated, 0 FROM AD_Role WHERE AD_Role_ID = ?", reader, reader)
	for i, r := range made {
		at := first.Add(time.Duration(i) * time.Minute).Format(time.DateTime)
		change(t, srv, `INSERT INTO AIG_QueryLog (AIG_QueryLog_ID, AIG_QueryLog_UU, AD_Client_ID, AD_Org_ID, IsActive, Created, CreatedBy, Updated, UpdatedBy,
			AD_User_ID, AD_Role_ID, AIG_QuerySQL, AIG_SecuredSQL, AIG_QueryStatus, AIG_ErrorMessage, AIG_RowCount, AIG_ExecutionTimeMs, AIG_RequestID, AIG_Parameters, AIG_TablesAccessed)
			VALUES (?, ?, ?, 0, 'Y', ?, ?, ?, ?, ?, ?, ?, 'SELECT secured', ?, NULLIF(?, ''), ?, 17, ?, '$1 text(3)', 'C_BPartner')`,
			i+1, uuid(i+1), r.client, at, r.user, at, r.user, r.user, r.role, r.sql, r.status, map[bool]string{true: "", false: "why not"}[r.status == "Success"], i, fmt.Sprint("request ", i+1))
	}
	return srv
}

func uuid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func change(t testing.TB, srv *erptest.Server, statement string, args ...any) {
	t.Helper()
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), statement, args...)
		return err
	}, "*"))
}

func client(t testing.TB, srv *erptest.Server, user string, tenant, role int) *erp.Client {
	t.Helper()
	organization := map[int]int64{103: 11, reader: 11, 1000001: 1000000}[role]
	token, err := srv.APIToken(t.Context(), user, int64(tenant), int64(role), organization, time.Hour)
	require.NoError(t, err)
	c, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	return c
}

func ids(t testing.TB, c *erp.Client, f auditlog.Filter) (list []int64, err error) {
	t.Helper()
	for r, err := range auditlog.List(t.Context(), c, f) {
		if err != nil {
			return list, err
		}
		list = append(list, r.ID)
	}
	return list, nil
}

// The ERP shows the records to administrators, each those of the own tenant, and
// to nobody else.
func TestRoles(t *testing.T) {
	t.Parallel()
	srv := recorded(t)
	for name, tt := range map[string]struct {
		user         string
		tenant, role int
		sees         []int64
	}{
		"administrator":                        {"GardenAdmin", 11, 102, []int64{7, 6, 4, 2, 1}},
		"administrator of another tenant":      {"FernAdmin", 1000000, 1000000, []int64{3}},
		"system administrator":                 {"SuperUser", 0, 0, []int64{5}},
		"user":                                 {"GardenUser", 11, 103, nil},
		"reader of the whole tenant":           {"GardenUser", 11, reader, nil},
		"administrator in the role of a user":  {"GardenAdmin", 11, 103, nil},
		"user of another tenant":               {"FernUser", 1000000, 1000001, nil},
		"super user in the role of a tenant's": {"SuperUser", 11, 103, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := client(t, srv, tt.user, tt.tenant, tt.role)
			got, err := ids(t, c, auditlog.Filter{})
			require.NoError(t, err)
			assert.Equal(t, tt.sees, got)
			err = auditlog.MayRead(t.Context(), c, int64(tt.role))
			if len(tt.sees) > 0 {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, auditlog.ErrDenied)
			require.ErrorIs(t, err, erp.ErrForbidden)
			assert.Contains(t, err.Error(), "tenant administrators")
			_, err = auditlog.Get(t.Context(), c, erp.IntID(1))
			require.ErrorIs(t, err, erp.ErrNotFound)
			// Nor by any other way of the REST API.
			for _, id := range []erp.ID{erp.IntID(1), erp.UUID(uuid(1))} {
				_, err = c.Get(t.Context(), auditlog.TableName, id, nil)
				require.Error(t, err)
				assert.NotContains(t, err.Error(), "4711-X")
			}
			_, err = c.Update(t.Context(), auditlog.TableName, erp.IntID(1), map[string]any{"AIG_QueryStatus": "Error"})
			require.Error(t, err)
			require.Error(t, c.Delete(t.Context(), auditlog.TableName, erp.IntID(1)))
		})
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	c := client(t, recorded(t), "GardenAdmin", 11, 102)
	gardenUser, err := c.Get(t.Context(), "AD_User", erp.IntID(102), nil)
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		f    auditlog.Filter
		want []int64
	}{
		"limit":                       {auditlog.Filter{Limit: 2}, []int64{7, 6}},
		"user by number":              {auditlog.Filter{User: erp.IntID(102)}, []int64{6, 2}},
		"user by UUID":                {auditlog.Filter{User: erp.UUID(gardenUser.UUID())}, []int64{6, 2}},
		"user nobody knows by number": {auditlog.Filter{User: erp.IntID(4711)}, nil},
		"since":                       {auditlog.Filter{Since: first.Add(5 * time.Minute)}, []int64{7, 6}},
		"until":                       {auditlog.Filter{Until: first.Add(time.Minute)}, []int64{1}},
		"since in another zone":       {auditlog.Filter{Since: first.Add(6 * time.Minute).In(time.FixedZone("", 9*3600))}, []int64{7}},
		"between":                     {auditlog.Filter{Since: first.Add(time.Minute), Until: first.Add(4 * time.Minute)}, []int64{4, 2}},
		"status":                      {auditlog.Filter{Status: auditlog.Refused}, []int64{4, 2}},
		"status and user":             {auditlog.Filter{Status: auditlog.Failed, User: erp.IntID(102)}, []int64{6}},
		"contains":                    {auditlog.Filter{Contains: "bpartner"}, []int64{1}},
		"contains is no pattern":      {auditlog.Filter{Contains: "c_order"}, []int64{7, 2}},
		"contains what filters read":  {auditlog.Filter{Contains: `it's (50%) of \ `}, []int64{7}},
		"contains a line break":       {auditlog.Filter{Contains: "select\n'straße'"}, []int64{6}},
		"contains and limit":          {auditlog.Filter{Contains: "c_order", Limit: 1}, []int64{7}},
		"contains an attempt":         {auditlog.Filter{Contains: "x') or contains(AIG_QuerySQL,'"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ids(t, c, tt.f)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
	for name, f := range map[string]auditlog.Filter{
		"limit":  {Limit: -1},
		"times":  {Since: first, Until: first},
		"status": {Status: "Nothing"},
		"text":   {Contains: strings.Repeat("x", 201)},
	} {
		got, err := ids(t, c, f)
		require.ErrorIs(t, err, erp.ErrInvalid, name)
		assert.Empty(t, got, name)
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	c := client(t, recorded(t), "GardenAdmin", 11, 102)
	want := auditlog.Record{
		ID: 2, UUID: uuid(2), Time: first.Add(time.Minute), User: "GardenUser", UserID: 102, AIUser: "GardenUser", AIUserID: 102,
		Role: "GardenWorld User", RoleID: 103, Tenant: "GardenWorld", TenantID: 11, Status: auditlog.Refused, Reason: "why not", Rows: 1, Milliseconds: 17,
		Statement: "DELETE FROM c_order", Secured: "SELECT secured", Parameters: "$1 text(3)", Tables: "C_BPartner", RequestID: "request 2",
	}
	for _, id := range []erp.ID{erp.IntID(2), erp.UUID(uuid(2))} {
		got, err := auditlog.Get(t.Context(), c, id)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	want.Secured = ""
	for r, err := range auditlog.List(t.Context(), c, auditlog.Filter{User: erp.IntID(102), Status: auditlog.Refused}) {
		require.NoError(t, err)
		assert.Equal(t, want, r)
	}
	r, err := auditlog.Get(t.Context(), c, erp.IntID(4))
	require.NoError(t, err)
	assert.Equal(t, int64(2999999), r.RoleID, "a role that does not exist is told, too")
	for _, id := range []erp.ID{erp.IntID(3), erp.IntID(5), erp.IntID(99), erp.UUID(uuid(3))} { // another tenant's, and none
		_, err = auditlog.Get(t.Context(), c, id)
		require.ErrorIs(t, err, erp.ErrNotFound)
	}
}

// What the ERP's administrator changes counts, and what is not there is said.
func TestInstallations(t *testing.T) {
	t.Parallel()
	t.Run("no table", func(t *testing.T) {
		t.Parallel()
		c := client(t, erptest.New(t), "GardenAdmin", 11, 102)
		_, listErr := ids(t, c, auditlog.Filter{})
		_, getErr := auditlog.Get(t.Context(), c, erp.IntID(1))
		for _, err := range []error{listErr, getErr, auditlog.MayRead(t.Context(), c, 102)} {
			require.ErrorIs(t, err, auditlog.ErrNoTable)
			assert.Contains(t, err.Error(), "erphub server api --install")
		}
	})
	t.Run("changed permissions", func(t *testing.T) {
		t.Parallel()
		srv := install(t)
		user, admin := client(t, srv, "GardenUser", 11, 103), client(t, srv, "GardenAdmin", 11, 102)
		change(t, srv, "UPDATE AD_TableValRule SET IsActive = 'N'")
		got, err := ids(t, user, auditlog.Filter{})
		require.NoError(t, err)
		assert.NotEmpty(t, got, "without the rule the ERP shows the table to all")
		require.NoError(t, auditlog.MayRead(t.Context(), user, 103))
		change(t, srv, "UPDATE AD_TableValRule SET IsActive = 'Y'")
		got, err = ids(t, user, auditlog.Filter{})
		require.NoError(t, err)
		assert.Empty(t, got)

		change(t, srv, `INSERT INTO AD_Table_Access (AD_Client_ID, AD_Org_ID, AD_Role_ID, AD_Table_ID, IsActive, IsExclude, AccessTypeRule, IsReadOnly, Created, CreatedBy, Updated, UpdatedBy)
			SELECT 11, 0, 102, AD_Table_ID, 'Y', 'Y', 'A', 'N', Created, 0, Updated, 0 FROM AD_Table WHERE TableName='AIG_QueryLog'`)
		_, err = ids(t, admin, auditlog.Filter{})
		require.ErrorIs(t, err, auditlog.ErrDenied)
		require.ErrorIs(t, err, erp.ErrForbidden)
		_, err = auditlog.Get(t.Context(), admin, erp.IntID(1))
		require.ErrorIs(t, err, auditlog.ErrDenied)

		change(t, srv, "DELETE FROM AIG_QueryLog")
		change(t, srv, "DELETE FROM AD_Table_Access WHERE AD_Role_ID = 102")
		require.NoError(t, auditlog.MayRead(t.Context(), admin, 102), "there is nothing to see, which is no refusal")
		require.ErrorIs(t, auditlog.MayRead(t.Context(), user, 103), auditlog.ErrDenied)
	})
}

// Many records come page by page, each once, though more are made meanwhile.
func TestPages(t *testing.T) {
	t.Parallel()
	srv := install(t)
	const more = 230
	insert := `INSERT INTO AIG_QueryLog (AIG_QueryLog_ID, AIG_QueryLog_UU, AD_Client_ID, AD_Org_ID, IsActive, Created, CreatedBy, Updated, UpdatedBy, AD_User_ID, AD_Role_ID, AIG_QuerySQL, AIG_QueryStatus)
		WITH RECURSIVE n(i) AS (VALUES(?) UNION ALL SELECT i+1 FROM n WHERE i < ?)
		SELECT i, 'uu-' || i, 11, 0, 'Y', '2026-04-01 00:00:00', 101, '2026-04-01 00:00:00', 101, 101, 102, 'SELECT ' || i, 'Success' FROM n`
	change(t, srv, insert, 1001, 1000+more)
	c := client(t, srv, "GardenAdmin", 11, 102)
	next := int64(1000 + more)
	for r, err := range auditlog.List(t.Context(), c, auditlog.Filter{Since: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)}) {
		require.NoError(t, err)
		require.Equal(t, next, r.ID)
		if next%40 == 0 {
			change(t, srv, insert, 2000+next, 2003+next)
		}
		next--
	}
	assert.Equal(t, int64(1000), next)
	got, err := ids(t, c, auditlog.Filter{Contains: "select 1010", Limit: 5})
	require.NoError(t, err)
	assert.Equal(t, []int64{1010}, got)
}

func TestNamesAreTheEngines(t *testing.T) {
	t.Parallel()
	assert.Equal(t, aiquery.AuditTableName, auditlog.TableName)
	for status, of := range map[auditlog.Status]string{
		auditlog.Succeeded: aiquery.StatusSuccess, auditlog.Failed: aiquery.StatusError, auditlog.Refused: aiquery.StatusDenied,
	} {
		assert.Equal(t, of, string(status))
		got, err := auditlog.ParseStatus(strings.ToUpper(of))
		require.NoError(t, err)
		assert.Equal(t, status, got)
	}
}
