package registry_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/registrytest"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

// shop is a small dictionary whose every row is written here.
func shop() *synthdict.Dictionary {
	d := synthdict.Empty()
	d.Add("AD_Reference", synthdict.Row{"AD_Reference_ID": 110, "Name": "AD_User", "ValidationType": "T"})
	d.Add("AD_Ref_Table", synthdict.Row{"AD_Reference_ID": 110, "AD_Table_ID": 114, "AD_Key": 21, "AD_Display": 22})
	d.Add("AD_Reference", synthdict.Row{"AD_Reference_ID": 131, "Name": "_Document Status", "ValidationType": "L"})
	d.Add("AD_Ref_List", synthdict.Row{"AD_Ref_List_ID": 1, "AD_Reference_ID": 131, "Value": "DR", "Name": "Drafted"})
	d.Add("AD_Ref_List", synthdict.Row{"AD_Ref_List_ID": 2, "AD_Reference_ID": 131, "Value": "CO", "Name": "Completed"})
	d.Add("AD_Ref_List", synthdict.Row{"AD_Ref_List_ID": 3, "AD_Reference_ID": 131, "Value": "XX", "Name": "Gone", "IsActive": false})
	d.Add("AD_Reference", synthdict.Row{"AD_Reference_ID": 1000007, "Name": "Signature Pad", "ValidationType": "D"})
	d.Add("AD_Val_Rule", synthdict.Row{"AD_Val_Rule_ID": 52, "Name": "Active partners", "Type": "S", "Code": "C_BPartner.IsActive='Y'"})
	for id, name := range map[int]string{187: "C_BPartner_ID", 289: "DocStatus", 1: "XX_Signature", 2: "SalesRep_ID"} {
		d.Add("AD_Element", synthdict.Row{"AD_Element_ID": id, "ColumnName": name, "Name": "Label of " + name, "PrintName": "P",
			"Description": "About " + name, "Help": "Help of " + name})
	}
	table := func(id int, name string, row synthdict.Row) {
		row["AD_Table_ID"], row["TableName"] = id, name
		if row["Name"] == nil {
			row["Name"] = name
		}
		d.Add("AD_Table", row)
	}
	table(259, "C_Order", synthdict.Row{"Name": "Order", "Description": "Order of a customer", "AccessLevel": "1", "EntityType": "D"})
	table(260, "C_OrderLine", synthdict.Row{"Name": "Order Line", "EntityType": "D"})
	table(291, "C_BPartner", synthdict.Row{"Name": "Business Partner", "EntityType": "D"})
	table(114, "AD_User", synthdict.Row{"EntityType": "D"})
	table(1000001, "XX_Remark", synthdict.Row{"EntityType": "U", "AD_Table_UU": "0123abcd-0000-4000-8000-000000000001"})
	table(1000002, "XX_Old", synthdict.Row{"EntityType": "U", "IsActive": false})
	column := func(id, table int, name string, kind dict.DisplayType, row synthdict.Row) {
		row["AD_Column_ID"], row["AD_Table_ID"], row["ColumnName"], row["AD_Reference_ID"] = id, table, name, int(kind)
		d.Add("AD_Column", row)
	}
	column(21, 114, "AD_User_ID", dict.TypeID, synthdict.Row{"IsKey": true})
	column(22, 114, "Name", dict.TypeString, synthdict.Row{})
	column(2, 259, "C_Order_ID", dict.TypeID, synthdict.Row{"IsKey": true, "IsMandatory": true})
	column(3, 259, "DocStatus", dict.TypeList, synthdict.Row{"AD_Reference_Value_ID": 131, "AD_Element_ID": 289})
	column(4, 259, "C_BPartner_ID", dict.TypeTableDir, synthdict.Row{"AD_Element_ID": 187, "AD_Val_Rule_ID": 52, "Description": "Its own"})
	column(5, 259, "SalesRep_ID", dict.TypeSearch, synthdict.Row{"AD_Element_ID": 2, "AD_Reference_Value_ID": 110})
	column(6, 259, "Secret", dict.TypeString, synthdict.Row{"IsEncrypted": true, "IsSecure": true})
	column(7, 259, "Lines", dict.TypeInteger, synthdict.Row{"ColumnSQL": "(SELECT COUNT(*) FROM C_OrderLine l)"})
	column(8, 259, "Dead", dict.TypeString, synthdict.Row{"IsActive": false})
	column(9, 259, "Nowhere_ID", dict.TypeTableDir, synthdict.Row{})
	column(10, 1000001, "XX_Signature", 1000007, synthdict.Row{"AD_Element_ID": 1})
	column(11, 260, "C_BPartner_ID", dict.TypeTableDir, synthdict.Row{"AD_Element_ID": 187})
	column(12, 77777, "C_BPartner_ID", dict.TypeTableDir, synthdict.Row{}) // of a table that is hidden
	d.Add("AD_TableIndex", synthdict.Row{"AD_TableIndex_ID": 1, "AD_Table_ID": 259, "Name": "c_order_docstatus", "IsUnique": true})
	d.Add("AD_IndexColumn", synthdict.Row{"AD_IndexColumn_ID": 1, "AD_TableIndex_ID": 1, "AD_Column_ID": 4, "SeqNo": 20})
	d.Add("AD_IndexColumn", synthdict.Row{"AD_IndexColumn_ID": 2, "AD_TableIndex_ID": 1, "AD_Column_ID": 3, "SeqNo": 10})
	d.Add("AD_Window", synthdict.Row{"AD_Window_ID": 143, "Name": "Sales Order", "WindowType": "T", "IsSOTrx": true})
	d.Add("AD_Tab", synthdict.Row{"AD_Tab_ID": 1, "AD_Window_ID": 143, "AD_Table_ID": 260, "Name": "Line", "SeqNo": 20, "TabLevel": 1, "AD_Column_ID": 2})
	d.Add("AD_Tab", synthdict.Row{"AD_Tab_ID": 2, "AD_Window_ID": 143, "AD_Table_ID": 259, "Name": "Order", "SeqNo": 10})
	d.Add("AD_Field", synthdict.Row{"AD_Field_ID": 1, "AD_Tab_ID": 2, "AD_Column_ID": 4, "Name": "Partner"})
	d.Add("AD_Field", synthdict.Row{"AD_Field_ID": 2, "AD_Tab_ID": 2, "AD_Column_ID": 3, "Name": "Status", "SeqNo": 10})
	d.Add("AD_Process", synthdict.Row{"AD_Process_ID": 181, "Value": "AD_Column Sync", "Name": "Synchronize Column"})
	d.Add("AD_Process_Para", synthdict.Row{"AD_Process_Para_ID": 1, "AD_Process_ID": 181, "ColumnName": "SalesRep_ID", "SeqNo": 10,
		"AD_Reference_ID": 30, "AD_Reference_Value_ID": 110, "IsMandatory": true})
	return d
}

func catalog(t testing.TB, d *synthdict.Dictionary) *registry.Catalog {
	t.Helper()
	c, err := registry.LoadCatalog(t.Context(), d.Source())
	require.NoError(t, err)
	return c
}

func TestTable(t *testing.T) {
	t.Parallel()
	c := catalog(t, shop())
	table, err := c.Table(t.Context(), "c_ORDER")
	require.NoError(t, err)
	assert.Equal(t, "C_Order", table.Name)
	assert.Equal(t, "Order", table.Label)
	assert.Equal(t, dict.AccessOrg, table.AccessLevel)
	assert.Equal(t, 7, table.ColumnCount)
	var names []string
	for _, column := range table.Columns {
		names = append(names, column.Name)
	}
	assert.Equal(t, []string{"C_Order_ID", "DocStatus", "C_BPartner_ID", "SalesRep_ID", "Secret", "Lines", "Nowhere_ID"}, names,
		"in the order they were made, without the inactive one")

	column := func(name string) registry.Column {
		c, ok := table.Column(name)
		require.True(t, ok, name)
		return c
	}
	status := column("docstatus")
	assert.Equal(t, "_Document Status", status.Reference)
	assert.Equal(t, "List", status.TypeName)
	assert.Equal(t, "About DocStatus", status.Description, "from the element")
	assert.Equal(t, "Label of DocStatus", status.ElementName)
	assert.Empty(t, status.ForeignTable)
	partner := column("C_BPartner_ID")
	assert.Equal(t, "C_BPartner", partner.ForeignTable)
	assert.Equal(t, "Active partners", partner.ValRule)
	assert.Equal(t, "C_BPartner.IsActive='Y'", partner.ValRuleCode)
	assert.Equal(t, "Its own", partner.Description)
	assert.Equal(t, "Help of C_BPartner_ID", partner.Help)
	assert.Equal(t, "AD_User", column("SalesRep_ID").ForeignTable, "by its reference")
	assert.Empty(t, column("Nowhere_ID").ForeignTable, "there is no such table")
	secret, lines := column("Secret"), column("Lines")
	assert.True(t, secret.Encrypted && secret.Secure)
	assert.True(t, lines.Virtual())
	assert.Equal(t, []registry.Column{column("C_Order_ID")}, table.KeyColumns())

	require.Len(t, table.Indexes, 1)
	assert.Equal(t, "DocStatus", table.Indexes[0].Columns[0].Column)
	assert.Equal(t, "C_BPartner_ID", table.Indexes[0].Columns[1].Column)

	all, err := c.Table(t.Context(), "C_Order", registry.WithInactive)
	require.NoError(t, err)
	assert.Len(t, all.Columns, 8)

	own, err := c.Table(t.Context(), "XX_Remark")
	require.NoError(t, err)
	assert.Equal(t, "Signature Pad", own.Columns[0].TypeName, "a display type of the installation")
	assert.True(t, own.Custom())
}

func TestNamesNumbersAndUUIDs(t *testing.T) {
	t.Parallel()
	c := catalog(t, shop())
	for _, name := range []string{"XX_Remark", "xx_remark", "1000001", "0123ABCD-0000-4000-8000-000000000001"} {
		table, err := c.Table(t.Context(), name)
		require.NoError(t, err, name)
		assert.Equal(t, "XX_Remark", table.Name)
	}
	process, err := c.Process(t.Context(), "synchronize column") // by name, too
	require.NoError(t, err)
	assert.Equal(t, 181, process.ID)
	assert.Equal(t, "AD_User", process.Parameters[0].ForeignTable)
}

// A caller may change a result without changing the catalog.
func TestResultsBelongToTheCaller(t *testing.T) {
	t.Parallel()
	c := catalog(t, shop())
	table, err := c.Table(t.Context(), "C_Order")
	require.NoError(t, err)
	table.Columns[0].Name = "Broken"
	table.Indexes[0].Columns[0].Column = "Broken"
	reference, err := c.Reference(t.Context(), "AD_User")
	require.NoError(t, err)
	reference.Lookup.Table = "Broken"
	registrytest.Agree(t, catalog(t, shop()), c)
}

func TestWindowProcessReference(t *testing.T) {
	t.Parallel()
	c := catalog(t, shop())
	window, err := c.Window(t.Context(), "sales order")
	require.NoError(t, err)
	require.Len(t, window.Tabs, 2)
	assert.Equal(t, "C_Order", window.Tabs[0].Table)
	assert.Equal(t, "C_Order_ID", window.Tabs[1].LinkColumn)
	require.Len(t, window.Tabs[0].Fields, 2)
	assert.Equal(t, "DocStatus", window.Tabs[0].Fields[0].Column, "those without a number come last")
	assert.Equal(t, "C_Order", window.Tabs[0].Fields[0].Table)

	status, err := c.Reference(t.Context(), "131")
	require.NoError(t, err)
	assert.Equal(t, registry.ReferenceList, status.Kind)
	require.Len(t, status.Values, 2)
	assert.Equal(t, "CO", status.Values[0].Value)
	status, err = c.Reference(t.Context(), "131", registry.WithInactive)
	require.NoError(t, err)
	assert.Len(t, status.Values, 3)

	user, err := c.Reference(t.Context(), "AD_User")
	require.NoError(t, err)
	require.NotNil(t, user.Lookup)
	assert.Equal(t, "AD_User", user.Lookup.Table)
	assert.Equal(t, "AD_User_ID", user.Lookup.Key)
	assert.Equal(t, "Name", user.Lookup.Display)
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	c := catalog(t, shop())
	for _, tt := range []struct {
		name, wanted string
		suggest      []string
	}{
		{"a letter missing", "C_Ordr", []string{"C_Order"}},
		{"neighbours swapped", "C_Odrer", []string{"C_Order"}},
		{"no underscore", "COrder", []string{"C_Order", "C_OrderLine"}},
		{"no prefix", "Order", []string{"C_Order", "C_OrderLine"}},
		{"other prefix", "M_BPartner", []string{"C_BPartner"}},
		{"a part", "Partner", []string{"C_BPartner"}},
		{"nothing like it", "Quux", nil},
		{"empty", "", nil},
		{"injection", "C_Order'; DROP TABLE x", nil},
		{"very long", strings.Repeat("C_Order", 10_000), nil},
		{"broken text", "C_Ord\xff\xfe", nil},
		{"inactive ones are not offered", "XX_Od", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := c.Table(t.Context(), tt.wanted)
			require.ErrorIs(t, err, registry.ErrNotFound)
			var missing *registry.NotFoundError
			require.ErrorAs(t, err, &missing)
			assert.Equal(t, "table", missing.Kind)
			assert.False(t, missing.Empty)
			if tt.suggest == nil && tt.name != "broken text" {
				assert.Empty(t, missing.Suggestions)
			}
			for i, want := range tt.suggest {
				require.Greater(t, len(missing.Suggestions), i, "%v", missing.Suggestions)
				assert.Equal(t, want, missing.Suggestions[i])
			}
			assert.Less(t, len(err.Error()), 400)
		})
	}
	_, err := c.Window(t.Context(), "Sales Ordre")
	require.ErrorContains(t, err, `there is no window "Sales Ordre" in the dictionary; close to it: Sales Order`)
	_, err = c.Process(t.Context(), "AD_Column Synch")
	require.ErrorContains(t, err, "close to it: AD_Column Sync")
	_, err = c.Reference(t.Context(), "nothing")
	require.ErrorContains(t, err, "search for a part of the name")
	_, err = c.Columns(t.Context(), "C_Ordr", registry.ListQuery{})
	require.ErrorIs(t, err, registry.ErrNotFound)
}

func TestEmptyCatalog(t *testing.T) {
	t.Parallel()
	c := new(registry.Catalog)
	_, err := c.Table(t.Context(), "C_Order")
	require.ErrorContains(t, err, "may not be loaded yet")
	found, err := c.Search(t.Context(), registry.SearchQuery{Text: "order"})
	require.NoError(t, err)
	assert.Zero(t, found)
	tables, err := c.Tables(t.Context(), registry.ListQuery{})
	require.NoError(t, err)
	assert.Zero(t, tables)
	_, err = c.Statistics(t.Context())
	require.NoError(t, err)
}

func TestListing(t *testing.T) {
	t.Parallel()
	c := catalog(t, shop())
	for _, tt := range []struct {
		name  string
		q     registry.ListQuery
		want  string
		total int
	}{
		{"all that is active", registry.ListQuery{}, "AD_User C_BPartner C_Order C_OrderLine XX_Remark", 5},
		{"pattern", registry.ListQuery{Pattern: "c_ord%"}, "C_Order C_OrderLine", 2},
		{"pattern is for the whole name", registry.ListQuery{Pattern: "Order"}, "", 0},
		{"one character", registry.ListQuery{Pattern: "C_Orde_"}, "C_Order", 1},
		{"underscore stands for anything", registry.ListQuery{Pattern: "C%_%r"}, "C_BPartner C_Order", 2},
		{"escaped", registry.ListQuery{Pattern: `C\_O%`}, "C_Order C_OrderLine", 2},
		{"custom", registry.ListQuery{CustomOnly: true}, "XX_Remark", 1},
		{"custom and inactive", registry.ListQuery{CustomOnly: true, Inactive: true}, "XX_Old XX_Remark", 2},
		{"entity type", registry.ListQuery{EntityType: "U"}, "XX_Remark", 1},
		{"limit", registry.ListQuery{Limit: 2}, "AD_User C_BPartner", 5},
		{"page", registry.ListQuery{Limit: 2, Offset: 4}, "XX_Remark", 5},
		{"behind the end", registry.ListQuery{Offset: 9}, "", 5},
		{"negative", registry.ListQuery{Limit: -1, Offset: -7}, "AD_User C_BPartner C_Order C_OrderLine XX_Remark", 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.Tables(t.Context(), tt.q)
			require.NoError(t, err)
			var names []string
			for _, table := range got.Items {
				names = append(names, table.Name)
				assert.Nil(t, table.Columns)
			}
			assert.Equal(t, tt.want, strings.Join(names, " "))
			assert.Equal(t, tt.total, got.Total)
		})
	}

	columns, err := c.Columns(t.Context(), "", registry.ListQuery{Pattern: "C_BPartner_ID"})
	require.NoError(t, err)
	require.Equal(t, 2, columns.Total, "the column of a hidden table is not shown")
	assert.Equal(t, "C_Order", columns.Items[0].Table)
	columns, err = c.Columns(t.Context(), "C_Order", registry.ListQuery{Inactive: true})
	require.NoError(t, err)
	assert.Equal(t, 8, columns.Total)
	columns, err = c.Columns(t.Context(), "", registry.ListQuery{CustomOnly: true})
	require.NoError(t, err)
	assert.Equal(t, 1, columns.Total)

	references, err := c.References(t.Context(), registry.ListQuery{Limit: 1, Offset: 1})
	require.NoError(t, err)
	assert.Equal(t, 3, references.Total)
	assert.Equal(t, "AD_User", references.Items[0].Name)
	processes, err := c.Processes(t.Context(), registry.ListQuery{Pattern: "%COLUMN"})
	require.NoError(t, err)
	assert.Equal(t, 1, processes.Total, "Name is looked at, too")
	custom, err := c.References(t.Context(), registry.ListQuery{CustomOnly: true})
	require.NoError(t, err)
	assert.Equal(t, 1, custom.Total, "numbers of the installation are custom")
}

func TestStatistics(t *testing.T) {
	t.Parallel()
	s, err := catalog(t, shop()).Statistics(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "memory", s.Origin)
	assert.False(t, s.Loaded.IsZero())
	assert.Equal(t, 5, s.Tables)
	assert.Equal(t, 1, s.CustomTables)
	assert.Equal(t, 11, s.Columns)
	assert.Equal(t, 1, s.Virtual)
	assert.Equal(t, 1, s.Encrypted)
	assert.Equal(t, 1, s.Secure)
	assert.Equal(t, 2, s.Inactive, "a table and a column")
	assert.Equal(t, 2, s.References)
	assert.Equal(t, 2, s.ListValues)
	assert.Equal(t, 1, s.Windows)
	assert.Equal(t, 2, s.Tabs)
	assert.Equal(t, 2, s.Fields)
	assert.Equal(t, 1, s.Parameters)
	assert.Equal(t, map[string]int{"D": 4, "U": 1}, s.TablesByEntityType)
	assert.Equal(t, 3, s.ColumnsByType["Table Direct"])
	assert.Equal(t, 1, s.ColumnsByType["Signature Pad"])
}

func TestPointing(t *testing.T) {
	t.Parallel()
	c := catalog(t, shop())
	for table, want := range map[string][]string{
		"c_bpartner":  {"C_Order.C_BPartner_ID", "C_OrderLine.C_BPartner_ID"},
		"AD_User":     {"C_Order.SalesRep_ID"},
		"C_OrderLine": nil,
	} {
		columns, err := c.Pointing(t.Context(), table)
		require.NoError(t, err)
		var got []string
		for _, p := range columns {
			got = append(got, p.Table+"."+p.Column)
		}
		assert.Equal(t, want, got, table)
	}
	_, err := c.Pointing(t.Context(), "C_Ordr")
	require.ErrorIs(t, err, registry.ErrNotFound)
}
