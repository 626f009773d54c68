package twin_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// samples are requests that an ERP and its twin respond to alike.
var samples = []struct {
	table string
	q     erp.Query
}{
	{"AD_Table", erp.Query{OrderBy: []string{"AD_Table_ID"}}},
	{"AD_Column", erp.Query{Filter: erp.Eq("AD_Table_ID", 259), OrderBy: []string{"ColumnName"}}},
	{"AD_Column", erp.Query{Filter: erp.Raw("IsEncrypted eq 'Y'"), OrderBy: []string{"AD_Column_ID"}}},
	{"AD_Tab", erp.Query{OrderBy: []string{"AD_Tab_ID desc"}}},
	{"AD_Window", erp.Query{OrderBy: []string{"AD_Window_ID"}}},
	{"AD_Ref_List", erp.Query{OrderBy: []string{"AD_Ref_List_ID"}, Skip: 200}},
	{"AD_Role", erp.Query{OrderBy: []string{"AD_Role_ID"}}},
	{"AD_Window_Access", erp.Query{OrderBy: []string{"AD_Role_ID", "AD_Window_ID"}}},
	{"AD_User", erp.Query{Select: []string{"Name", "EMail", "IsLocked"}, Filter: erp.Eq("Name", "GardenAdmin")}},
	{"C_DocType", erp.Query{OrderBy: []string{"C_DocType_ID"}}},
	{"C_Period", erp.Query{OrderBy: []string{"C_Period_ID"}}},
	{"C_UOM", erp.Query{OrderBy: []string{"C_UOM_ID"}}},
	{"C_Order", erp.Query{OrderBy: []string{"C_Order_ID"}}},
	{"C_Order", erp.Query{Filter: erp.Eq("DocStatus", "DR"), OrderBy: []string{"DocumentNo"}}},
	{"C_Order", erp.Query{Filter: erp.Raw("DocAction eq 'CL'"), OrderBy: []string{"DocumentNo"}}},
	{"C_OrderLine", erp.Query{Filter: erp.Gt("LineNetAmt", 100), OrderBy: []string{"C_OrderLine_ID"}}},
	{"S_ResourceType", erp.Query{OrderBy: []string{"S_ResourceType_ID"}}},
	{"M_Product", erp.Query{Filter: erp.Eq("Value", "Oak"), OrderBy: []string{"Name"}}},
}

// alike compares what two servers respond to the samples.
func alike(t *testing.T, want, got *erp.Client) {
	t.Helper()
	for _, s := range samples {
		a, err := want.Query(t.Context(), s.table, &s.q)
		require.NoError(t, err, s.table)
		b, err := got.Query(t.Context(), s.table, &s.q)
		require.NoError(t, err, s.table)
		about := s.table + " " + s.q.Filter.String()
		require.Len(t, b.Records, len(a.Records), about)
		assert.Equal(t, a.Rows, b.Rows, about)
		if s.q.Filter.IsZero() {
			assert.NotEmpty(t, a.Records, about)
		}
		for i, r := range a.Records {
			if r.String() == b.Records[i].String() {
				continue
			}
			for name, raw := range r.All() {
				other, _ := b.Records[i].Raw(name)
				require.Equal(t, string(raw), string(other), "%s, record %s, %s", about, r.ID(), name)
			}
			require.Equal(t, r.String(), b.Records[i].String(), about)
		}
	}
}

// What the server responds to, the twin does. The fields of windows, a third of all
// rows, are left out unless ERPHUB_PROOF is set.
func TestREST(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	require.NoError(t, srv.SetConfig(t.Context(), "REST_MAX_RECORDS_SIZE", "0"))
	// What the role may not read is reported, and the rest is cloned.
	require.NoError(t, srv.RestrictPath(t.Context(), `v1/models/C_Greeting(/.*)?`, 103, "GET"))
	own := client(t, srv, "GardenAdmin", 11, 102)
	dir := t.TempDir()
	opts := orders()
	var src twin.Source = twin.NewREST(own, &twin.RESTOptions{PageSize: 2000})
	if os.Getenv("ERPHUB_PROOF") == "" {
		src = withoutFields{src}
	}
	var steps int
	opts.Progress = func(p twin.Progress) { steps++ }
	report, err := twin.Clone(t.Context(), src, dir, opts)
	require.NoError(t, err)
	assert.Greater(t, steps, 50)
	assert.Equal(t, report.Rows, verified(t, dir).Rows)
	assert.Equal(t, "known to the test", report.Password)
	for _, r := range report.Tables {
		if r.Table == "C_Greeting" {
			assert.Contains(t, r.Unreadable, "not readable with this login")
			continue
		}
		assert.Empty(t, r.Unreadable, r.Table)
		assert.Empty(t, r.Problem, r.Table)
		assert.Empty(t, r.Unfit, r.Table)
		assert.Empty(t, r.Filled, r.Table)
	}
	assert.Equal(t, "the API leaves out values of this display type", table(t, report, "C_OrderLine").NotCopied["S_ResourceAssignment_ID"])
	assert.EqualValues(t, 60, table(t, report, "C_OrderLine").Rows)
	assert.Positive(t, table(t, report, "C_UOM_Trl").Rows)

	copied := erptest.New(t, erptest.FromTwin(dir))
	require.NoError(t, copied.SetConfig(t.Context(), "REST_MAX_RECORDS_SIZE", "0"))
	alike(t, own, client(t, copied, "GardenAdmin", 11, 102))

	// No secret of the source is in any byte.
	data, err := os.ReadFile(twin.InFolder(dir))
	require.NoError(t, err)
	assert.NotContains(t, string(data), srv.TokenSecret())
	assert.NotContains(t, string(data), "known to the test")
	db := srv.Database()
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT Password FROM AD_User WHERE Password IS NOT NULL UNION SELECT Salt FROM AD_User WHERE Salt IS NOT NULL`)
	require.NoError(t, err)
	defer rows.Close()
	secrets := 0
	for rows.Next() {
		var secret string
		require.NoError(t, rows.Scan(&secret))
		assert.NotContains(t, string(data), secret)
		secrets++
	}
	assert.Positive(t, secrets)
}

// withoutFields is a source that has no fields.
type withoutFields struct{ twin.Source }

func (s withoutFields) Rows(ctx context.Context, q *twin.Query, row func([]any) error) error {
	if q.Table.Name == "AD_Field" {
		return nil
	}
	return s.Source.Rows(ctx, q, row)
}

func TestFromTwin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opts := orders()
	opts.Password = ""
	report, err := twin.Clone(t.Context(), newSmall(database(t, live())), dir, opts)
	require.NoError(t, err)
	before, err := os.ReadFile(twin.InFolder(dir))
	require.NoError(t, err)
	info, err := os.Stat(twin.InFolder(dir))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	one, other := erptest.New(t, erptest.FromTwin(dir)), erptest.New(t, erptest.FromTwin(dir))
	c := client(t, one, "GardenAdmin", 11, 102)
	first, err := c.Query(t.Context(), "C_BPartner", &erp.Query{OrderBy: []string{"C_BPartner_ID"}, Top: 1})
	require.NoError(t, err)
	_, err = c.Update(t.Context(), "C_BPartner", first.Records[0].ID(), map[string]any{"Description": "of one"})
	require.NoError(t, err)
	seen, err := client(t, other, "GardenAdmin", 11, 102).Get(t.Context(), "C_BPartner", first.Records[0].ID(), nil)
	require.NoError(t, err)
	text, _ := seen.Text("Description")
	assert.NotEqual(t, "of one", text)
	require.NoError(t, one.Close())
	after, err := os.ReadFile(twin.InFolder(dir))
	require.NoError(t, err)
	assert.Equal(t, before, after, "the twin is never changed")

	// Users log in with the password that was told, and with no other.
	_, err = logIn(t, other, "GardenAdmin", report.Password)
	require.NoError(t, err)
	_, err = logIn(t, other, "GardenAdmin", "GardenAdmin")
	require.ErrorContains(t, err, "Invalid User ID or Password")

	// Served as it is, the file changes, and says which tables.
	served, err := erptest.Open(t.Context(), erptest.Options{Path: twin.InFolder(dir)})
	require.NoError(t, err)
	require.NoError(t, served.SetConfig(t.Context(), "SOMETHING", "else"))
	third, err := erptest.Open(t.Context(), erptest.FromTwin(dir)) // with what is in the journal only
	require.NoError(t, err)
	assert.NoError(t, third.Close())
	require.NoError(t, served.Close())
	now, err := twin.Verify(t.Context(), twin.InFolder(dir))
	require.NoError(t, err)
	assert.Contains(t, now.Changed, "AD_SysConfig")
	assert.NotContains(t, now.Changed, "C_Order")
}

func TestNoTwin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := erptest.Open(t.Context(), erptest.FromTwin(dir))
	require.ErrorContains(t, err, "make one with erphub sandbox clone")
	plain, err := erptest.Open(t.Context(), erptest.Options{Path: twin.InFolder(dir)})
	require.NoError(t, err)
	require.NoError(t, plain.Close())
	_, err = erptest.Open(t.Context(), erptest.FromTwin(dir))
	require.ErrorContains(t, err, "it is a sandbox, but no twin")
	_, err = twin.Verify(t.Context(), twin.InFolder(dir))
	require.ErrorIs(t, err, twin.ErrNoTwin)
	_, err = twin.Clone(t.Context(), newSmall(database(t, live())), dir, orders())
	require.ErrorContains(t, err, "is no twin, so it stays as it is")
	_, err = erptest.Open(t.Context(), erptest.Options{Path: "x", Twin: dir})
	require.ErrorContains(t, err, "exclude each other")
}

func TestVersionsAndDamage(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	_, err := twin.Clone(t.Context(), newSmall(database(t, live())), source, orders())
	require.NoError(t, err)
	whole, err := os.ReadFile(twin.InFolder(source))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		change func(t *testing.T, path string)
		want   string
		is     error
	}{
		"a newer version": {func(t *testing.T, path string) { mark(t, path, `UPDATE ERPHUB_Twin SET Rows=99 WHERE Name=''`) },
			"it has form 99, a newer one", twin.ErrVersion},
		"an unknown version": {func(t *testing.T, path string) { mark(t, path, `UPDATE ERPHUB_Twin SET Rows=0 WHERE Name=''`) },
			"it has form 0, which this program does not know", twin.ErrVersion},
		"no head":    {func(t *testing.T, path string) { mark(t, path, `DELETE FROM ERPHUB_Twin WHERE Name=''`) }, "clone it again", twin.ErrDamaged},
		"a bad head": {func(t *testing.T, path string) { mark(t, path, `UPDATE ERPHUB_Twin SET Info='{' WHERE Name=''`) }, "clone it again", twin.ErrDamaged},
		"cut off":    {func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, int64(len(whole)/2/4096*4096))) }, "", twin.ErrDamaged},
		"overwritten": {func(t *testing.T, path string) {
			data := append([]byte(nil), whole...)
			for i := len(data) / 4; i < len(data)*3/4; i++ {
				data[i] = 0xa5
			}
			require.NoError(t, os.WriteFile(path, data, 0o600))
		}, "", twin.ErrDamaged},
		"no database": {func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("some text"), 0o600)) }, "", twin.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := twin.InFolder(dir)
			require.NoError(t, os.WriteFile(path, whole, 0o600))
			c.change(t, path)
			_, err := twin.Verify(t.Context(), path)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.want)
			if c.want != "" {
				_, err = erptest.Open(t.Context(), erptest.FromTwin(dir))
				require.ErrorContains(t, err, c.want)
				_, err = erptest.Open(t.Context(), erptest.Options{Path: path})
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}
