package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// buildTimeout bounds tools that change the dictionary, and have the database
// changed.
const buildTimeout = 5 * time.Minute

func (b *Toolbox) tableTools() mcp.Set {
	return slices.Concat(
		needs[backend.Connector](b, b.createTable(), b.addColumn(), b.syncTable()), needs[backend.Registrar](b, b.listTablesByEntity()),
		needs[backend.Connector](b, b.deleteTable()), mcp.Set{b.getColumnPrefixHelp()},
	)
}

// connection is a connection to the ERP's REST API that acts as the caller.
type connection struct {
	ctx    context.Context
	client *erp.Client
}

// connect takes the first backend that gives a connection. what names the work
// it is for.
func (b *Toolbox) connect(ctx context.Context, c *mcp.Call, what string) (context.Context, *erp.Client, error) {
	conn, _, err := backend.Read(ctx, b.pool, what, func(ctx context.Context, k backend.Connector) (connection, error) {
		ctx, client, err := k.Connect(ctx, c.Caller)
		return connection{ctx, client}, err
	})
	return conn.ctx, conn.client, err
}

// freshTable describes a table, and reads the dictionary again when the ERP has
// one that the dictionary at hand does not have yet.
func (b *Toolbox) freshTable(ctx context.Context, c *mcp.Call, name string) (registry.Registry, registry.Table, error) {
	reg, err := b.registry(ctx, c)
	if err != nil {
		return nil, registry.Table{}, err
	}
	t, err := reg.Table(ctx, name)
	if err == nil || !isMissing(err) {
		return reg, t, err
	}
	asks, client, connErr := b.connect(ctx, c, "look for tables")
	if connErr != nil {
		return nil, t, fromDict(err)
	}
	if known, _, findErr := findTable(asks, client, name); findErr != nil || known == "" {
		return nil, t, fromDict(err)
	}
	b.changes.note()
	if reg, err = b.registry(ctx, c); err != nil {
		return nil, t, err
	}
	t, err = reg.Table(ctx, name)
	return reg, t, fromDict(err)
}

type createTableIn struct {
	Table             string     `json:"table" jsonschema:"such as XX_Remark"`
	Label             string     `json:"label,omitempty" jsonschema:"what people read"`
	Description       string     `json:"description,omitempty" jsonschema:"one line about it"`
	Help              string     `json:"help,omitempty" jsonschema:"longer help text"`
	Templates         []string   `json:"templates,omitempty" jsonschema:"groups of columns; VALUE_NAME: search key and name; DESCRIPTION: name, description, help"`
	Columns           []columnIn `json:"columns,omitempty" jsonschema:"further columns"`
	ImportInto        string     `json:"importInto,omitempty" jsonschema:"with IMPORT: table that it feeds"`
	AccessLevel       string     `json:"accessLevel,omitempty" jsonschema:"1 organization, 2 client, 3 both, 4 system, 6 system+client, 7 all"`
	EntityType        string     `json:"entityType,omitempty" jsonschema:"U without it"`
	Replication       string     `json:"replication,omitempty" jsonschema:"L local, M merge, R reference"`
	ChangeLog         bool       `json:"changeLog,omitempty" jsonschema:"keep an audit trail"`
	HighVolume        bool       `json:"highVolume,omitempty" jsonschema:"search instead of drop-down lists"`
	NoDelete          bool       `json:"noDelete,omitempty" jsonschema:"records cannot be deleted"`
	Security          bool       `json:"security,omitempty" jsonschema:"records can be secured by role"`
	View              bool       `json:"view,omitempty" jsonschema:"it is a database view"`
	Partition         bool       `json:"partition,omitempty" jsonschema:"prepare the table for partitions"`
	Drill             bool       `json:"drill,omitempty" jsonschema:"offer it when drilling"`
	CreateWindow      bool       `json:"createWindow,omitempty" jsonschema:"with a menu entry"`
	NoStandardColumns bool       `json:"noStandardColumns,omitempty" jsonschema:"leave out key, tenant and audit columns"`
	NoSync            bool       `json:"noSync,omitempty" jsonschema:"leave the database alone"`
	AddMissing        bool       `json:"addMissing,omitempty" jsonschema:"add what an existing table lacks; completes a creation that broke off"`
	DryRun            bool       `json:"dryRun,omitempty" jsonschema:"only show the plan and its DDL"`
	Cursor            string     `json:"cursor,omitempty" jsonschema:"with dryRun: nextCursor of the previous page"`
}

type createTableOut struct {
	Table   string      `json:"table"`
	Status  string      `json:"status" jsonschema:"created, unchanged, completed or planned"`
	Note    string      `json:"note,omitempty"`
	ID      int         `json:"id,omitempty" jsonschema:"AD_Table_ID"`
	Columns int         `json:"columns,omitempty" jsonschema:"columns of the definition"`
	Created int         `json:"created,omitempty" jsonschema:"dictionary records created"`
	Found   int         `json:"found,omitempty" jsonschema:"dictionary records that already existed"`
	Synced  bool        `json:"synced,omitempty" jsonschema:"the database has the table"`
	Missing []string    `json:"missing,omitempty" jsonschema:"requested columns that the existing table lacks"`
	Differs []differing `json:"differs,omitempty" jsonschema:"what was there with another value, and was left so"`
	Plan    *planOut    `json:"plan,omitempty" jsonschema:"with dryRun"`
}

type differing struct {
	Record string `json:"record"`
	Column string `json:"column"`
	Has    string `json:"has"`
	Wanted string `json:"wanted"`
}

type planOut struct {
	Steps []dict.Row `json:"steps" jsonschema:"what would be done, in order"`
	DDL   []string   `json:"ddl,omitempty" jsonschema:"statements for PostgreSQL; on the first page"`
	// DDLTruncated says that there are more statements than fit.
	DDLTruncated bool `json:"ddlTruncated,omitempty" jsonschema:"the statements do not fit: erphub add table --dry-run shows all"`
	paged
}

func (b *Toolbox) createTable() mcp.Tool {
	in := input[createTableIn](oneOf("accessLevel", "3", "1", "2", "4", "6", "7"), oneOf("replication", "L", "M", "R"),
		shorter(60, "table", "label", "importInto"), shorter(255, "description"), shorter(2000, "help"), shorter(40, "entityType"), columnsSchema)
	property(in, "templates").Items.Enum = anyOf(slices.DeleteFunc(dict.Templates(), func(t dict.Template) bool { return t == dict.Standard }))
	return mcp.New(mcp.Tool{
		Name: "createTable", Title: "Create a table", Sets: []string{SetTable}, Hints: mcp.Hints{Idempotent: true}, Timeout: buildTimeout, Confirms: true, Cost: mcp.Cost{APICalls: 20},
		Description: "Creates a custom table (prefix XX_) in dictionary and database, with standard columns, templates and columns of your own. Call it with dryRun first and show the plan; otherwise the user is asked. " +
			`A table that is there stays unchanged. Needs a role of the System tenant. Example: {"table": "XX_Remark", "templates": ["VALUE_NAME"], "columns": [{"name": "C_BPartner_ID", "type": "Table Direct"}]}.`,
		Input: in,
	}, b.runCreateTable)
}

func columnsSchema(s *jsonschema.Schema) {
	most := 200
	property(s, "columns").MaxItems = &most
}

func (b *Toolbox) runCreateTable(ctx context.Context, c *mcp.Call, in createTableIn) (*createTableOut, error) {
	table, err := b.tableOf(ctx, c, &in)
	if err != nil {
		return nil, err
	}
	plan, err := dict.NewPlan(&dict.Options{NoSync: in.NoSync}, table)
	if err != nil {
		return nil, wrongDefinition(err)
	}
	if err := b.mayWrite(ctx, c, planTables(plan)...); err != nil {
		return nil, err
	}
	if in.DryRun {
		return b.planTable(ctx, c, in, table, plan)
	}
	ctx, client, err := b.connect(ctx, c, "create tables")
	if err != nil {
		return nil, err
	}
	known, id, err := findTable(ctx, client, table.Name)
	if err != nil {
		return nil, err
	}
	there := known != ""
	if there && !in.AddMissing {
		return unchanged(ctx, client, table, known, id)
	}
	var missing []string
	if there {
		if missing, err = missingColumns(ctx, client, table, known); err != nil {
			return nil, err
		}
	}
	if err := c.Confirmed(ctx, tableQuestion(table, plan, missing, in.NoSync)); err != nil {
		return nil, err
	}
	result, err := b.runPlan(ctx, c, client, plan)
	if err != nil {
		return nil, err
	}
	return created(table, plan, result, there), nil
}

// runPlan carries out a plan, and reports each step.
func (b *Toolbox) runPlan(ctx context.Context, c *mcp.Call, client *erp.Client, plan *dict.Plan) (*restdict.Result, error) {
	defer b.changes.note()
	result, err := restdict.Run(ctx, client, plan, &restdict.Options{BatchSize: 50, Observe: func(e restdict.Event) {
		if e.Kind != restdict.StepStarted && e.Step != nil {
			c.Progress(float64(e.Number), float64(e.Total), e.Step.Title())
		}
	}})
	return result, notRun(err)
}

// numberOf is the number of a record, 0 where it has none.
func numberOf(id erp.ID) int {
	n, _ := id.Int()
	return int(n)
}

// created tells what came of a run.
func created(table dict.Table, plan *dict.Plan, result *restdict.Result, there bool) *createTableOut {
	out := &createTableOut{
		Table: table.Name, Status: "created", Columns: plan.Summary().Columns,
		Created: result.Count(restdict.Created), Found: result.Count(restdict.Found), Synced: result.Count(restdict.Ran) > 0,
	}
	if there {
		if out.Status = "completed"; out.Created == 0 {
			out.Status = "unchanged"
		}
	}
	for _, s := range result.Steps {
		step, _ := plan.Step(s.Key)
		if rec, ok := step.(*dict.RecordStep); ok && rec.Table == "AD_Table" && rec.Action != dict.Update && rec.Name == table.Name {
			out.ID = numberOf(s.ID)
		}
		for _, d := range s.Differences {
			if len(out.Differs) < 50 {
				out.Differs = append(out.Differs, differing{clip(s.Title, 120), d.Column, clip(d.Has, 100), clip(d.Wanted, 100)})
			}
		}
	}
	if out.Synced {
		out.Note = "the table can be used under a role that its access level is open to"
	}
	return out
}

// findTable looks for a table in the ERP itself, and spells its name as the ERP
// does; "" if there is no such table. A deactivated one is an error.
func findTable(ctx context.Context, client *erp.Client, name string) (string, erp.ID, error) {
	q := &erp.Query{Filter: erp.ActiveOrNot(erp.Eq(erp.ToLower("TableName"), strings.ToLower(name))), Select: []string{"TableName", "IsActive"}, Top: 1}
	page, err := client.Query(ctx, "AD_Table", q)
	if err != nil {
		return "", erp.ID{}, fmt.Errorf("looking for table %s: %w", clip(name, 80), err)
	}
	if len(page.Records) == 0 {
		return "", erp.ID{}, nil
	}
	if active, told := page.Records[0].Bool("IsActive"); told && !active {
		return "", erp.ID{}, fail(mcp.CodeConflict, "activate it in the window Table and Column, or choose another name", "table %s exists and is deactivated", name)
	}
	known, _ := page.Records[0].Text("TableName")
	return known, page.Records[0].ID(), nil
}

// unchanged tells what an existing table has of what was requested.
func unchanged(ctx context.Context, client *erp.Client, table dict.Table, known string, id erp.ID) (*createTableOut, error) {
	missing, err := missingColumns(ctx, client, table, known)
	if err != nil {
		return nil, err
	}
	out := &createTableOut{Table: known, ID: numberOf(id), Status: "unchanged", Columns: len(table.AllColumns()), Note: "already exists, unchanged", Missing: missing}
	if len(out.Missing) > 0 {
		out.Note += "; it lacks columns of this definition, which the same call with addMissing adds"
	}
	return out, nil
}

// missingColumns are those of a definition that the table in the ERP lacks; never
// nil without an error.
func missingColumns(ctx context.Context, client *erp.Client, table dict.Table, known string) ([]string, error) {
	has, err := readColumns(ctx, client, known)
	if err != nil {
		return nil, err
	}
	missing := []string{}
	for _, col := range table.AllColumns() {
		if columnOfName(has, col.Name) == nil {
			missing = append(missing, col.Name)
		}
	}
	return missing, nil
}

// readColumns are the columns that a table has in the ERP, which may be newer than the
// dictionary at hand.
func readColumns(ctx context.Context, client *erp.Client, table string) ([]dict.Column, error) {
	columns, err := restdict.ReadColumns(ctx, client, table)
	if err != nil {
		return nil, fmt.Errorf("reading the columns of %s: %w", table, err)
	}
	return columns, nil
}

// columnOfName finds a column, by its name in any case; nil: there is none.
func columnOfName(columns []dict.Column, name string) *dict.Column {
	at := slices.IndexFunc(columns, func(col dict.Column) bool { return strings.EqualFold(col.Name, name) })
	if at < 0 {
		return nil
	}
	return &columns[at]
}

// planTable shows a plan.
func (b *Toolbox) planTable(ctx context.Context, c *mcp.Call, in createTableIn, table dict.Table, plan *dict.Plan) (*createTableOut, error) {
	cursor := in.Cursor
	in.Cursor = ""
	p, err := pagerFor(c, cursor, in)
	if err != nil {
		return nil, err
	}
	out := &createTableOut{Table: table.Name, Status: "planned", Columns: plan.Summary().Columns, Plan: &planOut{}, Note: "nothing was done"}
	reg, err := b.registry(ctx, c)
	if err != nil {
		return nil, err
	}
	switch t, err := reg.Table(ctx, table.Name); {
	case err == nil:
		out.ID, out.Note = t.ID, "nothing was done; the table already exists, and only addMissing would change it"
	case !isMissing(err):
		return nil, err
	}
	rows := plan.Rows()
	out.Plan.Steps, out.Plan.paged = page(p, from(rows, p.offset), len(rows))
	if p.offset > 0 {
		return out, nil
	}
	statements, err := ddl.Statements(plan, dict.PostgreSQL, &ddl.Options{Resolve: ddl.Resolver(ctx, reg)})
	if err != nil {
		return nil, wrongDefinition(err)
	}
	texts := mapped(statements, func(s *ddl.Statement) string {
		if s.Comment {
			return "-- " + s.Text
		}
		return s.Text
	})
	out.Plan.DDL = fitting(texts)
	if out.Plan.DDLTruncated = len(out.Plan.DDL) < len(texts); len(out.Plan.DDL) > 0 && len(out.Plan.DDL[0]) > maxResponse {
		out.Plan.DDL, out.Plan.DDLTruncated = nil, true
	}
	return out, nil
}
