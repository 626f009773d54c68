package generator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/adid"
)

func modelGenerator() Generator {
	return Generator{
		Name: "model", Title: "model classes of tables", Addable: true,
		Description: "Interface I_, base class X_ and class M for tables of the dictionary, as the ERP's own generator writes them, " +
			"and what makes them known to the ERP. Getters that return other records are left out.",
		Options: join([]Option{
			{Name: "tables", Type: TypeStrings, Required: true, Example: "XX_Demo,XX_DemoLine", check: checkDictionaryName,
				Description: "Tables of the dictionary to write classes for."},
			{Name: "columnEntityType", Type: TypeString, check: textCheck(40),
				Description: "Take only columns that belong to this entity type."},
			{Name: "classes", Type: TypeBoolean, Default: true,
				Description: "Write the M class, too, where own logic goes."},
		}, pluginOptions()),
		build: func(ctx context.Context, p *project, v values) error {
			for _, table := range v.list("tables") {
				if err := p.main.model(ctx, v, table, v.text("columnEntityType"), v.flag("classes")); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// modelData is what the templates of models take.
type modelData struct {
	Package, Table, Label, Description string
	Class                              string // of the M class
	TableID                            int    // 0: determined at run time
	Access, AccessText                 string
	UUIDColumn                         string
	HasIDs                             bool // constructors with an id
	UUIDKey                            bool // no single id key
	HasName                            bool
	Columns                            []modelColumn
	Identifier                         *modelColumn
	Uses                               map[string]bool // of X_: BigDecimal, Timestamp, KeyNamePair, ValueNamePair
	Preset                             string          // comment in constructors
}

// modelColumn is a column as a model has it.
type modelColumn struct {
	Name, Label, Description, Java, Getter string
	Shown, Said                            string // label, and description or label, for comments
	Set, Get                               string // bodies of the methods
	Default                                string
	Standard, Virtual, Text                bool // Text: display type String
	Mandatory                              bool
	Setter                                 string // set_Value, set_ValueNoCheck, with E when encrypted
	Reader                                 string // get_Value or get_ValueE
	Limit                                  int    // ids below it are not a value, -1: not an id
	NoSetter                               bool   // of the interface
	ReferenceID                            int    // official one of a list
	List                                   string // name for its constants, empty: none
	Values                                 []modelValue
}

type modelValue struct{ Name, Value, Label string }

// Zero is how a mandatory column would be preset.
func (c modelColumn) Zero() string {
	switch c.Java {
	case "int":
		return "0"
	case "boolean":
		if strings.Contains(c.Default, "Y") {
			return "true"
		}
		return "false"
	case "BigDecimal":
		return "Env.ZERO"
	case "Timestamp":
		return "new Timestamp( System.currentTimeMillis() )"
	}
	return "null"
}

// model adds the classes of a table.
func (b *bundle) model(ctx context.Context, v values, table, entity string, classes bool) error {
	if b.reg == nil {
		return errors.New("model classes are generated from the dictionary, and there is none; connect to an ERP first")
	}
	t, err := b.reg.Table(ctx, table)
	if err != nil {
		return fmt.Errorf("model classes for %s: %w", quote(table), err)
	}
	if strings.HasSuffix(strings.ToLower(t.Name), "_trl") {
		v.bad("tables", t.Name, "is a table of translations, which have no model classes")
		return nil
	}
	data, err := b.modelData(ctx, v, &t, entity)
	if err != nil {
		return err
	}
	if data == nil {
		return nil
	}
	pkg := data.Package
	for name, template := range map[string]string{"I_" + t.Name: "I.java", "X_" + t.Name: "X.java"} {
		source, err := render(template, data)
		if err != nil {
			return err
		}
		b.class(pkg, name, source)
	}
	if classes {
		if err := b.ownClass(v, data); err != nil {
			return err
		}
	}
	b.titles = append(b.titles, "model classes of `"+t.Name+"`")
	return b.register(&modelKind, pkg)
}

// ownClass adds the M class, which is written once: one that is there stays.
func (b *bundle) ownClass(v values, data *modelData) error {
	if why := checkClass(data.Class); why != "" {
		v.bad("tables", data.Table, fmt.Sprintf("gives the class %s, whose name %s", data.Class, why))
		return nil
	}
	name := strings.ReplaceAll(data.Package, ".", "/") + "/" + data.Class + ".java"
	if _, twice := b.files[b.source()+"/"+name]; twice {
		v.bad("tables", data.Table, "gives the same class "+data.Class+" as another table; write classes for one of them elsewhere")
		return nil
	}
	if b.thereIs(b.source() + "/" + name) {
		return nil
	}
	source, err := render("M.java", data)
	if err != nil {
		return err
	}
	b.class(data.Package, data.Class, source)
	return nil
}

// modelClass is the name of a table's M class: without prefix and underscores.
func modelClass(table string) string {
	_, rest, ok := strings.Cut(table, "_")
	if !ok {
		rest = table
	}
	return "M" + strings.ReplaceAll(rest, "_", "")
}

// uuidColumn is the name of a table's UUID column, which old tables with long
// names have shortened.
func uuidColumn(t *registry.Table) string {
	full := t.Name + "_UU"
	if _, ok := t.Column(full); !ok && len(t.Name) > 27 {
		if c, ok := t.Column(t.Name[:27] + "_UU"); ok {
			return c.Name
		}
	}
	return full
}

func (b *bundle) modelData(ctx context.Context, v values, t *registry.Table, entity string) (*modelData, error) {
	if why := cmp.Or(checkDictionaryName(t.Name), checkElement(t.Name)); why != "" {
		v.bad("tables", t.Name, "has a name that "+why)
		return nil, nil
	}
	data := &modelData{Package: b.sub("model"), Table: t.Name, Label: cmp.Or(t.Label, t.Name), Description: t.Description, Class: modelClass(t.Name),
		Access: cmp.Or(string(t.AccessLevel), "3"), UUIDColumn: uuidColumn(t), Uses: map[string]bool{"BigDecimal": false, "Timestamp": false}}
	if !slices.Contains([]string{"1", "2", "3", "4", "6", "7"}, data.Access) {
		v.bad("tables", t.Name, fmt.Sprintf("has the access level %s, which there is not", quote(data.Access)))
		return nil, nil
	}
	if adid.Official(t.ID) {
		data.TableID = t.ID
	}
	data.AccessText = accessText(data.Access)
	columns := slices.DeleteFunc(t.Columns, func(c registry.Column) bool { return !c.Active })
	data.HasIDs, data.UUIDKey = keysOf(columns, data.UUIDColumn)
	columns = slices.DeleteFunc(columns, func(c registry.Column) bool {
		return strings.HasPrefix(c.SQL, "@SQL") || entity != "" && c.EntityType != entity
	})
	slices.SortFunc(columns, func(a, b registry.Column) int { return strings.Compare(a.Name, b.Name) })
	seen := map[string]string{}
	identifiers := 0
	for i := range columns {
		c := &columns[i]
		m, err := b.modelColumn(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("model classes for %s: column %s: %w", t.Name, c.Name, err)
		}
		if why := m.unfit(seen[m.Getter]); why != "" {
			v.bad("tables", t.Name+"."+c.Name, why)
		}
		seen[m.Getter] = c.Name
		data.Columns = append(data.Columns, m)
		data.HasName = data.HasName || c.Name == "Name"
		if c.Identifier && c.SeqNo == 1 && !m.Standard {
			if identifiers++; identifiers == 2 {
				v.bad("tables", t.Name, fmt.Sprintf("has two identifiers with sequence 1, %s and %s", data.Identifier.Name, c.Name))
			}
			data.Identifier = &m
		}
	}
	if len(data.Columns) == 0 {
		v.bad("tables", t.Name, "has no columns that classes could be written for")
		return nil, nil
	}
	data.imports()
	preset, err := render("preset", data)
	data.Preset = string(preset)
	return data, err
}

// unfit is why a column cannot be a member of the class; other has the same method.
func (m *modelColumn) unfit(other string) string {
	if why := checkDictionaryName(m.Name); why != "" {
		return "has a name that " + why
	}
	if memberClash(m.Name, m.Java) {
		return "would have the method " + m.Getter + ", which every record has already"
	}
	if other != "" {
		return "would have the same method " + m.Getter + " as " + other
	}
	return ""
}

// imports finds out what X_ has to import.
func (d *modelData) imports() {
	d.Uses["KeyNamePair"], d.Uses["ValueNamePair"] = d.Identifier != nil && !d.UUIDKey, d.Identifier != nil && d.UUIDKey
	for _, c := range d.Columns {
		if !c.Standard {
			d.Uses[c.Java] = true
		}
	}
}

// keysOf reports whether records are found by ids, and by the column of UUIDs.
func keysOf(columns []registry.Column, uuid string) (ids, uuids bool) {
	for _, c := range columns {
		if c.Key {
			return c.Name != uuid, c.Name == uuid
		}
		ids = ids || c.Parent
		uuids = uuids || c.Parent || c.Name == uuid
	}
	return ids, uuids
}

// accessText names an access level as the ERP's own classes do.
func accessText(level string) string {
	text := level
	if level >= "4" {
		text += " - System"
	}
	if strings.Contains("2367", level) {
		text += " - Client"
	}
	if strings.Contains("1357", level) {
		text += " - Org"
	}
	return text
}

// referenceOf is the reference of a column, nil if there is none.
func (b *bundle) referenceOf(ctx context.Context, c *registry.Column) (*registry.Reference, error) {
	if c.ReferenceID <= 0 {
		return nil, nil
	}
	r, err := b.reg.Reference(ctx, fmt.Sprint(c.ReferenceID), registry.WithInactive)
	if errors.Is(err, registry.ErrNotFound) {
		return nil, nil
	}
	return &r, err
}

func (b *bundle) modelColumn(ctx context.Context, c *registry.Column) (modelColumn, error) {
	m := modelColumn{Name: c.Name, Label: cmp.Or(c.Label, c.Name), Description: c.Description, Default: c.Default, Virtual: c.Virtual(),
		Text: c.Type == dict.TypeString, Setter: "set_Value", Reader: "get_Value", Limit: -1}
	m.Standard = standardColumn(c.Name)
	m.Shown = javadoc(m.Label)
	m.Said = javadoc(cmp.Or(m.Description, m.Label))
	m.Mandatory = c.Mandatory && !m.Virtual && !m.Standard
	reference, err := b.referenceOf(ctx, c)
	if err != nil {
		return m, err
	}
	key, err := b.lookupKey(ctx, c, reference)
	if err != nil {
		return m, err
	}
	m.Java = javaOfColumn(c, key)
	m.Getter = getterOf(c.Name, m.Java)
	if !c.Updateable {
		m.Setter = "set_ValueNoCheck"
	}
	if c.Encrypted {
		m.Setter, m.Reader = m.Setter+"E", m.Reader+"E"
	}
	if m.Java == "int" && strings.HasSuffix(c.Name, "_ID") {
		m.Limit = 1
		if zeroFrom0(c.Name) {
			m.Limit = 0
		}
	}
	m.NoSetter = slices.Contains([]string{"AD_Client_ID", "Created", "CreatedBy", "Updated", "UpdatedBy"}, c.Name)
	if m.Java == "String" && c.ReferenceID > 0 {
		m.List = strings.ToUpper(c.Name)
		if adid.Official(c.ReferenceID) {
			m.ReferenceID = c.ReferenceID
		}
		if reference != nil {
			m.Values = listConstants(reference.Values, m.List)
		}
	}
	m.Set, m.Get = m.setBody(), m.getBody()
	return m, nil
}

// standardColumn reports the seven columns that X_ inherits.
func standardColumn(name string) bool {
	switch name {
	case "AD_Client_ID", "AD_Org_ID", "IsActive", "Created", "CreatedBy", "Updated", "UpdatedBy":
		return true
	}
	return false
}

// lookupKey is the display type of the key that a table reference leads to, 0
// when the column has none.
func (b *bundle) lookupKey(ctx context.Context, c *registry.Column, r *registry.Reference) (dict.DisplayType, error) {
	if c.Type != dict.TypeTable && c.Type != dict.TypeSearch || r == nil || r.Lookup == nil {
		return 0, nil
	}
	t, err := b.reg.Table(ctx, r.Lookup.Table, registry.WithInactive)
	if errors.Is(err, registry.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	key, ok := t.Column(r.Lookup.Key)
	if !ok {
		return 0, nil
	}
	return key.Type, nil
}

// listConstants names the values of a list, each name once.
func listConstants(entries []registry.ListValue, list string) []modelValue {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b registry.ListValue) int { return strings.Compare(a.Value, b.Value) })
	taken := map[string]bool{list + "_AD_Reference_ID": true}
	var out []modelValue
	for _, e := range entries {
		name := cmp.Or(constantOf(e.Name), constantOf(e.Value), "Value")
		constant := list + "_" + name
		for n := 2; taken[constant]; n++ {
			constant = fmt.Sprintf("%s_%s_%d", list, name, n)
		}
		taken[constant] = true
		out = append(out, modelValue{constant, e.Value, e.Name})
	}
	return out
}

// UsesTimestamp reports whether I_ has a column of that type.
func (d *modelData) UsesTimestamp() bool {
	return slices.ContainsFunc(d.Columns, func(c modelColumn) bool { return c.Java == "Timestamp" })
}
