package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// explained adds to the result of a statement what it counts and, where there is
// nothing, why.
func (b *Toolbox) explained(ctx context.Context, c *mcp.Call, q backend.Query, out *executeQueryOut) {
	tables := b.tablesOf(ctx, c, out.Tables...)
	if len(tables) == 0 {
		return
	}
	text := readStatement(q.SQL, q.Params)
	why := &nothing{b: b, c: c, role: q.RoleID, tables: tables, inSQL: true, about: text.named}
	for _, x := range text.texts {
		if t, col := text.column(tables, x.alias, x.column); t != nil {
			why.texts = append(why.texts, textCondition{t, *col, x.operator, x.values})
		}
	}
	notes := why.labels(ctx)
	if text.aggregates {
		counted := counts(b.scope(ctx, c, q.RoleID), tables...)
		out.Counted, why.scoped = &counted, true
		notes = append(notes, b.sums(ctx, c, q, text, tables, out)...)
		notes = append(notes, b.inactiveIn(ctx, c, q, text, tables)...)
	}
	if !out.Truncated && isNothing(out.Rows) {
		notes = append(notes, why.why(ctx)...)
	}
	out.Notes = append(slices.Clone(out.Notes), notes...)
}

// summed is the first table of which a statement adds up amounts, and what it adds up.
func (s *statementText) summed(tables []*registry.Table) (*registry.Table, string) {
	for _, word := range s.adds {
		if t, col := s.column(tables, "", word); t != nil && isMoney(col) {
			return t, strings.ToLower(col.Name)
		}
		if i := slices.IndexFunc(tables, func(t *registry.Table) bool { return t.Name == "C_Invoice" }); word == "invoiceopen" && i >= 0 {
			return tables[i], word
		}
	}
	return nil, ""
}

// alias is the one name that a statement has for a table, empty where it has several.
func (s *statementText) alias(table string) string {
	found := ""
	for alias, of := range s.aliases {
		if !strings.EqualFold(of, table) || alias == of && s.renamed(of) {
			continue
		}
		if found != "" {
			return ""
		}
		found = alias
	}
	return found
}

// renamed reports whether a table has an alias, which is the only name then.
func (s *statementText) renamed(table string) bool {
	for alias, of := range s.aliases {
		if of == table && alias != table {
			return true
		}
	}
	return false
}

// sums says of a statement that adds up amounts what they are amounts of, where the
// statement itself does not say it.
func (b *Toolbox) sums(ctx context.Context, c *mcp.Call, q backend.Query, text *statementText, tables []*registry.Table, out *executeQueryOut) []string {
	t, sum := text.summed(tables)
	if t == nil {
		return nil
	}
	o := b.originOf(ctx, c, t)
	document := t
	if o.parent != nil {
		document = o.parent
	}
	mentioned := text.words["c_currency_id"] || text.words["iso_code"]
	if text.words["currencyconvert"] || text.words["currencyrate"] || mentioned && text.words["group"] {
		o.currency = ""
	}
	if text.words["docstatus"] && text.words["group"] {
		o.status = ""
	}
	if o.currency == "" && o.status == "" {
		return nil
	}
	if f := b.foundBy(ctx, c, q, text, o, document); f != nil { // of what the statement reads
		out.Counted.Statuses = f.statuses
		return b.mixed(c, out.Counted, "the sum of "+sum, f.currencies, "c_currency_id", text.words["docstatus"])
	}
	// It is known of the whole table only: what the statement names it may have chosen.
	if mentioned {
		o.currency = ""
	}
	if text.words["docstatus"] {
		o.status = ""
	}
	if o.currency == "" && o.status == "" {
		return nil
	}
	f, err := o.look(ctx, b, c, q.RoleID, "", nil)
	if err != nil {
		return []string{"the sum of " + sum + notLooked}
	}
	var notes []string
	if len(f.currencies) > 1 {
		notes = append(notes, b.text(c, fmt.Sprintf("%s has amounts in %s: a sum of %s is wrong unless the statement keeps them apart by c_currency_id; queryMetric converts amounts", document.Name, strings.Join(f.currencies, " and "), sum)))
	}
	if len(f.statuses) > 1 {
		notes = append(notes, fmt.Sprintf("%s has documents in the status %s, and the statement does not look at docstatus", document.Name, strings.Join(f.statuses, ", ")))
	}
	return notes
}

// inactiveIn says of a statement that computes, and does not look at isactive, how many
// of the rows it computes with are inactive records: of the table whose amounts it adds
// up, or of its only one.
func (b *Toolbox) inactiveIn(ctx context.Context, c *mcp.Call, q backend.Query, text *statementText, tables []*registry.Table) []string {
	t, _ := text.summed(tables)
	if t == nil && len(tables) == 1 {
		t = tables[0]
	}
	if t == nil || text.words["isactive"] || text.source == "" {
		return nil
	}
	of := text.alias(t.Name)
	if _, ok := t.Column("IsActive"); !ok || of == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r, err := b.query(ctx, c, backend.Query{
		SQL:    fmt.Sprintf("SELECT count(*) FROM (SELECT %s.isactive AS active %s) found WHERE found.active = 'N'", of, text.source),
		Params: q.Params, RoleID: q.RoleID, MaxRows: 1,
	})
	if err != nil || len(r.Rows) == 0 || fmt.Sprint(r.Rows[0][0]) == "0" {
		return nil
	}
	return []string{fmt.Sprintf("inactive records of %s are in it: %v of its rows; isactive = 'Y' leaves them out", t.Name, r.Rows[0][0])}
}

// foundBy are the currencies and statuses of what a simple statement reads; nil where
// that cannot be told.
func (b *Toolbox) foundBy(ctx context.Context, c *mcp.Call, q backend.Query, text *statementText, o origin, document *registry.Table) *found {
	var alias [2]string // of t and of d
	alias[0] = text.alias(o.table.Name)
	if o.parent != nil {
		alias[1] = text.alias(document.Name)
	}
	names := []string{"CAST(NULL AS text)", "CAST(NULL AS text)"}
	join := ""
	for i, column := range []string{o.currency, o.status} {
		if column == "" {
			continue
		}
		of := alias[0]
		if strings.HasPrefix(column, "d.") {
			of = alias[1]
		}
		if of == "" || text.source == "" {
			return nil
		}
		names[i] = of + column[1:]
	}
	selected := "CAST(NULL AS text)"
	if o.currency != "" {
		selected, join = "cur.iso_code", " LEFT JOIN c_currency cur ON cur.c_currency_id = found.currency"
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r, err := b.query(ctx, c, backend.Query{
		SQL:    fmt.Sprintf("SELECT DISTINCT %s, found.status FROM (SELECT %s AS currency, %s AS status %s) found%s", selected, names[0], names[1], text.source, join),
		Params: q.Params, RoleID: q.RoleID, MaxRows: mostSQLGroups,
	})
	if err != nil {
		return nil
	}
	f := &found{}
	for _, row := range r.Rows {
		f.add(row[0], row[1])
	}
	return f
}
