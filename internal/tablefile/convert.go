package tablefile

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/adid"
)

// definition is the table a document describes.
func (doc *document) definition(d *decoder) (dict.Table, []Problem) {
	t := dict.Table{
		Name: doc.Table, Was: doc.Was, Label: doc.Label, Description: doc.Description, Help: doc.Help,
		AccessLevel: dict.AccessLevel(codeOf("access", doc.Access)), EntityType: doc.EntityType,
		Replication: dict.Replication(codeOf("replication", doc.Replication)),
		ChangeLog:   doc.ChangeLog, HighVolume: doc.HighVolume, NotDeleteable: doc.NoDelete, Security: doc.Security,
		View: doc.View, Partition: doc.Partition, Drill: doc.Drill, Removed: doc.Removed,
	}
	var problems []Problem
	switch {
	case doc.Extend != "":
		t.Name, t.Extends = doc.Extend, &dict.Extension{Fields: doc.Fields}
	case doc.Fields:
		problems = append(problems, Problem{d.places[doc], "the key fields goes with extend", "give the table a window, which has a field for each column"})
	}
	seen := map[string]bool{}
	for _, name := range doc.Templates {
		if seen[name] {
			problems = append(problems, Problem{d.places[doc], "the template " + name + " is named twice", "name it once"})
		}
		seen[name] = true
		t.Templates = append(t.Templates, dict.Template(name))
	}
	t.Columns = columnsOf(doc.Columns, d, &problems)
	if doc.Import != nil {
		t.Target = &dict.ImportTarget{Table: doc.Import.Table, Columns: columnsOf(doc.Import.Columns, d, &problems)}
	}
	for _, i := range doc.Indexes {
		t.Indexes = append(t.Indexes, dict.Index(i))
	}
	if w := doc.Window; w != nil {
		t.Window = &dict.Window{Name: w.Name, Was: w.Was, Description: w.Description, Type: dict.WindowType(codeOf("window", w.Type)),
			Purchase: w.Purchase, NoMenu: w.NoMenu, MenuParent: w.Menu, Roles: w.Roles}
	}
	return t, problems
}

func columnsOf(list []column, d *decoder, problems *[]Problem) []dict.Column {
	var columns []dict.Column
	for i := range list {
		c := &list[i]
		forms := 0
		for _, given := range []bool{c.Reference != nil, c.List != nil, c.Lookup != nil} {
			if given {
				forms++
			}
		}
		if forms > 1 {
			*problems = append(*problems, Problem{d.places[c], fmt.Sprintf("column %s has more than one of reference, list and lookup", quote(c.Name)), "keep one"})
		}
		columns = append(columns, c.definition())
	}
	return columns
}

func (c *column) definition() dict.Column {
	number, err := strconv.Atoi(string(c.Type))
	if err != nil {
		number, _ = strconv.Atoi(codeOf("type", string(c.Type)))
	}
	return dict.Column{
		Name: c.Name, Was: c.Was, Label: c.Label, Description: c.Description, Help: c.Help, Placeholder: c.Placeholder,
		Type: dict.DisplayType(number), Length: c.Length, Reference: c.reference(), ValRule: c.ValRule, Process: c.Process,
		Mandatory: c.Mandatory, NotUpdateable: c.NoUpdate, AlwaysUpdateable: c.AlwaysWrite, Key: c.Key, Parent: c.Parent,
		Unique: c.Unique, Identifier: c.Identifier, Selection: c.Selection, Translated: c.Translated, Secure: c.Secure,
		NotCopied: c.NoCopy, NotLogged: c.NoLog, Autocomplete: c.Autocompl, SeqNo: c.SeqNo, Default: c.Default,
		ReadOnlyLogic: c.ReadOnly, MandatoryLogic: c.MandatoryIf, Callout: c.Callout, VFormat: c.VFormat,
		FormatPattern: c.Pattern, Min: c.Min, Max: c.Max, SQL: c.SQL,
		ForeignKey: dict.FKRule(codeOf("foreignKey", c.ForeignKey)), ForeignKeyName: c.FKName,
		EntityType: c.EntityType, ElementID: c.ElementID,
	}
}

func (c *column) reference() *dict.Reference {
	switch {
	case c.List != nil:
		r := &dict.Reference{Name: c.List.Name, Was: c.List.Was, Description: c.List.Description, EntityType: c.List.EntityType}
		for _, v := range c.List.Values {
			r.Values = append(r.Values, dict.ListValue(v))
		}
		return r
	case c.Lookup != nil:
		l := c.Lookup
		return &dict.Reference{Name: l.Name, Was: l.Was, Description: l.Description, EntityType: l.EntityType,
			Lookup: &dict.TableLookup{Table: l.Table, Key: l.Key, Display: l.Display, ShowValue: l.ShowValue, Where: l.Where, OrderBy: l.OrderBy}}
	case c.Reference != nil:
		e := c.Reference
		return &dict.Reference{Name: e.Name, ID: e.ID, Target: e.Table, Description: e.Description, EntityType: e.EntityType}
	}
	return nil
}

// documentOf is the document that describes a table.
func documentOf(t dict.Table) (*document, error) {
	var w words
	doc := &document{
		Table: t.Name, Was: t.Was, Label: t.Label, Description: t.Description, Help: t.Help,
		Access: w.of("access", without(t.AccessLevel, dict.AccessClientOrg)), EntityType: without(t.EntityType, dict.DefaultEntityType),
		Replication: w.of("replication", without(t.Replication, dict.ReplicationLocal)),
		ChangeLog:   t.ChangeLog, HighVolume: t.HighVolume, NoDelete: t.NotDeleteable, Security: t.Security,
		View: t.View, Partition: t.Partition, Drill: t.Drill, Removed: t.Removed,
	}
	if t.Extends != nil {
		doc.Table, doc.Extend, doc.Fields = "", t.Name, t.Extends.Fields
	}
	for _, tpl := range t.Templates {
		doc.Templates = append(doc.Templates, w.of("template", string(tpl)))
	}
	doc.Columns = w.columns(t.Columns)
	if t.Target != nil {
		doc.Import = &importing{Table: t.Target.Table, Columns: w.columns(t.Target.Columns)}
	}
	for _, i := range t.Indexes {
		doc.Indexes = append(doc.Indexes, index(i))
	}
	if win := t.Window; win != nil {
		doc.Window = &window{Name: win.Name, Was: win.Was, Description: win.Description, Type: w.of("window", without(win.Type, dict.WindowMaintain)),
			Purchase: win.Purchase, NoMenu: win.NoMenu, Menu: win.MenuParent, Roles: win.Roles}
	}
	return doc, errors.Join(w.errs...)
}

// words finds the words of codes and remembers those that have none.
type words struct{ errs []error }

func (w *words) of(set, code string) string {
	text, ok := wordOf(set, code)
	if !ok {
		w.errs = append(w.errs, fmt.Errorf("there is no %s %s", set, quote(code)))
	}
	return text
}

// without is the code as text, empty for the default.
func without[T ~string](code, standard T) string {
	if code == standard {
		return ""
	}
	return string(code)
}

func (w *words) columns(list []dict.Column) []column {
	var columns []column
	for _, c := range list {
		out := column{
			Name: c.Name, Was: c.Was, Label: c.Label, Description: c.Description, Help: c.Help, Placeholder: c.Placeholder,
			Type: w.typeOf(c), Length: c.Length, ValRule: c.ValRule, Process: c.Process,
			Mandatory: c.Mandatory, NoUpdate: c.NotUpdateable, AlwaysWrite: c.AlwaysUpdateable, Key: c.Key, Parent: c.Parent,
			Unique: c.Unique, Identifier: c.Identifier, Selection: c.Selection, Translated: c.Translated, Secure: c.Secure,
			NoCopy: c.NotCopied, NoLog: c.NotLogged, Autocompl: c.Autocomplete, SeqNo: c.SeqNo, Default: c.Default,
			ReadOnly: c.ReadOnlyLogic, MandatoryIf: c.MandatoryLogic, Callout: c.Callout, VFormat: c.VFormat,
			Pattern: c.FormatPattern, Min: c.Min, Max: c.Max, SQL: c.SQL,
			ForeignKey: w.of("foreignKey", without(c.ForeignKey, dict.FKNoAction)), FKName: c.ForeignKeyName,
			EntityType: c.EntityType, ElementID: c.ElementID,
		}
		w.reference(&out, c.Reference)
		columns = append(columns, out)
	}
	return columns
}

func (w *words) typeOf(c dict.Column) typeName {
	if !c.Type.Known() && c.Type > adid.MaxOfficial {
		return typeName(strconv.Itoa(int(c.Type)))
	}
	if c.Type == 0 {
		w.errs = append(w.errs, fmt.Errorf("column %s has no type", quote(c.Name)))
		return ""
	}
	return typeName(w.of("type", strconv.Itoa(int(c.Type))))
}

func (w *words) reference(c *column, r *dict.Reference) {
	switch {
	case r == nil:
	case r.Lookup != nil && len(r.Values) > 0:
		w.errs = append(w.errs, fmt.Errorf("the reference %s is both a list and a table", quote(r.Name)))
	case r.Lookup != nil:
		l := r.Lookup
		c.Lookup = &lookup{Name: r.Name, Was: r.Was, Description: r.Description, EntityType: r.EntityType, Table: l.Table, Key: l.Key,
			Display: l.Display, ShowValue: l.ShowValue, Where: l.Where, OrderBy: l.OrderBy}
	case len(r.Values) > 0:
		c.List = &list{Name: r.Name, Was: r.Was, Description: r.Description, EntityType: r.EntityType}
		for _, v := range r.Values {
			c.List.Values = append(c.List.Values, entry(v))
		}
	default:
		c.Reference = &existing{Name: r.Name, ID: r.ID, Table: r.Target, Description: r.Description, EntityType: r.EntityType}
	}
}
