package restdict_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// The deployment log comes into being and can be used.
func TestRunDeployLog(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another")
	}
	t.Parallel()
	srv, client := start(t)
	plan := newPlan(t, deploylog.Table())
	var kinds []restdict.EventKind
	result, err := restdict.Run(t.Context(), client, plan, &restdict.Options{Observe: func(e restdict.Event) {
		kinds = append(kinds, e.Kind)
	}})
	require.NoError(t, err)
	assert.Equal(t, plan.Len(), result.CountStatus(restdict.Done))
	assert.Equal(t, 26, srv.Faults().Count(erptest.Match{Method: http.MethodPost, Path: "/models/AD_Column"}),
		"one request per column")
	processes := 0
	for _, step := range plan.Steps() {
		if _, ok := step.(*dict.RunStep); ok {
			processes++
		}
	}
	assert.Equal(t, processes, srv.Faults().Count(erptest.Match{Method: http.MethodPost, Path: "/processes/*"}),
		"one synchronisation, and one run per index")
	assert.Len(t, kinds, result.Count(restdict.Found)+2*(plan.Len()-result.Count(restdict.Found)))

	rec, err := client.Create(t.Context(), "xx_deploy_log", map[string]any{
		"Environment": "DEV", "Status": "B", "Version": "1.0.0", "DateStarted": "2026-01-01T10:00:00Z"})
	require.NoError(t, err)
	status, _ := rec.Code("Status")
	assert.Equal(t, "B", status)
	_, err = client.Create(t.Context(), "xx_deploy_log", map[string]any{"Environment": "DEV", "Status": "?", "Version": "1.0.0"})
	require.Error(t, err, "the list of Status is checked")
	page, err := client.Query(t.Context(), "xx_deploy_log", &erp.Query{
		Filter: erp.IsNull("DateCompleted"), OrderBy: []string{erp.Desc("DateStarted")}})
	require.NoError(t, err)
	assert.Len(t, page.Records, 1)
}

// Running a plan again changes nothing and sends no creation.
func TestRunAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another")
	}
	t.Parallel()
	srv, client := start(t)
	plan := newPlan(t, twentyColumns())
	_, err := restdict.Run(t.Context(), client, plan, nil)
	require.NoError(t, err)
	before := dictionary(t.Context(), t, client, "XX_Trial")
	srv.Faults().Reset()

	result, err := restdict.Run(t.Context(), client, plan, nil)
	require.NoError(t, err)
	assert.Zero(t, result.Count(restdict.Created))
	assert.Zero(t, srv.Faults().Count(erptest.Match{Method: http.MethodPost, Path: "/models/..."}))
	assert.Equal(t, before, dictionary(t.Context(), t, client, "XX_Trial"))
	for _, s := range result.Steps {
		assert.Empty(t, s.Differences, "%s differs from its own plan", s.Title)
	}
}

// A table that is there gets the columns it lacks, under whatever UUIDs it has,
// in the dictionary and in the database.
func TestRunAddsColumns(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	small := dict.NewTable("XX_Grow").WithAccessLevel(dict.AccessAll).With(dict.Standard)
	other, err := dict.NewPlan(&dict.Options{Namespace: dict.UUIDv5(dict.Namespace, "somebody else")}, small)
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client, other, nil)
	require.NoError(t, err)

	grown := small.Column(dict.Column{Name: "Note", Type: dict.TypeString, Length: 40}).WithDescription("Grown")
	result, err := restdict.Run(t.Context(), client, newPlan(t, grown), nil)
	require.NoError(t, err)
	step, ok := result.Step("AD_Column.XX_Grow.Note")
	require.True(t, ok)
	assert.Equal(t, restdict.Created, step.Outcome)
	table, ok := result.Step("XX_Grow")
	require.True(t, ok)
	assert.Equal(t, restdict.Found, table.Outcome)
	assert.Equal(t, []restdict.Difference{{Column: "Description", Has: "", Wanted: "Grown"}}, table.Differences)
	_, err = client.Create(t.Context(), "XX_Grow", map[string]any{"Note": "there"})
	require.NoError(t, err, "the database has the new column")
}

func TestRunReusesElements(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	made, err := client.Create(t.Context(), "AD_Element", map[string]any{
		"ColumnName": "xx_REMARK", "Name": "Bemerkung", "PrintName": "Bemerkung", "EntityType": "U"})
	require.NoError(t, err)
	result, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), nil)
	require.NoError(t, err)
	step, ok := result.Step("AD_Element.xx_remark")
	require.True(t, ok)
	assert.Equal(t, restdict.Found, step.Outcome)
	assert.Equal(t, made.ID(), step.ID)
}

// What a plan refers to and the ERP does not have is reported all at once,
// before anything is made.
func TestRunMissing(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	table := dict.NewTable("XX_Lost").With(dict.Standard).Column(
		dict.Column{Name: "XX_Nowhere_ID", Type: dict.TypeTableDir},
		dict.Column{Name: "XX_List", Type: dict.TypeList, Length: 2, Reference: dict.ExistingReference("XX No Such List", 0, "")},
		dict.Column{Name: "XX_Pick_ID", Type: dict.TypeTable,
			Reference: dict.Lookup("XX_Lost Pick", dict.TableLookup{Table: "C_BPartner", Display: "NoSuchColumn"})},
		dict.Column{Name: "XX_Rule_ID", Type: dict.TypeSearch, ValRule: "No such rule, (really)",
			Reference: dict.ExistingReference("AD_User", 110, "AD_User")},
	)
	_, err := restdict.Run(t.Context(), client, newPlan(t, table), nil)
	var missing *restdict.MissingError
	require.ErrorAs(t, err, &missing)
	var what []string
	for _, m := range missing.Missing {
		what = append(what, m.Table+" "+m.What)
	}
	assert.ElementsMatch(t, []string{
		"AD_Table TableName=XX_Nowhere",
		"AD_Reference Name=XX No Such List",
		"AD_Column AD_Table_ID=AD_Table(TableName=C_BPartner), ColumnName=NoSuchColumn",
		"AD_Val_Rule Name=No such rule, (really)",
	}, what)
	assert.Contains(t, err.Error(), "nothing was changed")
	assert.Contains(t, err.Error(), "no AD_Table with TableName=XX_Nowhere, needed by AD_Column.XX_Lost.XX_Nowhere_ID")
	for _, r := range srv.Faults().Requests() {
		assert.Equal(t, http.MethodGet, r.Method, "%s %s", r.Method, r.Path)
	}
}

// An inactive record is neither used nor doubled.
func TestRunInactive(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	plan := newPlan(t, twentyColumns())
	result, err := restdict.Run(t.Context(), client, plan, nil)
	require.NoError(t, err)
	column, _ := result.Step("AD_Column.XX_Trial.XX_Due")
	_, err = client.Update(t.Context(), "AD_Column", column.ID, map[string]any{"IsActive": false})
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client, plan, nil)
	require.ErrorIs(t, err, restdict.ErrInactive)
	var run *restdict.RunError
	require.ErrorAs(t, err, &run)
	assert.Equal(t, dict.Key("AD_Column.XX_Trial.XX_Due"), run.Failed[0].Key)
	assert.Contains(t, err.Error(), "create AD_Column XX_Trial.XX_Due: ")
	assert.Contains(t, err.Error(), "activate it or remove it")
}

// A role that may not change the dictionary gets a clear error.
func TestRunWithoutRights(t *testing.T) {
	t.Parallel()
	srv, _ := start(t)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken("not.a.token")))
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), nil)
	require.ErrorIs(t, err, erp.ErrUnauthorized)
}

func TestReadColumns(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	_, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), nil)
	require.NoError(t, err)
	columns, err := restdict.ReadColumns(t.Context(), client, "xx_trial")
	require.NoError(t, err)
	want := twentyColumns().AllColumns()
	require.Len(t, columns, len(want))
	byName := map[string]dict.Column{}
	for _, c := range columns {
		byName[c.Name] = c
	}
	for _, w := range want {
		got, ok := byName[w.Name]
		require.True(t, ok, w.Name)
		assert.Equal(t, w.Type, got.Type, w.Name)
		assert.Equal(t, w.Length, got.Length, w.Name)
		assert.Equal(t, w.Mandatory, got.Mandatory, w.Name)
		assert.Equal(t, w.Key, got.Key, w.Name)
		assert.Equal(t, w.Identifier, got.Identifier, w.Name)
		assert.Equal(t, w.Default, got.Default, w.Name)
	}
	assert.Equal(t, "C_BPartner", byName["Bill_BPartner_ID"].Reference.Target)

	_, err = restdict.ReadColumns(t.Context(), client, "XX_Nope")
	require.ErrorIs(t, err, erp.ErrNotFound)

	target, err := restdict.ReadColumns(t.Context(), client, "XX_Trial")
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client,
		newPlan(t, dict.NewTable("XX_I_Trial").WithAccessLevel(dict.AccessAll).With(dict.Standard).ImportInto("XX_Trial", target)), nil)
	require.NoError(t, err)
	_, err = client.Create(t.Context(), "XX_I_Trial", map[string]any{"Value": "half a row"})
	require.NoError(t, err)
}
