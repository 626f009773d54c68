package diff

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// window compares the window of a table, if the definition has one: its
// record, that it has a tab for the table, and a field for each column.
func (c *comparer) window(ctx context.Context, t dict.Table, info registry.Table) error {
	if t.Window == nil {
		return nil
	}
	var window, tab *dict.RecordStep
	var fields []*dict.RecordStep
	pointer := dict.Key("window." + t.Name)
	for _, step := range c.steps {
		r, ok := step.(*dict.RecordStep)
		switch {
		case !ok:
		case r.Table == "AD_Tab" && refersTo(r, "AD_Table_ID", dict.Key(t.Name)):
			tab = r
			v, _ := r.Value("AD_Window_ID")
			if ref, ok := v.(dict.Ref); ok {
				window = c.stepRecord(dict.Key(ref))
			}
		case r.Table == "AD_Field" && tab != nil && refersTo(r, "AD_Tab_ID", tab.Key):
			fields = append(fields, r)
		}
	}
	if window == nil {
		return nil
	}
	has, err := c.reg.Window(ctx, window.Name, registry.WithInactive)
	isNew := errors.Is(err, registry.ErrNotFound) || err == nil && has.Name != window.Name
	if err != nil && !isNew {
		return err
	}
	if isNew {
		if _, made := c.out.Found[window.Key]; !made && !c.seen[string(window.Key)] {
			c.seen[string(window.Key)] = true
			c.add(Change{Table: t.Name, Kind: KindWindow, Name: window.Name, Action: Create, Step: window.Key})
		}
		return nil
	}
	record := dict.Existing{Table: "AD_Window", ID: official(has.ID), Match: []dict.Match{{Column: "Name", Value: dict.Text(has.Name)}}}
	c.out.Found[window.Key] = record
	if was, ok := c.out.renames.windows[window.Name]; ok {
		c.add(Change{Table: t.Name, Kind: KindWindow, Name: window.Name, Action: Rename, Was: was.name, Step: window.Key, Record: record})
	}
	if info.WindowID == has.ID {
		c.out.Found[pointer] = record // nothing refers to it
	} else if info.ID != 0 {
		c.add(Change{Table: t.Name, Kind: KindTable, Name: t.Name, Action: Update, Step: pointer,
			Attributes: []Attribute{{Column: "AD_Window_ID", Has: registry.WindowName(ctx, c.reg, info.WindowID), Wanted: has.Name, Value: dict.Ref(window.Key)}}})
	}
	for _, made := range []string{"AD_Menu.", "AD_TreeNodeMM."} {
		c.out.Found[dict.Key(made+window.Name)] = record // belongs to people once it is made
	}
	for _, step := range c.steps {
		if r, ok := step.(*dict.RecordStep); ok && r.Table == "AD_Window_Access" && refersTo(r, "AD_Window_ID", window.Key) {
			c.out.Found[r.Key] = record
		}
	}
	var list []Attribute
	if !has.Active {
		list = append(list, activate())
	}
	list = appendText(list, "WindowType", string(has.Type), window.Text("WindowType"))
	if want := window.Text("IsSOTrx"); want != yesNo(has.Sales) {
		list = append(list, Attribute{Column: "IsSOTrx", Has: yesNo(has.Sales), Wanted: want, Value: dict.YesNo(want == "Y")})
	}
	if t.Window.Description != "" {
		list = appendText(list, "Description", has.Description, t.Window.Description)
	}
	c.update(Change{Table: t.Name, Kind: KindWindow, Name: window.Name, Step: window.Key, Record: record, Attributes: list})
	c.tab(t, info, has, record, tab, fields)
	return nil
}

func (c *comparer) tab(t dict.Table, info registry.Table, window registry.Window, record dict.Existing, tab *dict.RecordStep, fields []*dict.RecordStep) {
	var has *registry.Tab
	for i := range window.Tabs {
		if own := &window.Tabs[i]; info.ID != 0 && own.TableID == info.ID && (has == nil || !has.Active && own.Active) {
			has = own
		}
	}
	if has == nil {
		c.add(Change{Table: t.Name, Kind: KindTab, Name: tab.Name, Action: Create, Step: tab.Key})
		return
	}
	table := existingTable(info.Name, info.ID)
	there := dict.Existing{Table: "AD_Tab", ID: official(has.ID), Match: []dict.Match{
		{Column: "AD_Window_ID", Value: record}, {Column: "AD_Table_ID", Value: table}}}
	c.out.Found[tab.Key] = there
	if !has.Active {
		c.update(Change{Table: t.Name, Kind: KindTab, Name: tab.Name, Step: tab.Key, Record: there, Attributes: []Attribute{activate()}})
	}
	shown := map[string]bool{}
	for _, f := range has.Fields {
		shown[strings.ToLower(f.Column)] = true
	}
	// The ERP's own windows have no fields for when and by whom a record was
	// written; a definition has them, not displayed. Without any of them nothing
	// differs for people.
	stamped := slices.ContainsFunc(stamps, func(name string) bool { return shown[strings.ToLower(name)] })
	for _, f := range fields {
		column := lastName(f, "AD_Column_ID")
		if shown[strings.ToLower(column)] || !stamped && slices.Contains(stamps, column) {
			c.out.Found[f.Key] = there
		} else {
			c.add(Change{Table: t.Name, Kind: KindField, Name: f.Name, Action: Create, Step: f.Key})
		}
	}
}

// stamps are the columns that say when and by whom a record was written.
var stamps = []string{"Created", "CreatedBy", "Updated", "UpdatedBy"}
