package diff_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// assets is a table of which rows exist that the login of the dictionary cannot see.
func assets(more ...dict.Column) dict.Table {
	return dict.NewTable("XX_Asset").With(dict.Standard).Column(
		dict.Column{Name: "Value", Type: dict.TypeString, Length: 40},
		dict.Column{Name: "XX_Note", Type: dict.TypeString, Length: 40}).Column(more...)
}

// withAssets is an ERP that has the table, and a row of a tenant in it.
func withAssets(t *testing.T) (*erptest.Server, server) {
	t.Helper()
	srv, s := startServer(t)
	apply(t, s, assets())
	garden, err := erp.New(srv.URL(), erp.WithTokenSource(srv.TokenSource(erptest.GardenAdmin)))
	require.NoError(t, err)
	_, err = garden.Create(t.Context(), "XX_Asset", map[string]any{"Value": "a1"})
	require.NoError(t, err)
	return srv, s
}

// run brings definitions into the ERP and returns the error.
func run(t *testing.T, s server, tables ...dict.Table) error {
	t.Helper()
	result := compare(t, s, tables...)
	unreadable, err := restdict.Unreadable(t.Context(), s.Client, result.Existing()...)
	require.NoError(t, err)
	for _, table := range unreadable {
		result.Synchronise(table)
	}
	plan, err := diff.NewPlan(result, nil)
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), s.Client, plan, &restdict.Options{RetryWait: -1})
	return err
}

// What the database refuses leaves the table as it was, and readable, in the
// dictionary, too.
func TestRefusedSynchronisation(t *testing.T) {
	t.Parallel()
	must := dict.Column{Name: "XX_Must", Type: dict.TypeString, Length: 10, Mandatory: true}
	fine := dict.Column{Name: "XX_Fine", Label: "Quite fine", Type: dict.TypeString, Length: 10}
	tests := map[string]struct {
		table dict.Table
		says  string
	}{
		"a mandatory column": {assets(must), "taken back, so that the dictionary is as the database: XX_Asset.XX_Must"},
		"one of several":     {assets(fine, must), "XX_Asset.XX_Fine, XX_Asset.XX_Must"},
		"what becomes required": {dict.NewTable("XX_Asset").With(dict.Standard).Column(dict.Column{Name: "Value", Type: dict.TypeString, Length: 60},
			dict.Column{Name: "XX_Note", Type: dict.TypeString, Length: 50, Mandatory: true}), "XX_Asset.Value, XX_Asset.XX_Note"},
	}
	srv, s := withAssets(t)
	want := definition(t, s, "XX_Asset")
	for name, tt := range tests {
		err := run(t, s, tt.table)
		require.ErrorIs(t, err, erp.ErrProcessFailed, name)
		assert.ErrorContains(t, err, tt.says, name)
		assert.Equal(t, want, definition(t, s, "XX_Asset"), name)
		unreadable, err := restdict.Unreadable(t.Context(), s.Client, "XX_Asset")
		require.NoError(t, err)
		assert.Empty(t, unreadable, name)
	}
	for name, fault := range map[string]struct {
		column string
		match  erptest.Match
		do     erptest.Action
		says   string
	}{
		"it cannot be taken back": {"XX_Stays", erptest.Match{Method: http.MethodDelete, Path: "/models/AD_Column/*"}, erptest.Fail(http.StatusForbidden),
			"until XX_Asset is synchronised reading it may fail: XX_Asset.XX_Stays: "},
		"the ERP goes away": {"XX_Lost", erptest.Match{Method: http.MethodPost, Path: "/processes/*"}, erptest.CutBefore(),
			"nobody knows whether it ran: until XX_Asset is synchronised, reading it may fail"},
	} {
		srv.Faults().On(fault.match, fault.do)
		column := must
		column.Name = fault.column
		err := run(t, s, assets(column))
		srv.Faults().Reset()
		require.ErrorContains(t, err, fault.says, name)

		// Anybody sees it, without the checkpoint of the run.
		unreadable, err := restdict.Unreadable(t.Context(), s.Client, "XX_Asset", "C_BPartner", "XX_Asset")
		require.NoError(t, err)
		assert.Equal(t, []string{"XX_Asset", "XX_Asset"}, unreadable, name)
		// A definition that the database takes repairs it.
		column.Mandatory = false
		require.NoError(t, run(t, s, assets(column)), name)
		unreadable, err = restdict.Unreadable(t.Context(), s.Client, "XX_Asset")
		require.NoError(t, err)
		assert.Empty(t, unreadable, name)
		require.NoError(t, run(t, s, assets()), name)
	}
}

// A dictionary that is ahead of its database and as the definitions say is brought
// into the database by the next plan.
func TestDatabaseBehind(t *testing.T) {
	t.Parallel()
	srv, s := withAssets(t)
	more := assets(dict.Column{Name: "XX_More", Type: dict.TypeString, Length: 10})
	for name, table := range map[string]dict.Table{"a column": more, "a table": dict.NewTable("XX_Other").With(dict.Standard, dict.ValueName)} {
		srv.Faults().On(erptest.Match{Method: http.MethodPost, Path: "/processes/*"}, erptest.CutBefore())
		require.Error(t, run(t, s, table), name)
		srv.Faults().Reset()
		result := compare(t, s, table)
		require.True(t, result.Empty(), name)
		unreadable, err := restdict.Unreadable(t.Context(), s.Client, result.Existing()...)
		require.NoError(t, err)
		require.Equal(t, []string{table.Name}, unreadable, name)
		result.Synchronise(table.Name)
		assert.Contains(t, text(t, result), "~ database "+table.Name+"  behind the dictionary", name)
		assert.Contains(t, text(t, result), "1 to change", name)
		require.NoError(t, run(t, s, table), name)
		unreadable, err = restdict.Unreadable(t.Context(), s.Client, table.Name)
		require.NoError(t, err)
		assert.Empty(t, unreadable, name)
	}
}
