package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

type syncTableIn struct {
	Table  string `json:"table" jsonschema:"name of a table in any case"`
	Column string `json:"column,omitempty" jsonschema:"only this column; empty: all"`
	DryRun bool   `json:"dryRun,omitempty" jsonschema:"only tell what would be run"`
}

type syncTableOut struct {
	Table   string `json:"table"`
	Column  string `json:"column,omitempty"`
	Done    bool   `json:"done"`
	Process string `json:"process" jsonschema:"process of the ERP that does it"`
	Summary string `json:"summary,omitempty" jsonschema:"what the process said"`
}

func (b *Toolbox) syncTable() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "syncTable", Title: "Synchronise a table", Sets: []string{SetTable}, Hints: mcp.Hints{Idempotent: true}, Timeout: buildTimeout, Confirms: true, Cost: mcp.Cost{APICalls: 3},
		Description: "Brings the database table in line with the dictionary, by the ERP's own process, after asking the user. createTable does it by itself; call this after columns were changed in another way.",
		Input:       input[syncTableIn](shorter(120, "table", "column")),
	}, func(ctx context.Context, c *mcp.Call, in syncTableIn) (*syncTableOut, error) {
		_, t, err := b.freshTable(ctx, c, in.Table)
		if err != nil {
			return nil, err
		}
		ctx, client, err := b.connect(ctx, c, "synchronise tables")
		if err != nil {
			return nil, err
		}
		if _, ok := t.Column(in.Column); in.Column != "" && !ok {
			columns, err := readColumns(ctx, client, t.Name) // it may be new
			if err != nil {
				return nil, err
			}
			if columnOfName(columns, in.Column) != nil {
				b.changes.note()
				if _, t, err = b.freshTable(ctx, c, t.Name); err != nil {
					return nil, err
				}
			}
		}
		record, name, err := syncRecord(&t, in.Column)
		if err != nil {
			return nil, err
		}
		process, err := restdict.FindProcess(ctx, client, dict.SyncTable, "")
		if err != nil {
			return nil, noSync(err)
		}
		out := &syncTableOut{Table: t.Name, Column: name, Process: process.Value}
		if in.DryRun {
			return out, nil
		}
		question := mcp.Ask("Change the database table %s to what the dictionary says, by the process %s?", mcp.Name(t.Name), mcp.Name(process.Value))
		if name != "" {
			question = mcp.Ask("Change the column %s of the database table %s to what the dictionary says, by the process %s?", mcp.Name(name), mcp.Name(t.Name), mcp.Name(process.Value))
		}
		columns, err := columnsNow(ctx, client, t.ID)
		if err != nil {
			return nil, err
		}
		if name != "" {
			question.Rests("column "+name, columnInShort(columns[name]))
		} else {
			question.Fact("columns", restsOnColumns(question, columns))
		}
		if err := c.Confirmed(ctx, question.Say("What differs is known to the database alone, and cannot be shown before.")); err != nil {
			return nil, err
		}
		run := &erp.ProcessParams{RecordID: int64(record), Table: "AD_Column", Timeout: -1} // the tool's own limit ends it
		if name == "" {
			run.Values = map[string]any{"DateFrom": "1970-01-01T00:00:00Z"} // every column, not this one alone
		}
		result, err := client.RunProcess(ctx, process.Slug, run)
		if err != nil {
			return nil, fmt.Errorf("synchronising %s: %w", t.Name, err)
		}
		out.Done, out.Summary = true, clip(result.Summary, 1000)
		return out, nil
	})
}

// noSync is the error of an ERP without the process, as far as the role sees.
func noSync(err error) error {
	var none *restdict.NoProcessError
	if errors.As(err, &none) {
		return &mcp.Error{Code: mcp.CodeUnsupported, Message: err.Error(), Hint: "use a role of the System tenant that may run it", Err: err}
	}
	return err
}

// syncRecord is the column that the process runs with: the requested one, whose
// name it then returns, else the key, else any that the database has a place for.
func syncRecord(t *registry.Table, column string) (id int, name string, err error) {
	if t.View {
		return 0, "", &mcp.Error{Code: mcp.CodeInvalidArguments, Message: t.Name + " is a view: the database's own statement makes it, there is nothing to synchronise"}
	}
	if column != "" {
		col, ok := t.Column(column)
		switch {
		case !ok:
			return 0, "", noColumn(t, column)
		case col.Virtual():
			return 0, "", &mcp.Error{Code: mcp.CodeInvalidArguments, Message: fmt.Sprintf("the column %s.%s is virtual: it has no place in the database", t.Name, col.Name)}
		}
		return col.ID, col.Name, nil
	}
	for i := range t.Columns {
		if col := &t.Columns[i]; !col.Virtual() && (id == 0 || col.Key) {
			id = col.ID
		}
	}
	if id == 0 {
		return 0, "", &mcp.Error{Code: mcp.CodeConflict, Message: fmt.Sprintf("table %s has no column for the database", t.Name), Hint: "add columns first, with createTable and addMissing"}
	}
	return id, "", nil
}

// noColumn is the error for a name that is not a column of a table.
func noColumn(t *registry.Table, name string) *mcp.Error {
	return &mcp.Error{Code: mcp.CodeNotFound, Message: fmt.Sprintf("table %s has no column %q", t.Name, clip(name, 80)), Hint: hintColumn(t, name)}
}

type listTablesByEntityIn struct {
	EntityType string `json:"entityType" jsonschema:"D: the ERP's own, U: made here, others: plugins"`
	Pattern    string `json:"pattern,omitempty" jsonschema:"SQL LIKE pattern of the name in any case"`
	Limit      int    `json:"limit,omitempty" jsonschema:"most tables to return"`
	turning
}

func (b *Toolbox) listTablesByEntity() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "listTablesByEntity", Title: "List tables of an owner", Sets: []string{SetTable}, Hints: readOnly,
		Description: "Lists the tables of one entity type, such as a plugin's or those made here (U).",
		Input:       input[listTablesByEntityIn](between("limit", 1, 500, 50), shorter(200, "pattern"), shorter(40, "entityType")),
	}, ofPages(b, func(ctx context.Context, reg registry.Registry, in listTablesByEntityIn, p pager) (*listTablesOut, error) {
		if strings.TrimSpace(in.EntityType) == "" {
			return nil, fail(mcp.CodeInvalidArguments, "getStatistics counts tables by entity type", "the entity type is empty")
		}
		out, err := tables(ctx, reg, p, registry.ListQuery{Pattern: in.Pattern, EntityType: in.EntityType, Limit: in.Limit})
		if err != nil || out.Total > 0 || in.Pattern != "" {
			return out, err
		}
		s, err := reg.Statistics(ctx)
		if err != nil {
			return nil, err
		}
		known := strings.Join(slices.Sorted(maps.Keys(s.TablesByEntityType)), ", ")
		return nil, fail(mcp.CodeNotFound, "tables belong to: "+clip(known, 1000), "no table belongs to the entity type %q", clip(in.EntityType, 40))
	}))
}
