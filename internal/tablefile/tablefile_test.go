package tablefile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/tablefile"
)

const remark = `table: XX_Remark
description: Remarks of a business partner
access: all
templates: [STANDARD, VALUE_NAME]
columns:
  - {name: C_BPartner_ID, type: Table Direct, mandatory: true, parent: true}
  - {name: XX_Text, type: Text}
  - name: XX_Kind
    type: List
    list:
      name: XX_Remark Kind
      values:
        - {value: "N", name: None}
        - {value: "1", name: Praise, description: 'Good news, mostly'}
  - {name: XX_User_ID, type: Search, reference: {name: AD_User, id: 110, table: AD_User}}
  - {name: XX_State, type: List, length: 2, reference: XX States}
indexes:
  - {name: xx_remark_kind, columns: [XX_Kind, XX_Text], unique: true}
window: {}
`

func remarkTable() dict.Table {
	return dict.NewTable("XX_Remark").WithDescription("Remarks of a business partner").WithAccessLevel(dict.AccessAll).
		With(dict.Standard, dict.ValueName).
		Column(
			dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir, Mandatory: true, Parent: true},
			dict.Column{Name: "XX_Text", Type: dict.TypeText},
			dict.Column{Name: "XX_Kind", Type: dict.TypeList, Reference: dict.List("XX_Remark Kind",
				dict.ListValue{Value: "N", Name: "None"}, dict.ListValue{Value: "1", Name: "Praise", Description: "Good news, mostly"})},
			dict.Column{Name: "XX_User_ID", Type: dict.TypeSearch, Reference: dict.ExistingReference("AD_User", 110, "AD_User")},
			dict.Column{Name: "XX_State", Type: dict.TypeList, Length: 2, Reference: dict.ExistingReference("XX States", 0, "")},
		).
		Index(dict.Index{Name: "xx_remark_kind", Columns: []string{"XX_Kind", "XX_Text"}, Unique: true}).
		WithWindow(dict.Window{})
}

func TestReadAndWrite(t *testing.T) {
	t.Parallel()
	set, err := tablefile.Parse("remark.yaml", []byte(remark))
	require.NoError(t, err)
	require.Len(t, set.Tables(), 1)
	assert.Equal(t, remarkTable(), set.Tables()[0])
	require.NoError(t, set.Validate(nil))
	for range 3 {
		text, err := tablefile.Marshal(remarkTable())
		require.NoError(t, err)
		assert.Equal(t, remark, string(text))
	}
}

// The long form, comments, anchors, merge keys and plain scalars mean the same.
func TestReadOtherSpellings(t *testing.T) {
	t.Parallel()
	set, err := tablefile.Parse("x.yaml", []byte(`# tables of the shop
---
table: XX_A
templates:
  - STANDARD
columns:
  - &base
    name: XX_One
    type: Amount   # money
    default: 0
    min: -1.50
    mandatory: true
  - <<: *base
    name: XX_Two
    default: 007
  - <<: [*base, {max: 5}]
    name: XX_Three
    default: true
---
---
table: XX_B
columns: [{name: XX_Day, type: Date, default: 2026-01-31}, {name: XX_Own, type: 1000123}]
`))
	require.NoError(t, err)
	tables := set.Tables()
	require.Len(t, tables, 2)
	one := dict.Column{Name: "XX_One", Type: dict.TypeAmount, Default: "0", Min: "-1.50", Mandatory: true}
	two, three := one, one
	two.Name, two.Default = "XX_Two", "007"
	three.Name, three.Default, three.Max = "XX_Three", "true", "5"
	assert.Equal(t, []dict.Column{one, two, three}, tables[0].Columns)
	assert.Equal(t, []dict.Column{{Name: "XX_Day", Type: dict.TypeDate, Default: "2026-01-31"}, {Name: "XX_Own", Type: 1000123}}, tables[1].Columns)
}

// Every field of a definition can be written and read.
func TestEveryFieldSurvives(t *testing.T) {
	t.Parallel()
	for _, table := range []dict.Table{deploylog.Table(), remarkTable(), full(t)} {
		text, err := tablefile.Marshal(table)
		require.NoError(t, err)
		set, err := tablefile.Parse("x.yaml", text)
		require.NoError(t, err, string(text))
		assert.Equal(t, table, set.Tables()[0], string(text))
	}
}

// full is a table in which no field has its zero value.
func full(t *testing.T) dict.Table {
	t.Helper()
	var table dict.Table
	fill(reflect.ValueOf(&table).Elem(), "")
	second := table.Columns[0]
	second.Reference = dict.List("XX List", dict.ListValue{Value: "Y", Name: "on", Description: "null"})
	second.Reference.Description, second.Reference.EntityType = " padded\n", "XX"
	third := table.Columns[0]
	third.Reference = &dict.Reference{Name: "XX Existing", ID: 7, Description: "d", Target: "AD_User", EntityType: "D"}
	lookup := table.Columns[0].Reference
	lookup.Values, lookup.ID, lookup.Target = nil, 0, ""
	table.Columns = append(table.Columns, second, third)
	table.Target.Columns = []dict.Column{third}
	return table
}

func fill(v reflect.Value, name string) {
	switch v.Type() {
	case reflect.TypeFor[dict.AccessLevel]():
		v.Set(reflect.ValueOf(dict.AccessSystem))
		return
	case reflect.TypeFor[dict.Replication]():
		v.Set(reflect.ValueOf(dict.ReplicationMerge))
		return
	case reflect.TypeFor[dict.FKRule]():
		v.Set(reflect.ValueOf(dict.FKModelSetNull))
		return
	case reflect.TypeFor[dict.WindowType]():
		v.Set(reflect.ValueOf(dict.WindowSingle))
		return
	case reflect.TypeFor[dict.Template]():
		v.Set(reflect.ValueOf(dict.Tree))
		return
	case reflect.TypeFor[dict.DisplayType]():
		v.Set(reflect.ValueOf(dict.TypeTable))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("it's \"" + name + "\": {x} # no\n  second line\n")
	case reflect.Int:
		v.SetInt(42)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name)
		}
	}
}

func TestEveryTypeHasAName(t *testing.T) {
	t.Parallel()
	for id := range 300_000 {
		if typ := dict.DisplayType(id); typ.Known() {
			text, err := tablefile.Marshal(dict.NewTable("XX_T").Column(dict.Column{Name: "C", Type: typ}))
			require.NoError(t, err)
			assert.Contains(t, string(text), "type: "+typ.String()+"}")
			set, err := tablefile.Parse("x", text)
			require.NoError(t, err)
			assert.Equal(t, typ, set.Tables()[0].Columns[0].Type)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"unknown key", "table: XX_A\nmandatroy: true\n", `f.yaml:2:1: there is no key "mandatroy"; possible are table, extend, fields, removed, was, label`},
		{"unknown key of a column", "table: XX_A\ncolumns:\n  - {name: A, type: Text, mandatroy: true}\n", `f.yaml:3:27: there is no key "mandatroy"; did you mean "mandatory"?`},
		{"unknown type", "table: XX_A\ncolumns:\n  - {name: A, type: Tabel Direct}\n", `f.yaml:3:21: there is no type "Tabel Direct"; did you mean "Table Direct"?`},
		{"official type by number", "table: XX_A\ncolumns: [{name: A, type: 19}]\n", "only types of plug-ins go by their number"},
		{"unknown access", "table: XX_A\naccess: everyone\n", "organization, client, client+organization"},
		{"unknown template", "table: XX_A\ntemplates: [standard]\n", `did you mean "STANDARD"?`},
		{"template twice", "table: XX_A\ntemplates: [TREE, TREE]\n", "named twice"},
		{"key twice", "table: XX_A\nlabel: a\nlabel: b\n", `f.yaml:3:1: the key "label" is given twice, first in line 2`},
		{"empty value", "table: XX_A\nlabel:\n", "f.yaml:2:7: label has no value"},
		{"null column", "table: XX_A\ncolumns: [~]\n", "columns has no value"},
		{"no table", "label: a\n", "a table has no name"},
		{"made and extended", "table: XX_A\nextend: C_Order\n", "f.yaml:1:1: a table is either made or extended"},
		{"fields of a table", "table: XX_A\nfields: true\n", "f.yaml:1:1: the key fields goes with extend"},
		{"extended twice", "extend: C_Order\n---\nextend: c_order\n", "f.yaml:3:1: the table \"c_order\" is defined a second time, first in f.yaml:1:1"},
		{"empty table", "table: ''\n", "table is empty"},
		{"no type", "table: XX_A\ncolumns: [{name: A}]\n", `f.yaml:2:11: "A" has no type; add type: …`},
		{"no type beside values", "table: XX_A\ncolumns: [{name: A, list: {name: AList, values: [{code: B, name: C}]}}]\n", `f.yaml:2:11: "A" has no type; add type: List`},
		{"neither type nor name", "table: XX_A\ncolumns: [{label: A}]\n", "f.yaml:2:11: columns has no type"},
		{"flag as text", "table: XX_A\nview: yes\n", `f.yaml:2:7: view is "yes"; write true or false`},
		{"number as text", "table: XX_A\ncolumns: [{name: A, type: Text, length: ten}]\n", `length is "ten"`},
		{"octal", "table: XX_A\ncolumns: [{name: A, type: Text, length: 0o17}]\n", `length is "0o17"`},
		{"negative", "table: XX_A\ncolumns: [{name: A, type: Text, length: -1}]\n", `length is "-1"`},
		{"text as number", "table: 12\n", "table is \"12\", which YAML does not take for text"},
		{"list as mapping", "table: XX_A\ncolumns: {A: Text}\n", "columns is a mapping, not a list"},
		{"mapping as list", "- table: XX_A\n", "f.yaml:1:1: a table is a list"},
		{"scalar as document", "hello\n", "a table is \"hello\""},
		{"key is a list", "[a]: b\ntable: XX_A\n", "a key is a list"},
		{"two references", "table: XX_A\ncolumns: [{name: A, type: List, reference: X, list: {name: Y, values: [{value: a, name: b}]}}]\n", "more than one of reference, list and lookup"},
		{"no YAML", "table: [\n", "this is not YAML"},
		{"tabs", "table: XX_A\n\tlabel: b\n", "this is not YAML"},
		{"unknown alias", "table: *nothing\n", "this is not YAML"},
		{"merge of a scalar", "table: XX_A\n<<: x\n", "what is merged is \"x\""},
		{"second definition", "table: XX_A\n---\ntable: xx_a\n", `f.yaml:3:1: the table "xx_a" is defined a second time, first in f.yaml:1:1`},
		{"binary", "table: !!binary aGVsbG8=\n", "which YAML does not take for text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := tablefile.Parse("f.yaml", []byte(tt.text))
			var e *tablefile.Error
			require.ErrorAs(t, err, &e)
			assert.Contains(t, err.Error(), tt.want)
		})
	}
}

// All problems are told at once.
func TestAllProblems(t *testing.T) {
	t.Parallel()
	_, err := tablefile.Parse("f.yaml", []byte("table: XX_A\nacess: all\ncolumns:\n  - {name: A, type: Txt}\n  - {nam: B}\n---\nlabel: 3\n"))
	var e *tablefile.Error
	require.ErrorAs(t, err, &e)
	assert.Len(t, e.Problems, 7)
}

// What the format allows but the dictionary does not has a position, too.
func TestValidatePositions(t *testing.T) {
	t.Parallel()
	set, err := tablefile.Parse("f.yaml", []byte(`table: XX_A
columns:
  - {name: Größe, type: Text}
  - {name: Имя, type: String}
  - {name: Select, type: String}
  - {name: XX_B, type: String}
  - {name: xx_b, type: String}
indexes:
  - {name: xx_i, columns: [Nope]}
---
table: C_Order
`))
	require.NoError(t, err)
	err = set.Validate(nil)
	var e *tablefile.Error
	require.ErrorAs(t, err, &e)
	var invalid *dict.ValidationError
	require.ErrorAs(t, err, &invalid)
	var got []string
	for _, p := range e.Problems {
		got = append(got, p.Position.String())
	}
	assert.ElementsMatch(t, []string{"f.yaml:3:5", "f.yaml:4:5", "f.yaml:5:5", "f.yaml:7:5", "f.yaml:9:5", "f.yaml:11:1", "f.yaml:11:1"}, got, err.Error())
	assert.ErrorContains(t, err, "C_Order: the table has neither columns nor templates; give it some; if it had any, the file was cut short")
	assert.NoError(t, set.Replace([]dict.Table{dict.NewTable("XX_A").With(dict.Standard)}).Validate(nil))
}

// Documents that would expand beyond measure are refused in good time.
func TestBombs(t *testing.T) {
	t.Parallel()
	var laughs strings.Builder
	laughs.WriteString("table: XX_A\ncolumns:\n  - &a0 {name: A, type: Text}\nindexes:\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&laughs, "  - &a%d [%s]\n", i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	var merges strings.Builder
	merges.WriteString("table: XX_A\nwindow: &m0 {}\nimport:\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&merges, "  k%d: &m%d {<<: [%s]}\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*m%d, ", i-1), 9), ", "))
	}
	merges.WriteString("<<: *m29\n")
	tests := map[string]string{
		"many laughs":   laughs.String(),
		"many merges":   merges.String(),
		"itself":        "table: XX_A\ncolumns: &c\n  - *c\n",
		"merges itself": "&t\ntable: XX_A\n<<: *t\n",
		"wide":          "table: XX_A\ncolumns:\n  - &c {name: A, type: Text}\n" + strings.Repeat("  - *c\n", 300_000),
		"deep":          "table: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "\n",
		"deep keys":     strings.Repeat("{window: ", 5000) + strings.Repeat("}", 5000),
		"documents":     strings.Repeat("---\ntable: XX_A\n", 5000),
		"large":         "table: XX_A\nhelp: " + strings.Repeat("x", 5<<20),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tablefile.Parse("f.yaml", []byte(text))
			var e *tablefile.Error
			require.ErrorAs(t, err, &e)
			assert.Less(t, len(err.Error()), 20_000)
		})
	}
}

// A table with far too many columns is read, and refused in good time.
func TestManyColumns(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("table: XX_Wide\ntemplates: [STANDARD]\ncolumns:\n")
	for i := range 4000 {
		fmt.Fprintf(&b, "  - {name: XX_C%d, type: String, length: 20}\n", i)
	}
	set, err := tablefile.Parse("wide.yaml", []byte(b.String()))
	require.NoError(t, err)
	err = set.Validate(nil)
	require.ErrorContains(t, err, "wide.yaml:1:1: XX_Wide: it has 4009 columns")
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	b := write("b.yaml", "table: XX_B\n")
	write("a/x.yml", "table: XX_A1\n---\ntable: XX_A2\n")
	write(".git/c.yaml", "table: XX_Hidden\n")
	write("readme.md", "no table")
	set, err := tablefile.Load(dir, b)
	require.NoError(t, err)
	var names []string
	for _, table := range set.Tables() {
		names = append(names, table.Name)
	}
	assert.Equal(t, []string{"XX_A1", "XX_A2", "XX_B"}, names)
	at, ok := set.Position("xx_a2")
	assert.True(t, ok)
	assert.Equal(t, tablefile.Position{File: filepath.Join(dir, "a/x.yml"), Line: 3, Column: 1}, at)

	_, err = tablefile.Load(filepath.Join(dir, "nothing"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = tablefile.Load(t.TempDir())
	require.ErrorIs(t, err, tablefile.ErrNoTables)
	write("z.yaml", "table: xx_b\n")
	_, err = tablefile.Load(dir)
	require.ErrorContains(t, err, "second time")
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]dict.Table{
		"access": dict.NewTable("XX_A").WithAccessLevel("5"),
		"type":   dict.NewTable("XX_A").Column(dict.Column{Name: "A", Type: 9}),
		"none":   dict.NewTable("XX_A").Column(dict.Column{Name: "A"}),
		"both": dict.NewTable("XX_A").Column(dict.Column{Name: "A", Type: dict.TypeList,
			Reference: &dict.Reference{Name: "R", Values: []dict.ListValue{{}}, Lookup: &dict.TableLookup{}}}),
	} {
		_, err := tablefile.Marshal(table)
		require.Error(t, err, name)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(remark))
	f.Add([]byte("table: XX_A\n<<: &a {label: b}\ncolumns: [*a]\n"))
	f.Add([]byte("table: \"XX\\u0085\"\nhelp: |\n  a\n\n   b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := tablefile.Parse("f", data)
		if err != nil {
			return
		}
		_ = set.Validate(nil)
		for _, table := range set.Tables() {
			text, err := tablefile.Marshal(table)
			require.NoError(t, err)
			again, err := tablefile.Parse("g", text)
			require.NoError(t, err, string(text))
			second, err := tablefile.Marshal(again.Tables()[0])
			require.NoError(t, err)
			require.Equal(t, string(text), string(second))
		}
	})
}
