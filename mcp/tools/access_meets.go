package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// meets tries the conditions of tables (AD_TableValRule) on single records: the database
// is given the record as the caller sees it, in the place of the table, and what else
// the condition reads it reads with the caller's permissions. Without a backend that
// runs SQL it is nil.
func (b *Toolbox) meets(c *mcp.Call) func(ctx context.Context, table string, rec erp.Record, condition string) (bool, error) {
	if !backend.Can[backend.Querier](b.pool) {
		return nil
	}
	return func(ctx context.Context, table string, rec erp.Record, condition string) (bool, error) {
		t, err := b.table(ctx, c, table)
		if err != nil {
			return false, err
		}
		if t == nil {
			return false, fmt.Errorf("the columns of %s are not known", table)
		}
		selected, params, err := asRow(t, rec, condition)
		if err != nil {
			return false, err
		}
		r, err := b.query(ctx, c, backend.Query{
			SQL:    fmt.Sprintf("SELECT count(*) FROM (SELECT %s) %s WHERE (%s)", selected, strings.ToLower(t.Name), condition),
			Params: params, MaxRows: 1,
		})
		if err != nil || len(r.Rows) != 1 {
			return false, err
		}
		return fmt.Sprint(r.Rows[0][0]) == "1", nil
	}
}

// asRow are the columns of a record that a condition names, as the columns of a SELECT.
func asRow(t *registry.Table, rec erp.Record, condition string) (selected string, params []json.RawMessage, err error) {
	named := map[string]bool{}
	for _, l := range lexemes(condition) {
		named[strings.ToLower(l.text)] = l.kind == 'w' || named[strings.ToLower(l.text)]
	}
	parts := []string{"1 AS the_record"}
	for _, col := range t.Columns {
		name := strings.ToLower(col.Name)
		if !named[name] || col.Virtual() {
			continue
		}
		if secretsOf(t)(col.Name) {
			return "", nil, fmt.Errorf("the condition is about %s, which nobody is shown", col.Name)
		}
		value, kind := "", "text"
		switch {
		case col.Type == dict.TypeYesNo:
			if yes, ok := rec.Bool(col.Name); ok {
				value = map[bool]string{true: "Y", false: "N"}[yes]
			}
		case col.Type.IsList() || col.ForeignTable != "":
			if ref, ok := rec.Ref(col.Name); ok {
				value = ref.ID.String()
			}
		default:
			if text, ok := rec.Text(col.Name); ok {
				value = text
			} else if n, ok := rec.Decimal(col.Name); ok {
				value = string(n)
			}
		}
		if col.Key {
			value = rec.ID().String()
		}
		switch {
		case isAmount(&col):
			kind = "numeric"
		case col.Key || col.Type.IsID() || col.ForeignTable != "" && strings.HasSuffix(col.Name, "_ID"):
			kind = "integer"
		case col.Type == dict.TypeDate || col.Type == dict.TypeDateTime:
			kind, value = "timestamp", strings.TrimSuffix(value, "Z")
		}
		if value == "" {
			parts = append(parts, fmt.Sprintf("CAST(NULL AS %s) AS %s", kind, name))
			continue
		}
		raw, _ := json.Marshal(value) // a text always encodes
		params = append(params, raw)
		parts = append(parts, fmt.Sprintf("CAST(CAST($%d AS text) AS %s) AS %s", len(params), kind, name))
	}
	return strings.Join(parts, ", "), params, nil
}
