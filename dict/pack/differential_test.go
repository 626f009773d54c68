package pack_test

import (
	"context"
	"database/sql"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/pack"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/dictcompare"
)

// installation is a fresh embedded ERP with a client logged in as System and a
// view of its database.
type installation struct {
	client *erp.Client
	db     *sql.DB
}

func install(t testing.TB) installation {
	t.Helper()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, 0)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	db := srv.Database()
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return installation{client, db}
}

func (i installation) snapshot(ctx context.Context, t testing.TB, tables ...dict.Table) *dictcompare.Snapshot {
	t.Helper()
	names := make([]string, len(tables))
	for n, table := range tables {
		names[n] = table.Name
	}
	s, err := dictcompare.ReadSQLite(ctx, i.db, names...)
	require.NoError(t, err)
	return s
}

// A plan run over the REST API and the same plan imported as a package leave the
// same dictionary and the same database tables, for combinations of templates and
// flags in which every two meet. ERPHUB_PROOF=1 takes all combinations.
func TestPackageEqualsREST(t *testing.T) {
	t.Parallel()
	tables := dictcompare.Sample()
	switch {
	case os.Getenv("ERPHUB_PROOF") != "":
		tables = dictcompare.Combinations()
	case testing.Short():
		tables = tables[len(tables)-12:]
	}
	byREST, byPackage := install(t), install(t)
	plan := newPlan(t, nil, tables...)
	_, err := restdict.Run(t.Context(), byREST.client, plan, &restdict.Options{BatchSize: 100})
	require.NoError(t, err)
	result, err := restdict.ImportPackage(t.Context(), byPackage.client, "combinations", archive(t, plan, nil), nil)
	require.NoError(t, err)
	a, b := byREST.snapshot(t.Context(), t, tables...), byPackage.snapshot(t.Context(), t, tables...)
	require.Greater(t, len(a.Rows), len(tables)*8)
	require.Greater(t, len(a.Physical), len(tables)*3)
	report(t, a.Diff(b))

	// Nothing is left to do over REST where the package was imported, and the
	// other way round.
	run, err := restdict.Run(t.Context(), byPackage.client, plan, &restdict.Options{BatchSize: 100})
	require.NoError(t, err)
	assert.Zero(t, run.Count(restdict.Created), "the runner finds every record")
	for _, s := range run.Steps {
		assert.Empty(t, s.Differences, s.Title)
	}
	again, err := restdict.ImportPackage(t.Context(), byREST.client, "combinations", archive(t, plan, nil), nil)
	require.NoError(t, err)
	assert.Contains(t, again.Summary, " 0 new,", "%s", result.Summary)
	report(t, a.Diff(byREST.snapshot(t.Context(), t, tables...)))
}

func report(t *testing.T, differences []string) {
	t.Helper()
	if len(differences) > 0 {
		assert.Fail(t, "they differ", "%d lines, - REST, + package:\n%s", len(differences), strings.Join(differences[:min(20, len(differences))], "\n"))
	}
}

// What the ERP already has is found by its name there and referred to by UUID in
// the archive.
func TestIdentify(t *testing.T) {
	t.Parallel()
	i := install(t)
	client := i.client
	first := dict.NewTable("XX_First").With(dict.Standard, dict.ValueName)
	_, err := restdict.Run(t.Context(), client, newPlan(t, nil, first), nil)
	require.NoError(t, err)
	second := dict.NewTable("XX_Second").With(dict.Standard).Column(dict.Column{Name: "XX_Main_ID", Type: dict.TypeTable,
		Reference: dict.Lookup("XX_Second Main", dict.TableLookup{Table: "XX_First", Display: "Name"})})
	plan := newPlan(t, nil, second)
	_, err = pack.XML(plan, nil)
	var missing *pack.UnresolvedError
	require.ErrorAs(t, err, &missing)
	require.Len(t, missing.Missing, 3, "the table and two of its columns")
	opts := &pack.Options{Resolve: restdict.Identify(t.Context(), client)}
	result, err := restdict.ImportPackage(t.Context(), client, "second", archive(t, plan, opts), nil)
	require.NoError(t, err)
	assert.Contains(t, strings.Join(result.Logs, "\n"), "New AD_Ref_Table")
	s := i.snapshot(t.Context(), t, second)
	assert.Contains(t, strings.Join(s.Rows, "\n"), `ad_display="XX_First.Name"`)
	id, uuid, err := restdict.Identify(t.Context(), client)(dict.Existing{Table: "AD_Table",
		Match: []dict.Match{{Column: "TableName", Value: dict.Text("XX_None"), Fold: true}}})
	require.NoError(t, err)
	assert.Zero(t, id)
	assert.Empty(t, uuid)
}

// A new column gets the texts of its term; own ones are written as a change that
// comes after it, and are there after the first import.
func TestOwnTexts(t *testing.T) {
	t.Parallel()
	i := install(t)
	steps := newPlan(t, nil, dict.NewTable("XX_Words").With(dict.Standard).Column(dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir})).Steps()
	const column = "AD_Column.XX_Words.C_BPartner_ID"
	steps = append(steps, &dict.RecordStep{Key: "texts", Action: dict.Update, Table: "AD_Column", Name: "XX_Words.C_BPartner_ID", Of: column,
		Values: []dict.ColumnValue{{Column: "Name", Value: dict.Text("Payer")}, {Column: "Description", Value: dict.Text("Who pays")}}})
	plan, err := dict.Assemble("words", steps...)
	require.NoError(t, err)
	for range 2 {
		_, err = restdict.ImportPackage(t.Context(), i.client, "words", archive(t, plan, nil), nil)
		require.NoError(t, err)
		var name, description string
		require.NoError(t, i.db.QueryRowContext(t.Context(), `SELECT c.Name, c.Description FROM AD_Column c JOIN AD_Table t ON t.AD_Table_ID=c.AD_Table_ID
			WHERE t.TableName='XX_Words' AND c.ColumnName='C_BPartner_ID'`).Scan(&name, &description))
		assert.Equal(t, "Payer", name)
		assert.Equal(t, "Who pays", description)
	}
}
