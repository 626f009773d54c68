package diff_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
)

// outcome is all that comes of comparing definitions: changes, plan, or error.
func outcome(t *testing.T, reg registry.Registry, tables []dict.Table) string {
	t.Helper()
	result, err := diff.Compare(t.Context(), reg, &dict.Options{AnyPrefix: true}, tables...)
	if err != nil {
		return "error: " + err.Error()
	}
	out := text(t, result)
	for _, opts := range []*diff.PlanOptions{nil, {SynchroniseAll: true}} {
		plan, err := diff.NewPlan(result, opts)
		if err != nil {
			out += "\nplan: " + err.Error()
			continue
		}
		steps, err := json.Marshal(plan)
		require.NoError(t, err)
		out += "\n" + string(steps)
	}
	changes, err := json.Marshal(result.Changes)
	require.NoError(t, err)
	return out + "\n" + string(changes)
}

// described is all that comes of describing a table.
func described(t *testing.T, reg registry.Registry, name string) string {
	t.Helper()
	table, notes, err := diff.Definition(t.Context(), reg, name)
	text, jsonErr := json.Marshal(table)
	require.NoError(t, jsonErr)
	return fmt.Sprintf("%s\n%q\n%v", text, notes, err)
}

// changer makes other definitions of those that an ERP has.
type changer struct {
	*rand.Rand
	whole      registry.Registry
	elements   []string
	references []registry.Reference
	windows    []registry.Window
	tables     []registry.Table
}

func newChanger(t *testing.T, seed uint64, whole registry.Registry) *changer {
	t.Helper()
	c := &changer{Rand: rand.New(rand.NewPCG(seed, 1)), whole: whole}
	all := registry.ListQuery{Inactive: true}
	columns, err := whole.Columns(t.Context(), "", registry.ListQuery{})
	require.NoError(t, err)
	for _, column := range columns.Items {
		c.elements = append(c.elements, column.Name)
	}
	references, err := whole.References(t.Context(), all)
	require.NoError(t, err)
	windows, err := whole.Windows(t.Context(), all)
	require.NoError(t, err)
	tables, err := whole.Tables(t.Context(), all)
	require.NoError(t, err)
	c.references, c.windows, c.tables = references.Items, windows.Items, tables.Items
	return c
}

func pick[T any](c *changer, list []T) T { return list[c.IntN(len(list))] }

// change is a definition with something added, removed and changed.
func (c *changer) change(t *testing.T, table dict.Table) dict.Table {
	t.Helper()
	if len(table.Columns) > 0 && c.IntN(2) == 0 {
		at := c.IntN(len(table.Columns))
		table.Columns = append(append([]dict.Column{}, table.Columns[:at]...), table.Columns[at+1:]...)
	}
	add := func(column dict.Column) {
		for _, has := range table.AllColumns() {
			if strings.EqualFold(has.Name, column.Name) {
				return
			}
		}
		table = table.Column(column)
	}
	own := fmt.Sprintf("XX_New%d", c.IntN(1000))
	add(dict.Column{Name: own, Type: dict.TypeString, Label: "New one"})
	add(dict.Column{Name: pick(c, c.elements), Type: dict.TypeString})
	add(dict.Column{Name: strings.ToUpper(pick(c, c.elements)), Type: dict.TypeString, Description: "mine"})
	add(dict.Column{Name: own + "_ID", Type: dict.TypeTable, Reference: dict.ExistingReference(pick(c, c.references).Name, 0, pick(c, c.tables).Name)})
	add(dict.Column{Name: own + "List", Type: dict.TypeList, Reference: dict.List(pick(c, c.references).Name, dict.ListValue{Value: "A", Name: "One"})})
	add(dict.Column{Name: own + "Look_ID", Type: dict.TypeTable, Reference: &dict.Reference{Name: pick(c, c.references).Name,
		Lookup: &dict.TableLookup{Table: "C_BPartner", Display: "Name"}}})
	if c.IntN(2) == 0 {
		table = table.WithWindow(dict.Window{Name: pick(c, c.windows).Name})
	} else if c.IntN(2) == 0 {
		table = table.WithWindow(dict.Window{})
	}
	return table
}

// What a part of the dictionary says about definitions is what all of it says:
// the changes, the plans and the descriptions are the same, word for word.
// ERPHUB_PROOF takes every table the ERP has and 200 samples, go test the awkward
// tables and 12 samples, -short 4.
func TestScopeSaysWhatTheWholeSays(t *testing.T) {
	t.Parallel()
	s := start(t)
	tables := shop()
	apply(t, s, tables...)
	// Columns, values, indexes and a window's tab that are there, but inactive.
	for i, table := range tables {
		if table.Name == "XX_Kinds" {
			tables[i].Columns = table.Columns[:len(table.Columns)-3]
			tables[i].Indexes = nil
		}
	}
	apply(t, s, tables...)
	whole := openRegistry(t, s)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c := newChanger(t, seed, whole)

	names := map[string]bool{"C_Order": true, "AD_User": true, "I_Order": true, "XX_Kinds": true, "XX_Seen": true, "No_Such_Table": true, "c_invoice": true}
	for _, name := range awkward {
		names[name] = true
	}
	samples := 12
	if testing.Short() {
		samples = 4
	}
	for range samples {
		names[pick(c, c.tables).Name] = true
	}
	if os.Getenv("ERPHUB_PROOF") != "" {
		for _, table := range c.tables {
			names[table.Name] = true
		}
		samples = 200
	}
	var list []string
	for name := range names {
		list = append(list, name)
	}
	scoped, err := registry.LoadScope(t.Context(), s.beside, diff.DefinitionScope(list...))
	require.NoError(t, err)
	for _, name := range list {
		assert.Equal(t, described(t, whole, name), described(t, scoped, name))
	}

	cases := map[string][]dict.Table{
		"everything of the shop": tables,
		"tables that are new":    {dict.NewTable("XX_Fresh").With(dict.Standard, dict.ValueName).WithWindow(dict.Window{}), dict.NewTable("XX_Fresh2").With(dict.Document)},
		"a window of another":    {dict.NewTable("XX_Fresh").With(dict.Standard).WithWindow(dict.Window{Name: "Seen things"})},
		"another window":         {dict.NewTable("XX_Seen").With(dict.Standard, dict.ValueName).WithWindow(dict.Window{Name: "Sales Order"})},
		"another case of letters": {dict.NewTable("xx_kinds").With(dict.Standard).Column(dict.Column{Name: "xx_PLAIN", Type: dict.TypeString},
			dict.Column{Name: "xx_state", Type: dict.TypeList, Reference: dict.List("XX_KINDS State", dict.ListValue{Value: "N", Name: "New"})})},
		"what is inactive": {dict.NewTable("XX_Kinds").With(dict.Standard).Column(dict.Column{Name: "XX_State", Type: dict.TypeList,
			Reference: dict.List("XX_Kinds State", dict.ListValue{Value: "N", Name: "New"}, dict.ListValue{Value: "O", Name: "Old"})})},
		"an import table": {dict.NewTable("XX_Import").With(dict.Standard, dict.Import).ImportInto("C_BPartner", definition(t, s, "XX_Sum6").AllColumns())},
		"what cannot be":  {dict.NewTable("XX_Bad").With(dict.Standard).Column(dict.Column{Name: "Select", Type: dict.TypeString})},
	}
	sample := func() []dict.Table {
		var some []dict.Table
		for range 1 + c.IntN(3) {
			table, _, err := diff.Definition(t.Context(), whole, pick(c, c.tables).Name)
			require.NoError(t, err)
			some = append(some, c.change(t, table))
		}
		return some
	}
	for i := range samples {
		cases[fmt.Sprintf("sample %d", i)] = sample()
	}
	usable, all := 0, 0
	compare := func(name string, tables []dict.Table) {
		scoped, err := registry.LoadScope(t.Context(), s.beside, diff.Scope(tables...))
		require.NoError(t, err)
		want := outcome(t, whole, tables)
		assert.Equal(t, want, outcome(t, scoped, tables), "%s: %v", name, tables)
		all++
		if !strings.HasPrefix(want, "error") {
			usable++
		}
	}
	for name, tables := range cases {
		compare(name, tables)
	}
	for i := 0; usable <= all/2 && i < 50; i++ { // chance may have drawn few that can be used
		compare(fmt.Sprintf("further sample %d", i), sample())
	}
	assert.Greater(t, usable, all/2, "most definitions must be usable, or the test shows little")

	scoped, err = registry.LoadScope(t.Context(), restdict.NewSource(s.Client, nil), diff.Scope(tables...))
	require.NoError(t, err)
	assert.Equal(t, outcome(t, whole, tables), outcome(t, scoped, tables))
}

// A part of the dictionary that is too small is an error, not another result.
func TestScopeTooSmall(t *testing.T) {
	t.Parallel()
	s := untouched()
	table := dict.NewTable("XX_Fresh").With(dict.Standard).Column(dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir})
	full := diff.Scope(table)
	for name, scope := range map[string]registry.Scope{
		"elements":         {Tables: full.Tables, Windows: full.Windows},
		"of another table": diff.Scope(dict.NewTable("XX_Other").With(dict.Standard)),
	} {
		t.Run(name, func(t *testing.T) {
			scoped, err := registry.LoadScope(t.Context(), s.beside, scope)
			require.NoError(t, err)
			_, err = diff.Compare(t.Context(), scoped, nil, table)
			var small *registry.ScopeError
			require.ErrorAs(t, err, &small)
		})
	}
	scoped, err := registry.LoadScope(t.Context(), s.beside, diff.DefinitionScope("C_Order"))
	require.NoError(t, err)
	_, _, err = diff.Definition(t.Context(), scoped, "C_Invoice")
	var small *registry.ScopeError
	require.ErrorAs(t, err, &small)
	assert.Equal(t, "C_Invoice", small.Name)
}
