package registry_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/registrytest"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

// odd is the shop with rows that refer to each other in unusual ways.
func odd() *synthdict.Dictionary {
	d := shop()
	d.Add("AD_Table", synthdict.Row{"AD_Table_ID": 500, "TableName": "XX_Odd", "Name": "Odd", "AD_Window_ID": 900})
	column := func(id int, name string, kind dict.DisplayType, row synthdict.Row) {
		row["AD_Column_ID"], row["AD_Table_ID"], row["ColumnName"], row["AD_Reference_ID"] = id, 500, name, int(kind)
		d.Add("AD_Column", row)
	}
	column(60, "XX_Renamed_ID", dict.TypeSearch, synthdict.Row{"AD_Element_ID": 187, "AD_Reference_Value_ID": 110}) // the element has another name
	column(61, "Lost", dict.TypeString, synthdict.Row{"AD_Element_ID": 4711, "AD_Val_Rule_ID": 4712, "AD_Process_ID": 4713, "AD_Reference_Value_ID": 4714})
	column(62, "Twice", dict.TypeString, synthdict.Row{"AD_Element_ID": 71})
	column(63, "Sync", dict.TypeButton, synthdict.Row{"AD_Process_ID": 181})
	d.Add("AD_Element", synthdict.Row{"AD_Element_ID": 70, "ColumnName": "twice", "Name": "First"})
	d.Add("AD_Element", synthdict.Row{"AD_Element_ID": 71, "ColumnName": "Twice", "Name": "Second"})
	d.Add("AD_Window", synthdict.Row{"AD_Window_ID": 900, "Name": "Odd", "IsActive": false})
	d.Add("AD_Window", synthdict.Row{"AD_Window_ID": 901, "Name": "ODD"})
	d.Add("AD_Tab", synthdict.Row{"AD_Tab_ID": 90, "AD_Window_ID": 901, "AD_Table_ID": 500, "Name": "Odd", "SeqNo": 10, "AD_Column_ID": 11})
	d.Add("AD_Field", synthdict.Row{"AD_Field_ID": 90, "AD_Tab_ID": 90, "AD_Column_ID": 5, "Name": "Of another table"})
	d.Add("AD_TableIndex", synthdict.Row{"AD_TableIndex_ID": 9, "AD_Table_ID": 500, "Name": "odd"})
	d.Add("AD_IndexColumn", synthdict.Row{"AD_IndexColumn_ID": 9, "AD_TableIndex_ID": 9, "AD_Column_ID": 10, "SeqNo": 10})
	return d
}

func TestScope(t *testing.T) {
	t.Parallel()
	whole, err := registry.LoadCatalog(t.Context(), odd().Source())
	require.NoError(t, err)
	for name, scope := range map[string]registry.Scope{
		"nothing":              {},
		"a table":              {Tables: []string{"C_Order"}},
		"in another case":      {Tables: []string{"c_order"}, References: []string{"ad_user"}, Windows: []string{"sales order"}, Elements: []string{"SALESREP_id"}},
		"by number":            {Tables: []string{"259"}, References: []string{"131"}, Windows: []string{"143"}},
		"odd rows":             {Tables: []string{"XX_Odd"}, TableWindows: true},
		"windows of one name":  {Windows: []string{"900", "Odd"}},
		"a table twice":        {Tables: []string{"XX_Odd", "500", "xx_odd"}},
		"what is not there":    {Tables: []string{"No"}, Windows: []string{"No"}, References: []string{"No"}, Elements: []string{"No", ""}},
		"a window alone":       {Windows: []string{"Sales Order"}},
		"deactivated":          {Tables: []string{"XX_Old"}},
		"lists and lookups":    {References: []string{"_Document Status", "AD_User", "Signature Pad"}},
		"elements of one name": {Elements: []string{"Twice", "C_BPartner_ID"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := odd().Source()
			got, err := registry.LoadScope(t.Context(), source, scope)
			require.NoError(t, err)
			if name == "what is not there" {
				scope.Elements = scope.Elements[:1]
			}
			registrytest.AgreeWithin(t, whole, got, scope)
			assert.Zero(t, source.Reads("AD_Process_Para"))
			assert.LessOrEqual(t, source.Reads("AD_Column"), 3)
		})
	}
}

// What was not read is an error that says so, never an empty list.
func TestScopeRefuses(t *testing.T) {
	t.Parallel()
	c, err := registry.LoadScope(t.Context(), odd().Source(), registry.Scope{Tables: []string{"C_OrderLine"}})
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		ask        func(context.Context) error
		kind, what string
	}{
		"a table":              {func(ctx context.Context) error { _, err := c.Table(ctx, "c_order"); return err }, "table", "C_Order"},
		"columns of a table":   {func(ctx context.Context) error { _, err := c.Columns(ctx, "XX_Odd", registry.ListQuery{}); return err }, "table", "XX_Odd"},
		"a table read in part": {func(ctx context.Context) error { _, err := c.Table(ctx, "AD_User"); return err }, "table", "AD_User"},
		"all columns":          {func(ctx context.Context) error { _, err := c.Columns(ctx, "", registry.ListQuery{}); return err }, "list of columns", ""},
		"all tables":           {func(ctx context.Context) error { _, err := c.Tables(ctx, registry.ListQuery{}); return err }, "list of tables", ""},
		"a window":             {func(ctx context.Context) error { _, err := c.Window(ctx, "Sales Order"); return err }, "window", "Sales Order"},
		"a reference":          {func(ctx context.Context) error { _, err := c.Reference(ctx, "131"); return err }, "reference", "_Document Status"},
		"an element":           {func(ctx context.Context) error { _, err := c.Element(ctx, "DocStatus"); return err }, "element", "DocStatus"},
		"an element by number": {func(ctx context.Context) error { _, err := c.Element(ctx, "289"); return err }, "element", "289"},
		"an element not there": {func(ctx context.Context) error { _, err := c.Element(ctx, "No"); return err }, "element", "No"},
		"a process":            {func(ctx context.Context) error { _, err := c.Process(ctx, "AD_Column Sync"); return err }, "process", "AD_Column Sync"},
		"processes":            {func(ctx context.Context) error { _, err := c.Processes(ctx, registry.ListQuery{}); return err }, "list of processes", ""},
		"search": {func(ctx context.Context) error {
			_, err := c.Search(ctx, registry.SearchQuery{Text: "order"})
			return err
		}, "search", ""},
		"statistics": {func(ctx context.Context) error { _, err := c.Statistics(ctx); return err }, "statistics", ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := tt.ask(t.Context())
			var refused *registry.ScopeError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, registry.ScopeError{Kind: tt.kind, Name: tt.what}, *refused)
			assert.NotErrorIs(t, err, registry.ErrNotFound)
			assert.Contains(t, err.Error(), "read the whole dictionary")
		})
	}
	_, err = c.Table(t.Context(), "No_Such_Table")
	require.ErrorIs(t, err, registry.ErrNotFound)
	head, err := c.Table(t.Context(), "C_Order", registry.WithoutColumns)
	require.NoError(t, err)
	assert.Equal(t, "Order", head.Label)
	assert.Empty(t, head.Columns)
}

func TestScopeErrors(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := registry.LoadScope(ctx, odd().Source(), registry.Scope{Tables: []string{"C_Order"}})
	require.ErrorIs(t, err, context.Canceled)
	_, err = registry.LoadScope(t.Context(), synthdict.Empty().Source(), registry.Scope{Tables: []string{"C_Order"}})
	require.ErrorContains(t, err, "no tables")
}
