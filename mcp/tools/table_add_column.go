package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/mcp"
)

type addColumnIn struct {
	Table      string          `json:"table" jsonschema:"such as M_Product"`
	Column     json.RawMessage `json:"column" jsonschema:"name (XX_Kind), type and more, as in createTable"`
	EntityType string          `json:"entityType,omitempty" jsonschema:"U without it; ABC allows names ABC_…"`
	Field      bool            `json:"field,omitempty" jsonschema:"show it in the windows of the table"`
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
	if has, ok := t.Column(given.Name); ok {
		return &addColumnOut{Table: t.Name, Column: has.Name, Status: "exists", ID: has.ID, Note: b.text(c, fmt.Sprintf(columnExists, has.TypeName))}, nil
	}
	col, err := b.columnOf(ctx, c, t.Name, given)
	if err != nil {
		return nil, err
	}
	result, err := diff.Compare(ctx, reg, &dict.Options{NoSync: in.NoSync},
		dict.Table{Name: t.Name, EntityType: in.EntityType, Columns: []dict.Column{col}, Extends: &dict.Extension{Fields: in.Field}})
	if err != nil {
		return nil, notAddable(err)
	}
	plan, err := diff.NewPlan(result, nil)
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
	columns, err := readColumns(ctx, client, t.Name)
	if err != nil {
		return nil, err
	}
	if has := columnOfName(columns, col.Name); has != nil {
		b.changes.note()
		return &addColumnOut{Table: t.Name, Column: has.Name, Status: "exists", Note: b.text(c, fmt.Sprintf(columnExists, has.Type))}, nil
	}
	question := mcp.Ask("Add the column %s (%s) to the table %s "+placeOf(in.NoSync)+"?", mcp.Name(col.Name), col.Type, mcp.Name(t.Name))
	if err := c.Confirmed(ctx, planned(question, plan, func(string) bool { return true })); err != nil {
		return nil, err
	}
	run, err := b.runPlan(ctx, c, client, plan)
	if err != nil {
		return nil, columnNotAdded(err)
	}
	out.Status, out.Synced = "added", run.Count(restdict.Ran) > 0
	if !in.Field {
		out.Note = "no window shows it yet: a field for it is made in the window Window, Tab & Field"
	}
	for _, s := range run.Steps {
		step, _ := plan.Step(s.Key)
		if rec, ok := step.(*dict.RecordStep); ok && rec.Table == "AD_Column" && rec.Action == dict.Create {
			out.ID = numberOf(s.ID)
		}
	}
	return out, nil
}

// columnNotAdded is the error of a plan that was not run, or not to its end.
func columnNotAdded(err error) error {
	e := *mcp.ErrorOf(err)
	e.Hint = strings.ReplaceAll(e.Hint, "call createTable again with addMissing: what is done is found, and the rest follows", "call addColumn again: what is done is found, and syncTable changes the database")
	return &e
}

// columnArgument reads a column, strictly.
func columnArgument(raw json.RawMessage) (*columnIn, error) {
	wrong := func(message, hint string) (*columnIn, error) {
		return nil, fail(mcp.CodeInvalidArguments, hint, "addColumn: %s", message)
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
		if !slices.Contains(known, name) {
			hint := "a column has " + strings.Join(known, ", ")
			if near := mcp.Nearest(name, known); len(near) > 0 {
				hint = "did you mean " + near[0] + "? " + hint
			}
			return wrong(fmt.Sprintf("a column has no %q", clip(name, 40)), hint)
		}
	}
	var in columnIn
	if err := json.Unmarshal(raw, &in); err != nil {
		return wrong("the column cannot be read: "+clip(err.Error(), 200), "a column has "+strings.Join(known, ", "))
	}
	if in.Name == "" || in.Type == "" {
		return wrong("a column needs a name and a type", `such as {"name": "XX_Kind", "type": "String"}`)
	}
	return &in, nil
}

// notAddable is the error of a column that cannot be added.
func notAddable(err error) error {
	if isMissing(err) {
		return fromDict(err)
	}
	var invalid *dict.ValidationError
	if errors.As(err, &invalid) && len(invalid.Findings) == 1 {
		f := invalid.Findings[0]
		return fail(mcp.CodeInvalidArguments, f.Do, "addColumn: %s", clip(f.What, 600))
	}
	e := *mcp.ErrorOf(wrongDefinition(err))
	e.Message = strings.Replace(e.Message, "the table cannot be created", "the column cannot be added", 1)
	return &e
}
