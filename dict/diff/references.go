package diff

import (
	"context"
	"errors"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// reference compares the list or lookup that a column makes. References are
// shared by name, so each is looked at once.
func (c *comparer) reference(ctx context.Context, t dict.Table, column dict.Column) error {
	r := column.Reference
	if r == nil || len(r.Values) == 0 && r.Lookup == nil || c.seen[r.Name] {
		return nil
	}
	c.seen[r.Name] = true
	key := dict.Key("AD_Reference." + r.Name)
	info, err := c.reg.Reference(ctx, r.Name, registry.WithInactive)
	isNew := errors.Is(err, registry.ErrNotFound) || err == nil && info.Name != r.Name
	if err != nil && !isNew {
		return err
	}
	if isNew {
		what := "list"
		if r.Lookup != nil {
			what = "lookup in " + r.Lookup.Table
		}
		c.add(Change{Table: t.Name, Kind: KindReference, Name: r.Name, Action: Create, Detail: what, Step: key})
		for _, v := range r.Values {
			c.add(Change{Table: t.Name, Kind: KindListValue, Name: r.Name + "." + v.Value, Action: Create, Detail: v.Name,
				Step: dict.Key("AD_Ref_List." + r.Name + "." + v.Value)})
		}
		return nil
	}
	record := existingReference(info.Name, info.ID)
	c.out.Found[key] = record
	var own []Attribute
	if !info.Active {
		own = append(own, activate())
	}
	if was, ok := c.out.renames.references[r.Name]; ok {
		c.add(Change{Table: t.Name, Kind: KindReference, Name: r.Name, Action: Rename, Was: was.name, Step: key, Record: record})
	}
	kind := registry.ReferenceList
	if r.Lookup != nil {
		kind = registry.ReferenceTable
	}
	if info.Kind != kind {
		own = append(own, Attribute{Column: "ValidationType", Has: string(info.Kind), Wanted: string(kind), Value: dict.Text(kind),
			Destructive: "every column with this reference is affected"})
	}
	own = appendText(own, "Description", info.Description, r.Description)
	own = appendText(own, "EntityType", info.EntityType, r.EntityType)
	c.update(Change{Table: t.Name, Kind: KindReference, Name: r.Name, Step: key, Record: record, Attributes: own})
	c.listValues(t, r, info, record)
	c.lookup(t, r, info, record)
	return nil
}

func (c *comparer) listValues(t dict.Table, r *dict.Reference, info registry.Reference, reference dict.Existing) {
	if r.Lookup != nil {
		return
	}
	entry := func(value string) dict.Existing {
		return dict.Existing{Table: "AD_Ref_List", Match: []dict.Match{
			{Column: "AD_Reference_ID", Value: reference}, {Column: "Value", Value: dict.Text(value)}}}
	}
	has := map[string]registry.ListValue{}
	for _, e := range info.Values {
		if before, ok := has[e.Value]; !ok || !before.Active {
			has[e.Value] = e
		}
	}
	wanted := map[string]bool{}
	for _, v := range r.Values {
		wanted[v.Value] = true
		key := dict.Key("AD_Ref_List." + r.Name + "." + v.Value)
		name := r.Name + "." + v.Value
		e, ok := has[v.Value]
		if !ok {
			c.add(Change{Table: t.Name, Kind: KindListValue, Name: name, Action: Create, Detail: v.Name, Step: key})
			continue
		}
		c.out.Found[key] = entry(v.Value)
		var list []Attribute
		if !e.Active {
			list = append(list, activate())
		}
		list = appendText(list, "Name", e.Name, v.Name)
		list = appendText(list, "Description", e.Description, v.Description)
		c.update(Change{Table: t.Name, Kind: KindListValue, Name: name, Step: key, Record: entry(v.Value), Attributes: list})
	}
	for _, e := range info.Values {
		if e.Active && !wanted[e.Value] {
			c.add(Change{Table: t.Name, Kind: KindListValue, Name: r.Name + "." + e.Value, Action: Remove, Detail: e.Name,
				Destructive: "the value can no longer be chosen, and records that have it show its code", Record: entry(e.Value)})
		}
	}
}

func (c *comparer) lookup(t dict.Table, r *dict.Reference, info registry.Reference, reference dict.Existing) {
	key := dict.Key("AD_Ref_Table." + r.Name)
	step := c.stepRecord(key)
	if step == nil {
		return
	}
	record := dict.Existing{Table: "AD_Ref_Table", Match: []dict.Match{{Column: "AD_Reference_ID", Value: reference}}}
	l := info.Lookup
	if l == nil {
		c.add(Change{Table: t.Name, Kind: KindLookup, Name: r.Name, Action: Create, Detail: "lookup in " + r.Lookup.Table, Step: key})
		return
	}
	c.out.Found[key] = record
	var list []Attribute
	if !l.Active {
		list = append(list, activate())
	}
	for _, a := range []struct {
		column, has, wanted string
		fold                bool
	}{
		{"AD_Table_ID", l.Table, r.Lookup.Table, true},
		{"AD_Key", l.Key, lastName(step, "AD_Key"), true},
		{"AD_Display", l.Display, lastName(step, "AD_Display"), true},
		{"IsValueDisplayed", yesNo(l.ShowValue), yesNo(r.Lookup.ShowValue), false},
		{"WhereClause", l.Where, r.Lookup.Where, false},
		{"OrderByClause", l.OrderBy, r.Lookup.OrderBy, false},
	} {
		if a.has == a.wanted || a.fold && strings.EqualFold(a.has, a.wanted) {
			continue
		}
		value, ok := step.Value(a.column)
		if !ok {
			value = dict.Text("")
		}
		list = append(list, Attribute{Column: a.column, Has: a.has, Wanted: a.wanted, Value: value})
	}
	c.update(Change{Table: t.Name, Kind: KindLookup, Name: r.Name, Step: key, Record: record, Attributes: list})
}

// lastName is the column name in a step's reference to a column, of the plan
// or of the ERP.
func lastName(step *dict.RecordStep, column string) string {
	v, _ := step.Value(column)
	switch v := v.(type) {
	case dict.Ref:
		key := string(v)
		return key[strings.LastIndexByte(key, '.')+1:]
	case dict.Existing:
		if n := len(v.Match); n > 0 {
			text, _ := v.Match[n-1].Value.(dict.Text)
			return string(text)
		}
	}
	return ""
}

func appendText(list []Attribute, column, has, wanted string) []Attribute {
	if has == wanted {
		return list
	}
	return append(list, Attribute{Column: column, Has: has, Wanted: wanted, Value: dict.Text(wanted)})
}
