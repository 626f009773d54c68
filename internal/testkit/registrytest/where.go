package registrytest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
)

// rows is a sink that keeps the rows of each table as texts.
type rows struct {
	mu  sync.Mutex // guards all
	all map[int][][]registry.SourceValue
}

func (r *rows) Begin(table int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[table] = nil
}

func (r *rows) Row(table int, values []registry.SourceValue) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[table] = append(r.all[table], slices.Clone(values))
	return nil
}

// read reads tables and gives the rows of each.
func read(t *testing.T, source registry.Source, tables ...registry.SourceTable) (map[int][][]registry.SourceValue, []registry.Stamp) {
	t.Helper()
	sink := &rows{all: map[int][][]registry.SourceValue{}}
	stamps, err := source.Read(t.Context(), tables, sink)
	require.NoError(t, err)
	return sink.all, stamps
}

func sourceTable(t *testing.T, name string) registry.SourceTable {
	t.Helper()
	tables := registry.SourceTables()
	at := slices.IndexFunc(tables, func(s registry.SourceTable) bool { return s.Name == name })
	require.GreaterOrEqual(t, at, 0, name)
	return tables[at]
}

// conditions holds what a source gives for tables with conditions against the
// rows of the whole table that meet them.
func (s Subject) conditions(t *testing.T) {
	column, element, tables := sourceTable(t, "AD_Column"), sourceTable(t, "AD_Element"), sourceTable(t, "AD_Table")
	whole, _ := read(t, s.Source, column, element, tables)
	at := func(table registry.SourceTable, name string) int {
		return slices.IndexFunc(table.Columns, func(c registry.SourceColumn) bool { return c.Name == name })
	}
	ints := func(table int, source registry.SourceTable, name string) []int {
		var out []int
		for _, row := range whole[table] {
			out = append(out, int(row[at(source, name)].Int))
		}
		return out
	}
	var names []string
	for _, row := range whole[1] {
		names = append(names, row[at(element, "ColumnName")].Text)
	}
	columnIDs, tableIDs := ints(0, column, "AD_Column_ID"), ints(2, tables, "AD_Table_ID")
	many := columnIDs[:min(len(columnIDs), 900)] // more than fit into one request
	for name, tt := range map[string]struct {
		place int
		table registry.SourceTable
		where []registry.SourceCondition
		some  bool // rows meet it
	}{
		"one number":               {0, column, []registry.SourceCondition{{Column: "AD_Table_ID", Ints: tableIDs[:1]}}, true},
		"many numbers":             {0, column, []registry.SourceCondition{{Column: "AD_Column_ID", Ints: many}}, true},
		"a number twice":           {0, column, []registry.SourceCondition{{Column: "AD_Column_ID", Ints: []int{many[0], many[0]}}}, true},
		"either of two":            {0, column, []registry.SourceCondition{{Column: "AD_Table_ID", Ints: tableIDs[:2]}, {Column: "AD_Column_ID", Ints: many[:20]}}, true},
		"many of two":              {0, column, []registry.SourceCondition{{Column: "AD_Table_ID", Ints: tableIDs}, {Column: "AD_Column_ID", Ints: many}}, true},
		"texts":                    {1, element, []registry.SourceCondition{{Column: "ColumnName", Texts: names[:3]}}, true},
		"texts in capital letters": {1, element, []registry.SourceCondition{{Column: "ColumnName", Texts: []string{strings.ToUpper(names[0])}}}, true},
		"texts in small letters":   {1, element, []registry.SourceCondition{{Column: "ColumnName", Texts: []string{strings.ToLower(names[0])}}}, true},
		"many texts":               {1, element, []registry.SourceCondition{{Column: "ColumnName", Texts: names[:min(len(names), 400)]}}, true},
		"texts and numbers": {1, element, []registry.SourceCondition{{Column: "ColumnName", Texts: names[:1]},
			{Column: "AD_Element_ID", Ints: ints(1, element, "AD_Element_ID")[1:3]}}, true},
		"texts that need quoting": {1, element, []registry.SourceCondition{{Column: "ColumnName", Texts: []string{"a,b", "it's", "x) or (1 eq 1", "Ä", names[0]}}}, true},
		"no such number":          {0, column, []registry.SourceCondition{{Column: "AD_Table_ID", Ints: []int{-5}}}, false},
		"no such text":            {1, element, []registry.SourceCondition{{Column: "ColumnName", Texts: []string{"No_Such_Column"}}}, false},
		"no such letter":          {1, element, []registry.SourceCondition{{Column: "ColumnName", Texts: []string{"Ölstand"}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			tt.table.Where = tt.where
			want := []string{}
			for _, row := range whole[tt.place] {
				if tt.table.Meets(row) {
					want = append(want, fmt.Sprint(row))
				}
			}
			require.Equal(t, tt.some, len(want) > 0)
			got, stamps := read(t, s.Source, tt.table)
			texts := []string{}
			for _, row := range got[0] {
				texts = append(texts, fmt.Sprint(row))
			}
			slices.Sort(want) // thousands, which ElementsMatch compares each with each
			slices.Sort(texts)
			assert.Equal(t, want, texts)
			assert.Equal(t, len(want), stamps[0].Rows)
			assert.False(t, stamps[0].Missing)
		})
	}
}

// scopes holds catalogs of a part against the whole.
func (s Subject) scopes(t *testing.T) {
	want := s.Want
	if want == nil {
		whole, err := registry.LoadCatalog(t.Context(), s.Source)
		require.NoError(t, err)
		want = whole
	}
	all := registry.ListQuery{Inactive: true}
	tables, err := want.Tables(t.Context(), all)
	require.NoError(t, err)
	windows, err := want.Windows(t.Context(), all)
	require.NoError(t, err)
	references, err := want.References(t.Context(), all)
	require.NoError(t, err)
	scope := registry.Scope{Tables: []string{s.Table}, TableWindows: true}
	for i := 0; i < len(tables.Items); i += 1 + len(tables.Items)/12 {
		scope.Tables = append(scope.Tables, tables.Items[i].Name)
	}
	for i := 0; i < len(windows.Items); i += 1 + len(windows.Items)/5 {
		scope.Windows = append(scope.Windows, windows.Items[i].Name)
	}
	for i := 0; i < len(references.Items); i += 1 + len(references.Items)/9 {
		scope.References = append(scope.References, references.Items[i].Name)
	}
	got, err := registry.LoadScope(t.Context(), s.Source, scope)
	require.NoError(t, err)
	AgreeWithin(t, want, got, scope)
}

// AgreeWithin compares everything that two registries say about a scope, of
// which got may know no more.
func AgreeWithin(t testing.TB, want, got registry.Registry, scope registry.Scope) {
	t.Helper()
	ctx := t.Context()
	elements := slices.Clone(scope.Elements)
	references, windows := slices.Clone(scope.References), slices.Clone(scope.Windows)
	for _, name := range scope.Tables {
		same(t, name, want.Table, got.Table)
		info, err := want.Table(ctx, name, registry.WithInactive)
		if err != nil {
			continue
		}
		if scope.TableWindows && info.WindowID != 0 {
			windows = append(windows, fmt.Sprint(info.WindowID))
			if w, err := want.Window(ctx, fmt.Sprint(info.WindowID)); err == nil {
				windows = append(windows, w.Name) // which another window may have, too
			}
		}
		for _, c := range info.Columns {
			elements = append(elements, c.Name)
			if c.ReferenceID != 0 {
				references = append(references, fmt.Sprint(c.ReferenceID))
			}
		}
		q := registry.ListQuery{Inactive: true}
		w, err := want.Columns(ctx, name, q)
		require.NoError(t, err)
		g, err := got.Columns(ctx, name, q)
		require.NoError(t, err)
		require.Equal(t, w, g)
	}
	slices.Sort(elements)
	for _, name := range slices.Compact(elements) {
		w, wantErr := want.Element(ctx, name)
		g, gotErr := got.Element(ctx, name)
		require.Equal(t, wantErr == nil, gotErr == nil, "element %s: %v, %v", name, wantErr, gotErr)
		require.Equal(t, w, g)
	}
	slices.Sort(references)
	for _, name := range slices.Compact(references) {
		same(t, name, want.Reference, got.Reference)
	}
	for _, name := range windows {
		same(t, name, want.Window, got.Window)
	}
	lists(t, registry.ListQuery{Inactive: true}, want.Windows, got.Windows)
	lists(t, registry.ListQuery{Inactive: true}, want.References, got.References)
}

// same compares one description, and that it is missing in both.
func same[T any](t testing.TB, name string, want, got description[T]) {
	t.Helper()
	for _, with := range [][]registry.Detail{nil, {registry.WithInactive}, {registry.WithoutColumns}} {
		w, wantErr := want(t.Context(), name, with...)
		g, gotErr := got(t.Context(), name, with...)
		require.Equal(t, wantErr, gotErr, name)
		require.Equal(t, w, g, name)
	}
}
