package planfile_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/planfile"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/tablefile"
)

func start(t testing.TB) *erp.Client {
	t.Helper()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, 0)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	return client
}

func scope(t testing.TB, client *erp.Client, tables ...dict.Table) registry.Registry {
	t.Helper()
	reg, err := registry.LoadScope(t.Context(), restdict.NewSource(client, nil), diff.Scope(tables...))
	require.NoError(t, err)
	return reg
}

func compare(t testing.TB, client *erp.Client, tables ...dict.Table) *diff.Result {
	t.Helper()
	result, err := diff.Compare(t.Context(), scope(t, client, tables...), nil, tables...)
	require.NoError(t, err)
	return result
}

func apply(t testing.TB, client *erp.Client, plan *dict.Plan) {
	t.Helper()
	_, err := restdict.Run(t.Context(), client, plan, &restdict.Options{BatchSize: 25})
	require.NoError(t, err)
}

// save writes the plan of a comparison and reads it again.
func save(t testing.TB, result *diff.Result, tables ...dict.Table) *planfile.File {
	t.Helper()
	f, err := planfile.New(result, tables, nil)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "plan.json")
	require.NoError(t, f.Write(path))
	f, err = planfile.Read(path)
	require.NoError(t, err)
	return f
}

// random makes definitions and changes of them.
type random struct{ *rand.Rand }

func (r random) column(name string) dict.Column {
	types := []dict.DisplayType{dict.TypeString, dict.TypeInteger, dict.TypeAmount, dict.TypeDate, dict.TypeText, dict.TypeYesNo, dict.TypeDateTime}
	c := dict.Column{Name: name, Type: types[r.IntN(len(types))], Selection: r.IntN(3) == 0, Description: strings.Repeat("d", r.IntN(3))}
	if c.Type == dict.TypeString {
		c.Length = 10 + r.IntN(50)
	}
	return c
}

func (r random) table(name string) dict.Table {
	t := dict.NewTable(name).WithAccessLevel(dict.AccessAll).With(dict.Standard, dict.ValueName)
	for i := range 3 + r.IntN(4) {
		t = t.Column(r.column(fmt.Sprintf("XX_C%d", i)))
	}
	if r.IntN(2) == 0 {
		t = t.WithWindow(dict.Window{})
	}
	return t
}

// changed has a column removed, one renamed and some added.
func (r random) changed(t dict.Table, round int) dict.Table {
	t.Columns = append([]dict.Column{}, t.Columns[1:]...)
	c := &t.Columns[r.IntN(len(t.Columns))]
	c.Was, c.Name = c.Name, fmt.Sprintf("XX_R%d", round)
	return t.Column(r.column(fmt.Sprintf("XX_N%d", round)))
}

// What is planned, saved, read and applied comes to the same as what is applied at once.
func TestSavedIsDirect(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := random{rand.New(rand.NewPCG(seed, 1))}
	direct, saved := start(t), start(t)
	tables := []dict.Table{r.table("XX_Apple"), r.table("XX_Pear")}
	for round := range 3 {
		result := compare(t, direct, tables...)
		plan, err := diff.NewPlan(result, nil)
		require.NoError(t, err)
		apply(t, direct, plan)

		f := save(t, compare(t, saved, tables...), tables...)
		assert.Equal(t, plan.Fingerprint(), f.Plan.Fingerprint())
		own, err := f.Tables()
		require.NoError(t, err)
		assert.Equal(t, tables, own)
		_, err = f.Check(t.Context(), scope(t, saved, own...))
		require.NoError(t, err)
		apply(t, saved, f.Plan)

		assert.Equal(t, inspected(t, direct), inspected(t, saved))
		for i := range tables {
			tables[i] = r.changed(withoutWas(tables[i]), round)
		}
	}
}

func withoutWas(t dict.Table) dict.Table {
	t.Columns = append([]dict.Column{}, t.Columns...)
	for i := range t.Columns {
		t.Columns[i].Was = ""
	}
	return t
}

func inspected(t testing.TB, client *erp.Client) string {
	t.Helper()
	names := []string{"XX_Apple", "XX_Pear"}
	reg, err := registry.LoadScope(t.Context(), restdict.NewSource(client, nil), diff.DefinitionScope(names...))
	require.NoError(t, err)
	var tables []dict.Table
	for _, name := range names {
		table, _, err := diff.Definition(t.Context(), reg, name)
		require.NoError(t, err)
		tables = append(tables, table)
	}
	text, err := tablefile.Marshal(tables...)
	require.NoError(t, err)
	return string(text)
}

// A plan that does not fit the ERP any more says what was changed.
func TestStale(t *testing.T) {
	t.Parallel()
	client := start(t)
	before := dict.NewTable("XX_Apple").With(dict.Standard, dict.ValueName).Column(dict.Column{Name: "XX_Text", Type: dict.TypeString, Length: 40},
		dict.Column{Name: "XX_Gone", Type: dict.TypeDate}, dict.Column{Name: "XX_Other", Type: dict.TypeDate})
	plan, err := dict.NewPlan(nil, before)
	require.NoError(t, err)
	apply(t, client, plan)
	after := dict.NewTable("XX_Apple").With(dict.Standard, dict.ValueName).Column(dict.Column{Name: "XX_Text", Type: dict.TypeString, Length: 80},
		dict.Column{Name: "XX_More", Type: dict.TypeDate}, dict.Column{Name: "XX_Other", Type: dict.TypeDate})
	f := save(t, compare(t, client, after), after)
	check := func() error {
		_, err := f.Check(t.Context(), scope(t, client, after))
		return err
	}
	require.NoError(t, check())

	// What the plan does not touch may change.
	column := func(name string) erp.ID {
		page, err := client.Query(t.Context(), "AD_Column", &erp.Query{Filter: erp.And(erp.Eq("ColumnName", name), erp.Eq("EntityType", "U"))})
		require.NoError(t, err)
		require.Len(t, page.Records, 1)
		return page.Records[0].ID()
	}
	set := func(name, attribute string, value any) {
		_, err := client.Update(t.Context(), "AD_Column", column(name), map[string]any{attribute: value})
		require.NoError(t, err)
	}
	set("XX_Other", "Description", "told by somebody")
	require.NoError(t, check())

	steps := []struct {
		name   string
		change func()
		says   string
	}{
		{"an attribute the plan changes", func() { set("XX_Text", "FieldLength", 60) }, "column XX_Apple.XX_Text: FieldLength was 40 and is 60 now"},
		{"done by somebody else", func() { set("XX_Text", "FieldLength", 80) }, "column XX_Apple.XX_Text does not need what was planned any more"},
		{"something else is needed", func() { set("XX_Other", "IsSelectionColumn", true) }, "column XX_Apple.XX_Other: not planned, but needed by now: update"},
		{"what was to be removed is gone", func() { set("XX_Gone", "IsActive", false) }, "column XX_Apple.XX_Gone, which was to be removed, is gone"},
	}
	for _, s := range steps {
		s.change()
		err := check()
		var stale *planfile.StaleError
		require.ErrorAs(t, err, &stale, s.name)
		assert.ErrorContains(t, err, s.says, s.name)
		assert.ErrorContains(t, err, "nothing was done", s.name)
	}
}

// A file that was changed by hand is not carried out.
func TestChangedFile(t *testing.T) {
	t.Parallel()
	client := start(t)
	table := dict.NewTable("XX_Apple").With(dict.Standard, dict.ValueName).Column(dict.Column{Name: "XX_Text", Type: dict.TypeString, Length: 40})
	f := save(t, compare(t, client, table), table)
	data, err := json.Marshal(f)
	require.NoError(t, err)
	for _, tt := range []struct{ name, from, to, says string }{
		{"a step", `"FieldLength","value":40`, `"FieldLength","value":41`, "fingerprint"},
		{"another version", `"version":1`, `"version":2`, "it has form 2, and this erphub reads form 1 alone"},
		{"another file", `"kind":"erphub dictionary plan"`, `"kind":"x"`, "dict plan --out"},
		{"more", `{"kind"`, `{"more":1,"kind"`, "more"},
		{"no steps", `"plan":{`, `"plan":null,"x":{`, "not a saved plan"},
		{"wrong definitions", `table: XX_Apple`, `tabel: XX_Apple`, "definitions"},
		{"no JSON", `{"kind"`, `{{"kind"`, "dict plan --out"},
	} {
		text := strings.Replace(string(data), tt.from, tt.to, 1)
		require.NotEqual(t, string(data), text, tt.name)
		_, err := planfile.Parse([]byte(text))
		require.ErrorIs(t, err, planfile.ErrNotPlan, tt.name)
		assert.ErrorContains(t, err, tt.says, tt.name)
	}
	for _, tt := range []struct{ name, from, to string }{
		{"a definition", `length: 40`, `length: 60`},
		{"a change that people read", `"String(40)"`, `"String(400)"`},
		{"the digest", `"found":"`, `"found":"0`},
	} {
		text := strings.Replace(string(data), tt.from, tt.to, 1)
		require.NotEqual(t, string(data), text, tt.name)
		changed, err := planfile.Parse([]byte(text))
		require.NoError(t, err, tt.name)
		_, err = changed.Check(t.Context(), scope(t, client, table))
		var stale *planfile.StaleError
		require.ErrorAs(t, err, &stale, tt.name)
	}
}

// The files that a plan was made of are told when they are not what they were.
func TestSources(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "apple.yaml")
	require.NoError(t, os.WriteFile(path, []byte("table: XX_Apple\n"), 0o600))
	source, err := planfile.SourceOf(path)
	require.NoError(t, err)
	f := &planfile.File{Sources: []planfile.Source{source}}
	assert.Empty(t, f.Changed())
	require.NoError(t, os.WriteFile(path, []byte("table: XX_Pear\n"), 0o600))
	assert.Equal(t, []string{path}, f.Changed())
}
