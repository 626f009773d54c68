package diff

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// columns compares the columns of a table.
func (c *comparer) columns(ctx context.Context, t dict.Table, expanded []dict.Column, info registry.Table, isNew bool) error {
	renumbered := identifierNumbers(expanded, info)
	names := map[string]bool{}
	for i, want := range expanded {
		names[strings.ToLower(want.Name)] = true
		given := givenColumn(t, expanded, i)
		has, there := info.Column(want.Name)
		if err := c.refersTo(ctx, t, want, given, has.Type); err != nil {
			return err
		}
		key := dict.Key("AD_Column." + t.Name + "." + want.Name)
		name := t.Name + "." + want.Name
		if !there {
			values, err := c.elementTexts(ctx, want, given)
			if err != nil {
				return err
			}
			if n, ok := renumbered[strings.ToLower(want.Name)]; ok {
				values = append(values, dict.ColumnValue{Column: "SeqNo", Value: dict.Int(n)})
			}
			if uuid := c.stepRecord(key).UUID; slices.ContainsFunc(info.Columns, func(has registry.Column) bool { return has.UUID == uuid }) {
				c.out.taken[key] = true
			}
			c.add(Change{Table: t.Name, Kind: KindColumn, Name: name, Action: Create, Detail: columnDetail(want), Step: key, Values: values})
			continue
		}
		record := existingColumn(existingTable(info.Name, info.ID), has.Name, has.ID)
		c.out.Found[key] = record
		if _, ok := c.out.renames.uuids[strings.ToLower(t.Name)][strings.ToLower(want.Name)]; ok {
			c.add(Change{Table: t.Name, Kind: KindColumn, Name: name, Action: Rename, Was: given.Was, Step: key})
			if _, err := c.elementTexts(ctx, want, given); err != nil {
				return err
			}
			e := c.elements[strings.ToLower(want.Name)] // the ERP gives the column its texts
			has.Label, has.Description, has.Help, has.Placeholder = e.Label, e.Description, e.Help, e.Placeholder
		}
		c.update(Change{Table: t.Name, Kind: KindColumn, Name: name, Step: key, Record: record,
			Attributes: c.compareColumn(want, given, has, renumbered)})
	}
	for _, has := range info.Columns {
		if names[strings.ToLower(has.Name)] || !has.Active {
			continue
		}
		c.add(Change{Table: t.Name, Kind: KindColumn, Name: t.Name + "." + has.Name, Action: Remove, Detail: infoDetail(has),
			Destructive:  "the column is deactivated, and what it holds is no longer reachable",
			Record:       existingColumn(existingTable(info.Name, info.ID), has.Name, has.ID),
			MakeOptional: has.Mandatory && !has.Virtual() && has.Type != dict.TypeYesNo && !usableDefault(has)})
	}
	return nil
}

// expandedFor are the columns of a table that the ERP has, or is to have. A definition
// that names no identifier gets one when its table is made; of a table that
// is there without any, it does not ask for one.
func expandedFor(t dict.Table, info registry.Table) []dict.Column {
	expanded := t.AllColumns()
	isIdentifier := func(c dict.Column) bool { return c.Identifier }
	if info.ID == 0 || slices.ContainsFunc(info.Columns, func(c registry.Column) bool { return c.Identifier }) ||
		slices.ContainsFunc(t.Columns, isIdentifier) ||
		slices.ContainsFunc(t.Templates, func(tpl dict.Template) bool { return slices.ContainsFunc(tpl.Columns(t.Name), isIdentifier) }) {
		return expanded
	}
	for i := range expanded {
		expanded[i].Identifier, expanded[i].SeqNo = false, 0
	}
	return expanded
}

// givenColumn is the column as the definition gives it; nil when a template or
// an import target brings it.
func givenColumn(t dict.Table, expanded []dict.Column, i int) *dict.Column {
	if own := i - (len(expanded) - len(t.Columns)); own >= 0 {
		return &t.Columns[own]
	}
	return nil
}

// refersTo compares the reference of a column. It fails when a column that had another
// type refers to a table that is not there; those of templates are in every ERP.
func (c *comparer) refersTo(ctx context.Context, t dict.Table, want dict.Column, given *dict.Column, had dict.DisplayType) error {
	if given != nil && want.Type != had {
		if _, err := c.target(ctx, want); err != nil {
			return err
		}
	}
	return c.reference(ctx, t, want)
}

// elementTexts are the texts that a new column has to be given after it is
// made, because its element is there with others, or is made for another
// table's column of the name.
func (c *comparer) elementTexts(ctx context.Context, want dict.Column, given *dict.Column) ([]dict.ColumnValue, error) {
	element, ok := c.elements[strings.ToLower(want.Name)]
	if !ok {
		element = want
		e, err := c.reg.Element(ctx, want.Name)
		switch {
		case err == nil && strings.EqualFold(e.Name, want.Name):
			element = dict.Column{Label: e.Label, Description: e.Description, Help: e.Help, Placeholder: e.Placeholder}
		case err != nil && !errors.Is(err, registry.ErrNotFound):
			return nil, err
		}
		c.elements[strings.ToLower(want.Name)] = element
	}
	if given == nil {
		return nil, nil
	}
	var values []dict.ColumnValue
	for _, text := range []struct{ column, wanted, has string }{
		{"Name", given.Label, element.Label}, {"Description", given.Description, element.Description},
		{"Help", given.Help, element.Help}, {"Placeholder", given.Placeholder, element.Placeholder},
	} {
		if text.wanted != "" && text.wanted != text.has {
			values = append(values, dict.ColumnValue{Column: text.column, Value: dict.Text(text.wanted)})
		}
	}
	return values, nil
}

// compareColumn lists the attributes that are not as they should be.
func (c *comparer) compareColumn(want dict.Column, given *dict.Column, has registry.Column, renumbered map[string]int) []Attribute {
	var list []Attribute
	if !has.Active {
		list = append(list, activate())
	}
	for _, a := range columnAttributes(want, given, has) {
		if a.Has == a.Wanted {
			continue
		}
		if r := want.Reference; a.Column == "AD_Reference_Value_ID" && r != nil && (len(r.Values) > 0 || r.Lookup != nil) {
			a.Value = dict.Ref(dict.Key("AD_Reference." + r.Name)) // made, or found by its own step
		}
		a.Destructive = risk(a.Column, want, has)
		list = append(list, a)
	}
	if n, ok := renumbered[strings.ToLower(want.Name)]; ok && want.Identifier {
		list = append(list, Attribute{Column: "SeqNo", Has: strconv.Itoa(has.SeqNo), Wanted: strconv.Itoa(n), Value: dict.Int(n)})
	}
	return list
}

// columnAttributes are the attributes of a column that count, those that are
// as they should be, too.
func columnAttributes(want dict.Column, given *dict.Column, has registry.Column) []Attribute {
	has = asSaved(has)
	var list []Attribute
	add := func(column, has, wanted string, value dict.Value) {
		list = append(list, Attribute{Column: column, Has: has, Wanted: wanted, Value: value})
	}
	text := func(column, has, wanted string) { add(column, has, wanted, dict.Text(wanted)) }
	flag := func(column string, has, wanted bool) { add(column, yesNo(has), yesNo(wanted), dict.YesNo(wanted)) }
	if given != nil {
		for _, t := range []struct{ column, has, wanted string }{
			{"Name", has.Label, given.Label}, {"Description", has.Description, given.Description},
			{"Help", has.Help, given.Help}, {"Placeholder", has.Placeholder, given.Placeholder},
		} {
			if t.wanted != "" {
				text(t.column, t.has, t.wanted)
			}
		}
	}
	add("AD_Reference_ID", typeText(has.Type), typeText(want.Type), dict.Existing{Table: "AD_Reference", ID: int(want.Type)})
	if lengthCounts(want, given, has) {
		add("FieldLength", strconv.Itoa(has.Length), strconv.Itoa(want.Length), dict.Int(want.Length))
	}
	list = append(list, referenceAttribute(want, has))
	add("AD_Val_Rule_ID", has.ValRule, want.ValRule, named("AD_Val_Rule", "Name", want.ValRule))
	add("AD_Process_ID", has.Process, want.Process, named("AD_Process", "Value", want.Process))
	text("DefaultValue", has.Default, want.Default)
	flag("IsKey", has.Key, want.Key)
	flag("IsParent", has.Parent, want.Parent)
	flag("IsMandatory", has.Mandatory, want.Mandatory)
	flag("IsUpdateable", has.Updateable, !want.NotUpdateable)
	flag("IsAlwaysUpdateable", has.AlwaysUpdateable, want.AlwaysUpdateable)
	flag("IsIdentifier", has.Identifier, want.Identifier)
	flag("IsSelectionColumn", has.Selection, want.Selection)
	flag("IsTranslated", has.Translated, want.Translated)
	flag("IsSecure", has.Secure, want.Secure)
	flag("IsAllowCopy", has.Copied, !want.NotCopied)
	flag("IsAllowLogging", has.Logged, !want.NotLogged)
	flag("IsAutocomplete", has.Autocomplete, want.Autocomplete)
	text("ReadOnlyLogic", has.ReadOnlyLogic, want.ReadOnlyLogic)
	text("MandatoryLogic", has.MandatoryLogic, want.MandatoryLogic)
	text("Callout", has.Callout, want.Callout)
	text("VFormat", has.VFormat, want.VFormat)
	text("FormatPattern", has.FormatPattern, want.FormatPattern)
	text("ValueMin", has.Min, want.Min)
	text("ValueMax", has.Max, want.Max)
	text("ColumnSQL", has.SQL, want.SQL)
	if given != nil && (given.ForeignKey != "" || !has.Standard() && cmp.Or(has.ForeignKey, dict.FKNoAction) != want.ForeignKey) {
		text("FKConstraintType", string(cmp.Or(has.ForeignKey, dict.FKNoAction)), string(want.ForeignKey))
	}
	if given != nil && given.ForeignKeyName != "" {
		text("FKConstraintName", has.ForeignKeyName, given.ForeignKeyName)
	}
	text("EntityType", has.EntityType, want.EntityType)
	return list
}

// asSaved is the column as the ERP would save it today. The ERP's own tables
// have columns from before some of its rules, such as that a Yes-No column is
// mandatory; no definition could have them.
func asSaved(has registry.Column) registry.Column {
	c := spelledOut(has)
	alone := expandAlone(dict.Table{Name: has.Table}, c, "")
	has.Mandatory, has.Updateable, has.AlwaysUpdateable = alone.Mandatory, !alone.NotUpdateable, alone.AlwaysUpdateable
	has.Copied, has.Logged, has.Default, has.Length = !alone.NotCopied, !alone.NotLogged, alone.Default, alone.Length
	has.Identifier = alone.Identifier
	return has
}

// spelledOut is a column with every attribute given, apart from texts,
// reference and foreign key.
func spelledOut(has registry.Column) dict.Column {
	return dict.Column{
		Name: has.Name, Type: has.Type, Length: has.Length, ValRule: has.ValRule, Process: has.Process,
		Mandatory: has.Mandatory, NotUpdateable: !has.Updateable, AlwaysUpdateable: has.AlwaysUpdateable,
		Key: has.Key, Parent: has.Parent, Identifier: has.Identifier, Selection: has.Selection, Translated: has.Translated,
		Secure: has.Secure, NotCopied: !has.Copied, NotLogged: !has.Logged, Autocomplete: has.Autocomplete,
		Default: has.Default, ReadOnlyLogic: has.ReadOnlyLogic, MandatoryLogic: has.MandatoryLogic, Callout: has.Callout,
		VFormat: has.VFormat, FormatPattern: has.FormatPattern, Min: has.Min, Max: has.Max, SQL: has.SQL, EntityType: has.EntityType,
	}
}

// typeText shows a display type; a custom one by its number.
func typeText(t dict.DisplayType) string { return t.String() }

// named refers to a record by name; an empty name clears the reference, which
// the ERP writes as -1.
func named(table, column, name string) dict.Value {
	if name == "" {
		return dict.Int(-1)
	}
	return dict.Existing{Table: table, Match: []dict.Match{{Column: column, Value: dict.Text(name)}}}
}

// referenceAttribute compares what the values are chosen from: by the id when
// the definition gives one, else by name.
func referenceAttribute(want dict.Column, has registry.Column) Attribute {
	a := Attribute{Column: "AD_Reference_Value_ID", Has: has.Reference, Value: dict.Int(-1)}
	r := want.Reference
	if r == nil {
		return a
	}
	a.Wanted, a.Value = r.Name, existingReference(r.Name, r.ID)
	if r.ID != 0 {
		a.Value = dict.Existing{Table: "AD_Reference", ID: r.ID, Match: []dict.Match{{Column: "Name", Value: dict.Text(r.Name)}}}
		if r.ID == has.ReferenceID {
			a.Has = r.Name
		}
	}
	return a
}

// lengthCounts reports whether a difference in length is one: when the
// definition gives the length, or the database would notice.
func lengthCounts(want dict.Column, given *dict.Column, has registry.Column) bool {
	if given != nil && given.Length != 0 {
		return true
	}
	return slices.ContainsFunc([]dict.Dialect{dict.PostgreSQL, dict.Oracle}, func(dialect dict.Dialect) bool {
		return want.Type.SQLType(dialect, want.Name, want.Length) != want.Type.SQLType(dialect, want.Name, has.Length)
	})
}

// identifierNumbers gives new numbers to identifiers, by lower-case name, when
// their order is not the wanted one. The ERP wants numbers to be unique at every
// moment, so they are counted from above those in use.
func identifierNumbers(expanded []dict.Column, info registry.Table) map[string]int {
	wanted := slices.DeleteFunc(slices.Clone(expanded), func(c dict.Column) bool { return !c.Identifier })
	slices.SortStableFunc(wanted, func(a, b dict.Column) int { return cmp.Compare(a.SeqNo, b.SeqNo) })
	highest, last, inOrder := 0, 0, true
	taken := map[int]string{}
	for _, has := range info.Columns {
		if has.Identifier {
			highest = max(highest, has.SeqNo)
			taken[has.SeqNo] = strings.ToLower(has.Name)
		}
	}
	for _, c := range wanted {
		has, ok := info.Column(c.Name)
		number := c.SeqNo
		if ok && has.Identifier {
			number = has.SeqNo
		} else if owner := taken[number]; owner != "" && owner != strings.ToLower(c.Name) {
			inOrder = false
		}
		inOrder = inOrder && number > last
		last = number
	}
	numbers := map[string]int{}
	if inOrder {
		for _, c := range wanted { // those that become identifiers take their number along
			if has, ok := info.Column(c.Name); ok && !has.Identifier && has.SeqNo != c.SeqNo {
				numbers[strings.ToLower(c.Name)] = c.SeqNo
			}
		}
		return numbers
	}
	for i, c := range wanted {
		numbers[strings.ToLower(c.Name)] = highest + 1 + i
	}
	return numbers
}

// usableDefault reports whether the database fills the column by itself.
func usableDefault(c registry.Column) bool {
	return c.Default != "" && !strings.Contains(c.Default, "@")
}

// columnDetail says in a few words what a column is.
func columnDetail(c dict.Column) string {
	return detail(c.Type, c.Length, c.Key, c.Mandatory, c.SQL != "", c.Default)
}

func infoDetail(c registry.Column) string {
	return detail(c.Type, c.Length, c.Key, c.Mandatory, c.SQL != "", c.Default)
}

func detail(t dict.DisplayType, length int, key, mandatory, virtual bool, standard string) string {
	text := typeText(t)
	if length > 0 && (t.IsText() || t.IsList()) {
		text += "(" + strconv.Itoa(length) + ")"
	}
	for _, f := range []struct {
		on   bool
		word string
	}{{key, "key"}, {virtual, "virtual"}, {mandatory, "mandatory"}, {standard != "", "default " + standard}} {
		if f.on {
			text += ", " + f.word
		}
	}
	return text
}
