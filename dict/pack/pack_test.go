package pack_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/pack"
)

// record is a record of a PackOut.xml as these tests see it.
type record struct {
	name, typ string
	props     map[string]prop
	children  []*record
}

type prop struct{ text, reference, key string }

// read parses a PackOut.xml with nothing but the standard library.
func read(t testing.TB, data []byte) *record {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	var parse func(start xml.StartElement) (*record, prop)
	attr := func(s xml.StartElement, name string) string {
		for _, a := range s.Attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	}
	parse = func(start xml.StartElement) (*record, prop) {
		r := &record{name: start.Name.Local, typ: attr(start, "type"), props: map[string]prop{}}
		p := prop{reference: attr(start, "reference"), key: attr(start, "reference-key")}
		for {
			tok, err := dec.Token()
			require.NoError(t, err)
			switch tok := tok.(type) {
			case xml.StartElement:
				child, value := parse(tok)
				if child.typ == "" {
					r.props[child.name] = value
				} else {
					r.children = append(r.children, child)
				}
			case xml.CharData:
				p.text += string(tok)
			case xml.EndElement:
				return r, p
			}
		}
	}
	for {
		tok, err := dec.Token()
		require.NoError(t, err)
		if start, ok := tok.(xml.StartElement); ok {
			r, _ := parse(start)
			return r
		}
	}
}

func (r *record) walk(fn func(path string, r *record)) {
	var down func(path string, r *record)
	down = func(path string, r *record) {
		for _, c := range r.children {
			fn(path+"/"+c.name, c)
			down(path+"/"+c.name, c)
		}
	}
	down("", r)
}

func (r *record) find(name, column, value string) *record {
	var found *record
	r.walk(func(_ string, c *record) {
		if c.name == name && c.props[column].text == value && found == nil {
			found = c
		}
	})
	return found
}

func newPlan(t testing.TB, opts *dict.Options, tables ...dict.Table) *dict.Plan {
	t.Helper()
	plan, err := dict.NewPlan(opts, tables...)
	require.NoError(t, err)
	return plan
}

// entries unpacks an archive in order.
func entries(t testing.TB, data []byte) (names []string, files map[string][]byte) {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	files = map[string][]byte{}
	for _, f := range zr.File {
		names = append(names, f.Name)
		rc, err := f.Open()
		require.NoError(t, err)
		files[f.Name], err = io.ReadAll(rc)
		require.NoError(t, err)
		require.NoError(t, rc.Close())
	}
	return names, files
}

func archive(t testing.TB, plan *dict.Plan, opts *pack.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, pack.Write(&b, plan, opts))
	return b.Bytes()
}

// demo is the made-up table of the description of the format.
func demo() dict.Table {
	return dict.NewTable("XX_Demo").WithEntityType("XX").
		With(dict.Standard).
		Column(
			dict.Column{Name: "Name", Type: dict.TypeString, Length: 60, Mandatory: true, Identifier: true, Selection: true},
			dict.Column{Name: "XX_DemoAmt", Label: "Demo Amount", Type: dict.TypeAmount},
			dict.Column{Name: "C_BPartner_ID", Label: "Business Partner", Type: dict.TypeSearch},
		).WithWindow(dict.Window{})
}

// samples is the folder of real archives; the test is skipped without.
func samples(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("ERPHUB_REFERENCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "reference")
	}
	dir = filepath.Join(dir, "data", "2pack-samples")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real archives are not here")
	}
	return dir
}

// One top folder, the records below dict, the sheet below doc.
func TestArchiveLayout(t *testing.T) {
	t.Parallel()
	data := archive(t, newPlan(t, nil, demo()), &pack.Options{Name: "com.example.demo", Version: pack.Version{Major: 1, Minor: 2, Patch: 10}})
	names, files := entries(t, data)
	assert.Equal(t, []string{
		"2Pack_1.2.10/", "2Pack_1.2.10/dict/", "2Pack_1.2.10/dict/PackOut.xml", "2Pack_1.2.10/doc/",
		"2Pack_1.2.10/doc/com.example.demoDoc.xml",
	}, names)
	var doc struct {
		XMLName xml.Name
		Name    string `xml:"packagename"`
	}
	require.NoError(t, xml.Unmarshal(files[names[4]], &doc))
	assert.Equal(t, "idempiereDocument", doc.XMLName.Local)
	assert.Equal(t, "com.example.demo", doc.Name)
	assert.True(t, bytes.HasPrefix(files[names[2]], []byte(`<?xml version="1.0" encoding="UTF-8"?>`)), "no byte order mark")
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	for _, f := range zr.File {
		assert.Zero(t, f.Flags&0x8, "sizes of %s stand after the content, which readers in Java refuse for stored files", f.Name)
		assert.Equal(t, 1980, f.Modified.Year())
	}
}

// The same plan gives the same bytes.
func TestReproducible(t *testing.T) {
	t.Parallel()
	first := archive(t, newPlan(t, nil, demo().WithEntityType("U"), deploylog.Table()), nil)
	for range 5 {
		require.Equal(t, first, archive(t, newPlan(t, nil, demo().WithEntityType("U"), deploylog.Table()), nil))
	}
	require.NotEqual(t, first, archive(t, newPlan(t, nil, demo()), nil))
}

// The tree of the made-up example: what its description says an archive for that
// table holds, apart from its own UUIDs.
func TestMadeUpExample(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(filepath.Join(samples(t), "made-up-xx-demo-PackOut.xml"))
	require.NoError(t, err)
	require.Empty(t, pack.CheckXML(want), "the checks accept the example")
	_, files := entries(t, archive(t, newPlan(t, nil, demo()), &pack.Options{
		EntityTypes: []pack.EntityType{{Code: "XX", Name: "Demo", ModelPackage: "com.example.demo.model"}}}))
	have := read(t, files["2Pack_1.0.0/dict/PackOut.xml"])
	example := read(t, want)
	example.walk(func(path string, r *record) {
		key := map[string]string{"AD_Field": "Name"}[r.name]
		for _, name := range []string{"TableName", "ColumnName", "EntityType"} {
			if key == "" && r.props[name].text != "" && (name != "EntityType" || r.name == "AD_EntityType") {
				key = name
			}
		}
		if key == "" {
			key = "Name"
		}
		mine := have.find(r.name, key, r.props[key].text)
		if !assert.NotNil(t, mine, "%s %s", path, r.props[key].text) {
			return
		}
		for name, p := range r.props {
			got, ok := mine.props[name]
			if !ok {
				assert.Contains(t, []string{"LoadSeq", "ImportTable", "IsCentrallyMaintained", "SeqNo", "IsCentrallyMaintained"}, name,
					"%s %s", path, r.props[key].text)
				continue
			}
			assert.Equal(t, p.reference, got.reference, "%s %s, %s", path, r.props[key].text, name)
			assert.Equal(t, p.key, got.key, "%s %s, %s", path, r.props[key].text, name)
			if p.reference == "id" && name != "AD_Reference_ID" {
				assert.Equal(t, p.text, got.text, "%s %s, %s", path, r.props[key].text, name)
			}
		}
	})
	var order []string
	for _, c := range have.find("AD_Table", "TableName", "XX_Demo").children {
		order = append(order, c.name+" "+c.props["ColumnName"].text)
	}
	assert.Equal(t, []string{"AD_Element XX_Demo_ID", "AD_Column XX_Demo_ID"}, order[:2], "the key column first, its term before it")
}

// Where records stand: windows hold their tables and tabs, tables their terms,
// references, columns and indexes.
func TestNesting(t *testing.T) {
	t.Parallel()
	lookup := dict.Lookup("XX_B to A", dict.TableLookup{Table: "XX_A", Display: "Name"})
	later := dict.Lookup("XX_A by code", dict.TableLookup{Table: "XX_A", Display: "XX_Code"})
	a := dict.NewTable("XX_A").With(dict.Standard, dict.ValueName, dict.Tree).
		Column(dict.Column{Name: "XX_Main_ID", Type: dict.TypeTable, Reference: later}, dict.Column{Name: "XX_Kind", Type: dict.TypeList, Reference: dict.List("XX_A Kind", dict.ListValue{Value: "A", Name: "One"})},
			dict.Column{Name: "XX_Code", Type: dict.TypeString, Length: 10, Unique: true}).
		WithWindow(dict.Window{})
	b := dict.NewTable("XX_B").With(dict.Standard).Column(dict.Column{Name: "XX_Other_ID", Type: dict.TypeTable, Reference: lookup})
	_, files := entries(t, archive(t, newPlan(t, nil, a, b), nil))
	root := read(t, files["2Pack_1.0.0/dict/PackOut.xml"])
	paths := map[string]int{}
	root.walk(func(path string, r *record) {
		assert.NotEmpty(t, r.typ, path)
		paths[path]++
	})
	for _, p := range []string{
		"/AD_Window", "/AD_Window/AD_Table", "/AD_Window/AD_Table/AD_Element", "/AD_Window/AD_Table/AD_Column",
		"/AD_Window/AD_Table/AD_Reference", "/AD_Window/AD_Table/AD_Reference/AD_Ref_List",
		"/AD_Window/AD_Table/AD_Reference/AD_Ref_Table", // its columns already exist
		"/AD_Window/AD_Table/AD_Ref_Table",              // names a column that comes later
		"/AD_Window/AD_Table/AD_TableIndex", "/AD_Window/AD_Table/AD_TableIndex/AD_IndexColumn",
		"/AD_Window/AD_Tab", "/AD_Window/AD_Tab/AD_Field", "/AD_Menu",
		"/AD_Table", "/AD_Table/AD_Reference/AD_Ref_Table", // its table already exists
	} {
		assert.NotZero(t, paths[p], p)
	}
	assert.Equal(t, 1, paths["/AD_Window"])
	table := root.find("AD_Table", "TableName", "XX_A")
	assert.Equal(t, "AD_Window", table.props["AD_Window_ID"].key, "the table names its window")
	assertNoForwardReferences(t, root)
}

// assertNoForwardReferences makes sure that nothing has to wait for a record that
// comes later in the file.
func assertNoForwardReferences(t *testing.T, root *record) {
	t.Helper()
	order, n := map[string]int{}, 0
	root.walk(func(_ string, r *record) {
		n++
		order[r.props[r.name+"_UU"].text] = n
	})
	n = 0
	root.walk(func(path string, r *record) {
		n++
		for name, p := range r.props {
			if p.reference == "uuid" {
				assert.Less(t, order[p.text], n, "%s, %s", path, name)
			}
		}
	})
}

// The key column comes first wherever the definition has it.
func TestKeyFirst(t *testing.T) {
	t.Parallel()
	table := dict.NewTable("XX_Late").Column(
		dict.Column{Name: "XX_Kind", Type: dict.TypeList, Reference: dict.List("XX_Late Kind", dict.ListValue{Value: "A", Name: "One"})},
		dict.Column{Name: "XX_Late_ID", Type: dict.TypeID, Key: true, Mandatory: true},
		dict.Column{Name: "XX_More", Type: dict.TypeString},
	)
	_, files := entries(t, archive(t, newPlan(t, nil, table), nil))
	root := read(t, files["2Pack_1.0.0/dict/PackOut.xml"])
	var order []string
	for _, c := range root.children[0].children {
		order = append(order, c.name+" "+c.props["ColumnName"].text+c.props["Name"].text)
	}
	assert.Equal(t, []string{
		"AD_Element XX_Late_IDLate", "AD_Column XX_Late_IDLate", "AD_Element XX_KindKind", "AD_Reference XX_Late Kind",
		"AD_Column XX_KindKind", "AD_Element XX_MoreMore", "AD_Column XX_MoreMore",
	}, order)
}

// Any text arrives as it was, and what XML cannot hold is refused.
func TestTexts(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"markup": `<a href="x">&amp; ]]> 'q'</a>`, "lines": "one\ntwo\r\nthree\rfour\tfive", "blanks": "  before and after  ",
		"scripts": "Ünï 漢字 عربى 🙂", "replacement character": "\ufffd", "comment": "<!-- x --> <?pi?> <![CDATA[ x ]]>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := dict.NewTable("XX_Text").With(dict.Standard).WithHelp(text)
			_, files := entries(t, archive(t, newPlan(t, nil, table), &pack.Options{Description: text, Author: text}))
			root := read(t, files["2Pack_1.0.0/dict/PackOut.xml"])
			assert.Equal(t, text, root.children[0].props["Help"].text)
			var head struct {
				Description string `xml:"Description,attr"`
			}
			require.NoError(t, xml.Unmarshal(files["2Pack_1.0.0/dict/PackOut.xml"], &head))
			assert.Equal(t, text, head.Description)
		})
	}
	for name, text := range map[string]string{"bell": "a\ab", "null": "a\x00", "not UTF-8": "a\xff", "non-character": "a\uffff", "escape": "\x1b[0m"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := dict.Assemble("x", &dict.RecordStep{Key: "A", Action: dict.Create, Table: "AD_Message", Name: "XX", UUID: dict.NewUUID(),
				Values: []dict.ColumnValue{{Column: "Value", Value: dict.Text("XX")}, {Column: "MsgText", Value: dict.Text(text)},
					{Column: "MsgType", Value: dict.Text("I")}, {Column: "EntityType", Value: dict.Text("U")}}})
			require.NoError(t, err)
			var b bytes.Buffer
			err = pack.Write(&b, plan, nil)
			require.ErrorContains(t, err, "AD_Message XX, MsgText")
			assert.Zero(t, b.Len(), "nothing is written")
		})
	}
}

// Terms the ERP has are referred to, others are made; the same for every record
// outside the plan.
func TestReferencesOutside(t *testing.T) {
	t.Parallel()
	table := dict.NewTable("XX_Out").With(dict.Standard).Column(
		dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir},
		dict.Column{Name: "XX_Own", Type: dict.TypeString},
		dict.Column{Name: "Bill_BPartner_ID", Type: dict.TypeTable,
			Reference: dict.Lookup("XX_Out Bill", dict.TableLookup{Table: "C_BPartner", Display: "Name"})},
		dict.Column{Name: "DocStatus", Type: dict.TypeList, Length: 2, Reference: dict.ExistingReference("_Document Status", 0, "")},
	)
	data, err := pack.XML(newPlan(t, nil, table), nil)
	require.NoError(t, err)
	root := read(t, data)
	assert.Equal(t, prop{"187", "id", "AD_Element"}, root.find("AD_Column", "ColumnName", "C_BPartner_ID").props["AD_Element_ID"])
	assert.Nil(t, root.find("AD_Element", "ColumnName", "C_BPartner_ID"))
	assert.NotNil(t, root.find("AD_Element", "ColumnName", "XX_Own"))
	assert.Equal(t, prop{"131", "id", "AD_Reference"}, root.find("AD_Column", "ColumnName", "DocStatus").props["AD_Reference_Value_ID"])
	ref := root.find("AD_Ref_Table", "AD_Key", "2893")
	require.NotNil(t, ref)
	assert.Equal(t, prop{"291", "id", "AD_Table"}, ref.props["AD_Table_ID"])
	assert.Equal(t, prop{"2893", "id", "AD_Column"}, ref.props["AD_Key"])
	assert.Equal(t, prop{"2902", "id", "AD_Column"}, ref.props["AD_Display"])
}

func TestUnresolved(t *testing.T) {
	t.Parallel()
	table := dict.NewTable("XX_Rule").With(dict.Standard).Column(
		dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir, ValRule: "Only vendors"})
	plan := newPlan(t, nil, table)
	_, err := pack.XML(plan, nil)
	var missing *pack.UnresolvedError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, []pack.Unresolved{{Table: "AD_Val_Rule", What: "Name=Only vendors", For: "AD_Column.XX_Rule.C_BPartner_ID"}}, missing.Missing)
	assert.ErrorContains(t, err, "Name=Only vendors")

	uuid := dict.NewUUID()
	resolve := func(id int, uuid dict.UUID, err error) *pack.Options {
		return &pack.Options{Resolve: func(e dict.Existing) (int, dict.UUID, error) {
			if e.Table != "AD_Val_Rule" {
				return 0, "", nil
			}
			return id, uuid, err
		}}
	}
	data, err := pack.XML(plan, resolve(0, uuid, nil))
	require.NoError(t, err)
	column := read(t, data).find("AD_Column", "ColumnName", "C_BPartner_ID")
	assert.Equal(t, prop{string(uuid), "uuid", "AD_Val_Rule"}, column.props["AD_Val_Rule_ID"])
	data, err = pack.XML(plan, resolve(1000007, uuid, nil))
	require.NoError(t, err)
	column = read(t, data).find("AD_Column", "ColumnName", "C_BPartner_ID")
	assert.Equal(t, string(uuid), column.props["AD_Val_Rule_ID"].text, "ids of one installation say nothing in another")
	data, err = pack.XML(plan, resolve(230, "", nil))
	require.NoError(t, err)
	assert.Equal(t, prop{"230", "id", "AD_Val_Rule"}, read(t, data).find("AD_Column", "ColumnName", "C_BPartner_ID").props["AD_Val_Rule_ID"])
	_, err = pack.XML(plan, resolve(0, "not a uuid", nil))
	require.ErrorContains(t, err, "in the place of a UUID")
	_, err = pack.XML(plan, resolve(0, "", io.ErrUnexpectedEOF))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// What an archive cannot say is refused instead of left out.
func TestRefuses(t *testing.T) {
	t.Parallel()
	base := newPlan(t, nil, demo()).Steps()
	plan := func(t *testing.T, steps ...dict.Step) *dict.Plan {
		t.Helper()
		p, err := dict.Assemble("p", steps...)
		require.NoError(t, err)
		return p
	}
	tests := []struct {
		name string
		plan func(t *testing.T) *dict.Plan
		opts pack.Options
		want string
	}{
		{"empty plan", func(t *testing.T) *dict.Plan { return plan(t) }, pack.Options{}, "no records"},
		{"import of a package", func(t *testing.T) *dict.Plan {
			return plan(t, append(slices.Clone(base), &dict.RunStep{Key: "p", Purpose: dict.ImportPackage, Record: dict.Ref("XX_Demo")})...)
		}, pack.Options{}, "which an archive cannot do"},
		{"record without UUID", func(t *testing.T) *dict.Plan {
			return plan(t, &dict.RecordStep{Key: "a", Action: dict.Create, Table: "AD_Message"})
		}, pack.Options{}, "has no UUID"},
		{"table that is not a name", func(t *testing.T) *dict.Plan {
			return plan(t, &dict.RecordStep{Key: "a", Action: dict.Create, Table: `X type="custom"><x/`, UUID: dict.NewUUID()})
		}, pack.Options{}, "not a name of a table"},
		{"column that is not a name", func(t *testing.T) *dict.Plan {
			return plan(t, &dict.RecordStep{Key: "a", Action: dict.Create, Table: "AD_Message", UUID: dict.NewUUID(),
				Values: []dict.ColumnValue{{Column: "A/><B", Value: dict.Text("x")}}})
		}, pack.Options{}, "not a name of a column"},
		{"mandatory column left out", func(t *testing.T) *dict.Plan {
			return plan(t, &dict.RecordStep{Key: "a", Action: dict.Create, Table: "AD_Message", UUID: dict.NewUUID(), Values: []dict.ColumnValue{
				{Column: "Value", Value: dict.Text("X")}, {Column: "MsgText", Value: dict.Text("X")}, {Column: "EntityType", Value: dict.Text("U")}}})
		}, pack.Options{}, "MsgType is missing"},
		{"entity type of the ERP", func(t *testing.T) *dict.Plan { return newPlan(t, nil, demo().WithEntityType("D")) }, pack.Options{}, "skips records"},
		{"name with a path", func(t *testing.T) *dict.Plan { return plan(t, base...) }, pack.Options{Name: "../x"}, "cannot be part of a file name"},
		{"negative version", func(t *testing.T) *dict.Plan { return plan(t, base...) }, pack.Options{Version: pack.Version{Major: -1}}, "not a plain number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			err := pack.Write(&b, tt.plan(t), &tt.opts)
			require.ErrorContains(t, err, tt.want)
			assert.Zero(t, b.Len())
		})
	}
	_, err := pack.XML(newPlan(t, nil, demo().WithEntityType("D")), &pack.Options{UpdateDictionary: true})
	require.NoError(t, err)
}

// Changes of records outside the plan are written with what they are found by
// and nothing else.
func TestChangesOutside(t *testing.T) {
	t.Parallel()
	table := dict.Existing{Table: "AD_Table", Match: []dict.Match{{Column: "TableName", Value: dict.Text("XX_There"), Fold: true}}}
	change := &dict.RecordStep{Key: "u", Action: dict.Update, Table: "AD_Column", Name: "XX_There.Name",
		Match:  []dict.Match{{Column: "AD_Table_ID", Value: table}, {Column: "ColumnName", Value: dict.Text("Name"), Fold: true}},
		Values: []dict.ColumnValue{{Column: "FieldLength", Value: dict.Int(120)}}}
	sync := &dict.RunStep{Key: "s", Purpose: dict.SyncTable, Name: "XX_There", Table: "AD_Column", Record: table}
	plan, err := dict.Assemble("p", change, sync)
	require.NoError(t, err)
	ids := map[string]dict.UUID{"AD_Table": dict.NewUUID(), "AD_Column": dict.NewUUID()}
	data, err := pack.XML(plan, &pack.Options{Resolve: func(e dict.Existing) (int, dict.UUID, error) { return 0, ids[e.Table], nil }})
	require.NoError(t, err)
	root := read(t, data)
	require.Len(t, root.children, 1)
	assert.Equal(t, map[string]prop{
		"IsSyncDatabase": {text: "Y"}, "AD_Client_ID": {text: "0"}, "AD_Org_ID": {text: "0"},
		"AD_Column_UU": {text: string(ids["AD_Column"])}, "ColumnName": {text: "Name"}, "FieldLength": {text: "120"},
		"AD_Table_ID": {string(ids["AD_Table"]), "uuid", "AD_Table"},
	}, root.children[0].props)
	_, err = pack.XML(plan, nil)
	var missing *pack.UnresolvedError
	require.ErrorAs(t, err, &missing)
}

// A menu entry below a folder carries the folder, as the exporter writes it.
func TestMenuFolder(t *testing.T) {
	t.Parallel()
	folder := dict.NewUUID()
	data, err := pack.XML(newPlan(t, nil, demo().WithWindow(dict.Window{MenuParent: "Examples"})), &pack.Options{
		Resolve: func(e dict.Existing) (int, dict.UUID, error) {
			if e.Table == "AD_Menu" {
				return 0, folder, nil
			}
			return 0, "", nil
		}})
	require.NoError(t, err)
	menu := read(t, data).find("AD_Menu", "Name", "Demo")
	assert.Equal(t, prop{string(folder), "uuid", "AD_Menu"}, menu.props["Parent_ID"])
	assert.NotContains(t, string(data), "AD_TreeNodeMM")
}

// The checks accept real archives but for columns their release did not have,
// and name what is broken.
func TestCheckXML(t *testing.T) {
	t.Parallel()
	valid, err := pack.XML(newPlan(t, nil, demo()), nil)
	require.NoError(t, err)
	require.Empty(t, pack.CheckXML(valid))
	tests := []struct{ name, old, replacement, want string }{
		{"nested record without type", `<AD_Column type="table">`, `<AD_Column>`, "is lost"},
		{"record without type", `<AD_Menu type="table">`, `<AD_Menu>`, "is taken for a property"},
		{"no description", ` Description="XX_Demo"`, "", "attribute Description is missing"},
		{"no client", ` Client="0-SYSTEM-System"`, "", "attribute Client is missing"},
		{"two-part version", ` Version="1.0.0"`, ` Version="1.0"`, "three parts"},
		{"id of one installation", `>187<`, `>1000187<`, "not an official id"},
		{"reference without table", ` reference-key="AD_Element"`, ``, "no reference-key"},
		{"unknown reference", `reference="id"`, `reference="name"`, `no reference "name"`},
		{"blank in a number", `<FieldLength>22`, `<FieldLength> 22`, "not a whole number"},
		{"blank in a name", `<TableName>XX`, `<TableName> XX`, "blanks around a name"},
		{"mandatory column", "<AccessLevel>3</AccessLevel>", "", "AccessLevel is missing"},
		{"no client of a record", "<AD_Client_ID>0</AD_Client_ID>", "", "AD_Client_ID is missing"},
		{"document type", "<idempiere", "<!DOCTYPE x [<!ENTITY a 'b'>]><idempiere", "document types"},
		{"cut off", "</idempiere>", "", "cannot be read"},
		{"other root", "idempiere", "adempiere", "not idempiere"},
		{"unknown type", `<AD_Menu type="table">`, `<AD_Menu type="row">`, `no type "row"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, string(valid), tt.old)
			broken := strings.ReplaceAll(string(valid), tt.old, tt.replacement)
			var all []string
			for _, p := range pack.CheckXML([]byte(broken)) {
				all = append(all, p.Error())
			}
			assert.Contains(t, strings.Join(all, "\n"), tt.want)
		})
	}
	for name, allowed := range map[string][]string{
		// of before the partition columns, and without what a newer release demands
		"rest-api_2Pack_1.0.1.zip":  {"IsPartition is missing", "IsPartitionKey is missing", "Value is missing"},
		"rest-api_2Pack_1.0.19.zip": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join(samples(t), name))
			require.NoError(t, err)
			_, files := entries(t, data)
			for file, content := range files {
				if strings.HasSuffix(file, "/dict/PackOut.xml") {
					for _, p := range pack.CheckXML(content) {
						assert.Contains(t, allowed, p.What, p.Error())
					}
				}
			}
		})
	}
}

// What real archives hold for a kind of record, ours holds too: every column
// that both write has the same kind of value.
func TestFitsRealArchives(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(samples(t), "rest-api_2Pack_1.0.19.zip"))
	require.NoError(t, err)
	_, files := entries(t, data)
	var exported *record
	for file, content := range files {
		if strings.HasSuffix(file, "/dict/PackOut.xml") {
			exported = read(t, content)
		}
	}
	require.NotNil(t, exported)
	type kind struct{ plain, reference bool }
	theirs, parents := map[string]kind{}, map[string]bool{}
	exported.walk(func(path string, r *record) {
		parents[path] = true
		for name, p := range r.props {
			k := theirs[r.name+"."+name]
			if p.reference == "" {
				k.plain = true
			} else {
				k.reference = true
			}
			theirs[r.name+"."+name] = k
		}
	})
	a := dict.NewTable("XX_A").With(dict.Standard, dict.ValueName, dict.Description, dict.Document).
		Column(dict.Column{Name: "XX_Kind", Type: dict.TypeList, Unique: true,
			Reference: dict.List("XX_A Kind", dict.ListValue{Value: "A", Name: "One", Description: "First"})}).
		WithWindow(dict.Window{Description: "All of A"})
	ours, err := pack.XML(newPlan(t, nil, a), nil)
	require.NoError(t, err)
	read(t, ours).walk(func(path string, r *record) {
		assert.True(t, parents[path], "%s: records of real archives do not stand there", path)
		for name, p := range r.props {
			k, ok := theirs[r.name+"."+name]
			if !ok {
				assert.Fail(t, "a property real archives do not have", "%s.%s", r.name, name)
				continue
			}
			assert.True(t, p.reference == "" && k.plain || p.reference != "" && k.reference, "%s.%s has another form", r.name, name)
		}
	})
}
