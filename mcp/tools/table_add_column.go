package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

type addColumnIn struct {
	Table      string          `json:"table" jsonschema:"such as M_Product"`
	Column     json.RawMessage `json:"column" jsonschema:"name (XX_Kind), type and more, as in createTable"`
	EntityType string          `json:"entityType,omitempty" jsonschema:"U without it; ABC allows names ABC_…"`
	NoSync     bool            `json:"noSync,omitempty" jsonschema:"leave the database alone"`
	DryRun     bool            `json:"dryRun,omitempty" jsonschema:"only show the plan"`
}

type addColumnOut struct {
	Table  string     `json:"table"`
	Column string     `json:"column"`
	Status string     `json:"status" jsonschema:"added, exists (unchanged) or planned"`
	ID     int        `json:"id,omitempty" jsonschema:"AD_Column_ID"`
	Synced bool       `json:"synced,omitempty" jsonschema:"the database has the column"`
	Steps  []dict.Row `json:"steps,omitempty" jsonschema:"with dryRun: what would be done, in order"`
	Note   string     `json:"note,omitempty"`
}

func (b *Toolbox) addColumn() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "addColumn", Title: "Add a column", Sets: []string{SetTable}, Hints: mcp.Hints{Idempotent: true}, Timeout: buildTimeout, Confirms: true, Cost: mcp.Cost{APICalls: 20},
		Description: "Adds a column to a table of the ERP, in dictionary and database, after asking the user. Needs a role of the System tenant.",
		Input: input[addColumnIn](shorter(120, "table"), shorter(40, "entityType"), func(s *jsonschema.Schema) {
			p := property(s, "column")
			*p = jsonschema.Schema{Type: "object", Description: p.Description}
		}),
	}, b.runAddColumn)
}

// columnExists is said of a column that exists, with its type.
const columnExists = "it exists already as %s, and was left as it is; where the database lacks it, syncTable adds it"

func (b *Toolbox) runAddColumn(ctx context.Context, c *mcp.Call, in addColumnIn) (*addColumnOut, error) {
	given, err := columnArgument(in.Column)
	if err != nil {
		return nil, err
	}
	reg, t, err := b.freshTable(ctx, c, in.Table)
	if err != nil {
		return nil, err
	}
	if t.View {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: t.Name + " is a view: its columns come from its statement in the database", Hint: "searchRegistry finds the table behind it"}
	}
	if has, ok := t.Column(given.Name); ok {
		return &addColumnOut{Table: t.Name, Column: has.Name, Status: "exists", ID: has.ID, Note: b.text(c, fmt.Sprintf(columnExists, has.TypeName))}, nil
	}
	if err := ownName(&t, given, in.EntityType); err != nil {
		return nil, err
	}
	col, err := b.columnOf(ctx, c, t.Name, given)
	if err != nil {
		return nil, err
	}
	if target, ok := strings.CutSuffix(col.Name, "_ID"); ok && col.Reference == nil && col.Type.IsLookup() {
		if _, err := reg.Table(ctx, target); err != nil { // its name says what it points to
			return nil, fromDict(err)
		}
	}
	if col.EntityType = in.EntityType; col.EntityType == "" {
		col.EntityType = dict.DefaultEntityType
	}
	if col.Reference != nil {
		col.Reference.EntityType = col.EntityType
	}
	plan, err := columnPlan(ctx, reg, t.Name, col, in.NoSync)
	if err != nil {
		return nil, err
	}
	if err := b.mayWrite(ctx, c, planTables(plan)...); err != nil {
		return nil, err
	}
	out := &addColumnOut{Table: t.Name, Column: col.Name}
	if in.DryRun {
		out.Status, out.Steps, out.Note = "planned", fitting(plan.Rows()), "nothing was done"
		return out, nil
	}
	ctx, client, err := b.connect(ctx, c, "add columns")
	if err != nil {
		return nil, err
	}
	has, err := columnNow(ctx, client, t.Name, col.Name)
	switch {
	case err != nil:
		return nil, err
	case has != nil:
		b.changes.note()
		return &addColumnOut{Table: t.Name, Column: has.Name, Status: "exists", Note: b.text(c, fmt.Sprintf(columnExists, has.Type))}, nil
	}
	where := "in the dictionary and the database"
	if in.NoSync {
		where = "in the dictionary"
	}
	question := mcp.Ask("Add the column %s (%s) to the table %s "+where+"?", mcp.Name(col.Name), col.Type, mcp.Name(t.Name))
	if err := c.Confirmed(ctx, planned(question, plan, func(string) bool { return true })); err != nil {
		return nil, err
	}
	result, err := restdict.Run(ctx, client, plan, &restdict.Options{BatchSize: 50, Observe: func(e restdict.Event) {
		if e.Kind != restdict.StepStarted && e.Step != nil {
			c.Progress(float64(e.Number), float64(e.Total), e.Step.Title())
		}
	}})
	b.changes.note()
	if err != nil {
		return nil, columnNotAdded(err)
	}
	out.Status, out.Synced = "added", result.Count(restdict.Ran) > 0
	out.Note = "no window shows it yet: a field for it is made in the window Window, Tab & Field"
	for _, s := range result.Steps {
		step, _ := plan.Step(s.Key)
		if rec, ok := step.(*dict.RecordStep); ok && rec.Table == "AD_Column" && rec.Action == dict.Create {
			if n, ok := s.ID.Int(); ok {
				out.ID = int(n)
			}
		}
	}
	return out, nil
}

// columnNow is a column that a table has in the ERP, which may be newer than the
// dictionary at hand; nil: it has none of the name.
func columnNow(ctx context.Context, client *erp.Client, table, name string) (*dict.Column, error) {
	columns, err := restdict.ReadColumns(ctx, client, table)
	if err != nil {
		return nil, fmt.Errorf("reading the columns of %s: %w", table, err)
	}
	at := slices.IndexFunc(columns, func(col dict.Column) bool { return strings.EqualFold(col.Name, name) })
	if at < 0 {
		return nil, nil
	}
	return &columns[at], nil
}

// columnNotAdded is the error of a plan that was not run, or not to its end.
func columnNotAdded(err error) error {
	e := *mcp.ErrorOf(notRun(err))
	e.Hint = strings.ReplaceAll(e.Hint, "call createTable again with addMissing: what is done is found, and the rest follows", "call addColumn again: what is done is found, and syncTable changes the database")
	return &e
}

// columnArgument reads a column, strictly.
func columnArgument(raw json.RawMessage) (*columnIn, error) {
	wrong := func(message, hint string) (*columnIn, error) {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "addColumn: " + message, Hint: hint}
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return wrong("the column is no JSON object", `such as {"name": "XX_Kind", "type": "String"}`)
	}
	var known []string
	for i, t := 0, reflect.TypeFor[columnIn](); i < t.NumField(); i++ {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		known = append(known, name)
	}
	for name := range given {
		found := false
		for _, k := range known {
			found = found || k == name
		}
		if !found {
			hint := "a column has " + strings.Join(known, ", ")
			if near := mcp.Nearest(name, known); len(near) > 0 {
				hint = "did you mean " + near[0] + "? " + hint
			}
			return wrong(fmt.Sprintf("a column has no %q", clip(name, 40)), hint)
		}
	}
	var in columnIn
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&in); err != nil {
		return wrong("the column cannot be read: "+clip(err.Error(), 200), "a column has "+strings.Join(known, ", "))
	}
	if in.Name == "" || in.Type == "" {
		return wrong("a column needs a name and a type", `such as {"name": "XX_Kind", "type": "String"}`)
	}
	return &in, nil
}

// ownName refuses names and entity types that belong to the ERP: an update of it could
// bring a column of the same name.
func ownName(t *registry.Table, col *columnIn, entityType string) error {
	wrong := func(message, hint string) error {
		return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "addColumn: " + message, Hint: hint}
	}
	if entityType == "D" || entityType == "C" {
		return wrong("the entity type "+entityType+" is the ERP's own", "leave entityType out, or give that of your plugin")
	}
	prefixes := []string{dict.CustomPrefix}
	if entityType != "" && entityType != dict.DefaultEntityType {
		prefixes = append(prefixes, entityType+"_")
	}
	own := t.Custom()
	for _, p := range prefixes {
		own = own || strings.HasPrefix(col.Name, p) && len(col.Name) > len(p)
	}
	if !own {
		return wrong(fmt.Sprintf("%s is a table of the ERP: the name of a column added to it begins with %s, and %q does not", t.Name, strings.Join(prefixes, " or "), clip(col.Name, 63)),
			"a prefix keeps it apart from columns that updates of the ERP bring; a reference under another name has the type Table and pointsTo")
	}
	if col.Mandatory && col.Default == "" {
		return wrong(fmt.Sprintf("the column %s is mandatory without a default, and the rows there are would have no value", clip(col.Name, 63)), "give a default, or leave mandatory out")
	}
	return nil
}

// columnPlan is the plan that adds a column to a table that exists, and nothing else.
func columnPlan(ctx context.Context, reg registry.Registry, table string, col dict.Column, noSync bool) (*dict.Plan, error) {
	definition, _, err := diff.Definition(ctx, reg, table)
	if err != nil {
		return nil, fromDict(err)
	}
	definition = definition.Column(col)
	definition.Window = nil
	result, err := diff.Compare(ctx, reg, &dict.Options{NoSync: noSync, AnyPrefix: true, Known: diff.Known(ctx, reg)}, definition)
	if err != nil {
		e := *mcp.ErrorOf(wrongDefinition(err))
		e.Message = strings.Replace(e.Message, "the table cannot be created", "the column cannot be added", 1)
		return nil, &e
	}
	for _, change := range result.Changes {
		if change.Action != diff.Create {
			return nil, &mcp.Error{
				Code: mcp.CodeConflict, Message: fmt.Sprintf("adding %s would change more than that: %s of %s", col.Name, change.Action, clip(change.Name, 120)),
				Hint: "nothing was done; let an administrator add it in the window Table and Column",
			}
		}
	}
	return diff.NewPlan(result, nil)
}
