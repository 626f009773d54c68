package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/mcp"
)

type deleteTableIn struct {
	Table  string `json:"table" jsonschema:"name of a custom table: XX_ and more"`
	DryRun bool   `json:"dryRun,omitempty" jsonschema:"only tell what would go"`
}

type deleteTableOut struct {
	Table   string   `json:"table"`
	Deleted bool     `json:"deleted"`
	Columns int      `json:"columns"`
	Rows    int      `json:"rows" jsonschema:"rows this role sees in it, -1 when it cannot count them; nobody can reach them afterwards"`
	Windows []string `json:"windows,omitempty" jsonschema:"windows that go as well"`
	Tabs    []string `json:"tabs,omitempty" jsonschema:"tabs that go from windows which stay"`
	Left    string   `json:"left,omitempty" jsonschema:"what stays, for an administrator of the database"`
}

func (b *Toolbox) deleteTable() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "deleteTable", Title: "Delete a table", Sets: []string{SetTable}, Hints: mcp.Hints{Destructive: true, Idempotent: true}, Timeout: buildTimeout, Confirms: true, Cost: mcp.Cost{APICalls: 20},
		Description: "Deletes a custom table (prefix XX_) from the dictionary, with its columns, tabs, windows and menu entries, after the user agreed. The database table stays, out of reach.",
		Input:       input[deleteTableIn](shorter(120, "table")),
	}, b.runDeleteTable)
}

func (b *Toolbox) runDeleteTable(ctx context.Context, c *mcp.Call, in deleteTableIn) (*deleteTableOut, error) {
	if err := b.mayWrite(ctx, c, "AD_Table", "AD_Column"); err != nil {
		return nil, err
	}
	reg, t, err := b.freshTable(ctx, c, in.Table)
	if err != nil {
		return nil, err
	}
	if !t.Custom() {
		return nil, fail(mcp.CodePermissionDenied, "listTables with customOnly lists them", "%s is not a custom table: only those with the prefix %s can be deleted", t.Name, dict.CustomPrefix)
	}
	if err := pointedTo(ctx, reg, &t); err != nil {
		return nil, err
	}
	ctx, client, err := b.connect(ctx, c, "delete tables")
	if err != nil {
		return nil, err
	}
	going, err := goingWith(ctx, client, &t)
	if err != nil {
		return nil, err
	}
	out := &deleteTableOut{Table: t.Name, Columns: len(t.Columns), Windows: going.windowNames, Tabs: going.tabNames}
	if out.Rows, err = countRows(ctx, client, t.Name); err != nil {
		return nil, err
	}
	if in.DryRun {
		return out, nil
	}
	question, err := out.question(ctx, client, &t, going)
	if err != nil {
		return nil, err
	}
	if err := c.Confirmed(ctx, question); err != nil {
		return nil, err
	}
	err = going.delete(ctx, client, c)
	b.changes.note()
	if err != nil {
		return nil, err
	}
	out.Deleted = true
	if !t.View {
		out.Left = fmt.Sprintf("the database table with its rows: DROP TABLE %s removes it; a new table of the name would find them", t.Name)
	}
	return out, nil
}

// inQuotes is a short list of names.
func inQuotes(names []string) string {
	const most = 10
	words := strings.Join(mapped(names[:min(len(names), most)], func(n *string) string { return fmt.Sprintf("%q", clip(*n, 60)) }), ", ")
	if len(names) > most {
		words += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return words
}

// pointedTo refuses a table that columns of others lead to.
func pointedTo(ctx context.Context, reg registry.Registry, t *registry.Table) error {
	all, err := reg.Columns(ctx, "", registry.ListQuery{Inactive: true})
	if err != nil {
		return err
	}
	var from []string
	for i := range all.Items {
		if col := &all.Items[i]; strings.EqualFold(col.ForeignTable, t.Name) && !strings.EqualFold(col.Table, t.Name) {
			from = append(from, col.Table+"."+col.Name)
		}
	}
	if len(from) == 0 {
		return nil
	}
	return fail(mcp.CodeConflict, "delete those tables or columns first", "table %s cannot be deleted: columns of other tables point to it: %s", t.Name, inQuotes(from))
}

// countRows counts the rows the role sees; -1 when it may see none, or there is
// nothing in the database to count.
func countRows(ctx context.Context, client *erp.Client, table string) (int, error) {
	page, err := client.Query(ctx, table, &erp.Query{Filter: erp.ActiveOrNot(erp.Filter{}), Select: []string{"IsActive"}, Top: 1})
	var refused *erp.Error
	switch {
	case err == nil:
		return page.Rows, nil
	case errors.As(err, &refused) && !errors.Is(err, erp.ErrUnauthorized) && !errors.Is(err, erp.ErrRateLimited) && !errors.Is(err, erp.ErrUnavailable):
		return -1, nil
	}
	return 0, fmt.Errorf("counting the rows of %s: %w", table, err)
}

// going is what goes with a table, in the order in which the ERP lets it go.
type going struct {
	steps                 []goingStep
	windowNames, tabNames []string
}

type goingStep struct {
	table  string
	record erp.ID
	change map[string]any // instead of deleting
}

// goingWith looks for what depends on a table.
func goingWith(ctx context.Context, client *erp.Client, t *registry.Table) (*going, error) {
	g := &going{}
	windows := map[erp.ID]bool{} // true: nothing else is in it
	var order []erp.ID
	err := each(ctx, client, "AD_Tab", erp.Eq("AD_Table_ID", t.ID), func(tab erp.Record) error {
		w, ok := tab.Ref("AD_Window_ID")
		if !ok {
			return nil
		}
		alone, seen := windows[w.ID]
		if !seen {
			var err error
			if alone, err = onlyShows(ctx, client, w.ID, t.ID); err != nil {
				return err
			}
			windows[w.ID] = alone
			order = append(order, w.ID)
			if alone {
				g.windowNames = append(g.windowNames, w.Identifier)
			}
		}
		if !alone {
			name, _ := tab.Text("Name")
			g.tabNames = append(g.tabNames, w.Identifier+" / "+name)
		}
		if err := g.find(ctx, client, "AD_Field", erp.Eq("AD_Tab_ID", tab.ID())); err != nil {
			return err
		}
		g.steps = append(g.steps, goingStep{table: "AD_Tab", record: tab.ID()})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.WindowID > 0 {
		g.steps = append(g.steps, goingStep{table: "AD_Table", record: erp.IntID(int64(t.ID)), change: map[string]any{"AD_Window_ID": -1}})
	}
	for _, w := range order {
		if !windows[w] {
			continue
		}
		for _, table := range []string{"AD_Menu", "AD_Window_Access"} {
			if err := g.find(ctx, client, table, erp.Eq("AD_Window_ID", w)); err != nil {
				return nil, err
			}
		}
		g.steps = append(g.steps, goingStep{table: "AD_Window", record: w})
	}
	if err := g.lookupsOf(ctx, client, t); err != nil {
		return nil, err
	}
	g.steps = append(g.steps, goingStep{table: "AD_Table", record: erp.IntID(int64(t.ID))})
	return g, g.listsOf(ctx, client, t)
}

// lookupsOf adds the references made here that lead to a table. No column has
// one of them, or the deletion would have been refused.
func (g *going) lookupsOf(ctx context.Context, client *erp.Client, t *registry.Table) error {
	return each(ctx, client, "AD_Ref_Table", erp.Eq("AD_Table_ID", t.ID), func(rec erp.Record) error {
		r, _ := rec.Ref("AD_Reference_ID")
		if n, ok := r.ID.Int(); ok && n > adid.MaxOfficial {
			g.steps = append(g.steps, goingStep{table: "AD_Ref_Table", record: erp.UUID(rec.UUID())}, goingStep{table: "AD_Reference", record: r.ID})
		}
		return nil
	})
}

// listsOf adds the references that createTable made for the table's own
// columns; they can go once the columns have.
func (g *going) listsOf(ctx context.Context, client *erp.Client, t *registry.Table) error {
	for i := range t.Columns {
		col := &t.Columns[i]
		if col.ReferenceID <= adid.MaxOfficial || col.Reference != t.Name+" "+col.Name {
			continue
		}
		id := erp.IntID(int64(col.ReferenceID))
		for _, table := range []string{"AD_Ref_List", "AD_Ref_Table"} {
			if err := g.find(ctx, client, table, erp.Eq("AD_Reference_ID", id)); err != nil {
				return err
			}
		}
		g.steps = append(g.steps, goingStep{table: "AD_Reference", record: id})
	}
	return nil
}

// onlyShows reports whether a window made here shows one table and no other.
func onlyShows(ctx context.Context, client *erp.Client, window erp.ID, table int) (bool, error) {
	if n, ok := window.Int(); !ok || n <= adid.MaxOfficial {
		return false, nil
	}
	alone := true
	err := each(ctx, client, "AD_Tab", erp.Eq("AD_Window_ID", window), func(tab erp.Record) error {
		r, _ := tab.Ref("AD_Table_ID")
		n, _ := r.ID.Int()
		alone = alone && n == int64(table)
		return nil
	})
	return alone, err
}

// each visits records, those that are deactivated as well.
func each(ctx context.Context, client *erp.Client, table string, filter erp.Filter, visit func(erp.Record) error) error {
	for rec, err := range client.Records(ctx, table, &erp.Query{Filter: erp.ActiveOrNot(filter)}) {
		if err != nil {
			return fmt.Errorf("looking for what depends on it in %s: %w", table, err)
		}
		if err := visit(rec); err != nil {
			return err
		}
	}
	return nil
}

// find adds the records of a table that a filter finds.
func (g *going) find(ctx context.Context, client *erp.Client, table string, filter erp.Filter) error {
	return each(ctx, client, table, filter, func(rec erp.Record) error {
		id := rec.ID()
		if id.IsZero() || table == "AD_Ref_Table" { // tables without a key of their own are addressed by UUID
			id = erp.UUID(rec.UUID())
		}
		g.steps = append(g.steps, goingStep{table: table, record: id})
		return nil
	})
}

// delete lets everything go, the table after all that needs it, so that a call
// after a failure goes on where this one stopped.
func (g *going) delete(ctx context.Context, client *erp.Client, c *mcp.Call) error {
	for i, s := range g.steps {
		var err error
		if s.change != nil {
			_, err = client.Update(ctx, s.table, s.record, s.change)
		} else if err = client.Delete(ctx, s.table, s.record); errors.Is(err, erp.ErrNotFound) {
			err = nil // it went with another
		}
		if err != nil {
			return unfinished(i, len(g.steps), fmt.Errorf("deleting from %s: %w", s.table, err))
		}
		c.Progress(float64(i+1), float64(len(g.steps)), s.table)
	}
	return nil
}

// unfinished says how far a deletion came.
func unfinished(done, total int, err error) error {
	var own *mcp.Error
	if done == 0 || errors.As(err, &own) {
		return err
	}
	e := *mcp.ErrorOf(err)
	e.Message = fmt.Sprintf("%d of %d dictionary records were deleted: %s", done, total, e.Message)
	return goesOn(&e, "the same call goes on where this one stopped")
}
