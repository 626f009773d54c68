package erptest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// reader turns the rows of one response into what the API writes. It remembers
// what it looked up, so it must not outlive its transaction nor survive a
// change of the data.
type reader struct {
	c  *call
	tx *store.Tx

	lowerNames bool            // REST_COLUMNNAME_TOLOWERCASE
	uuidAll    bool            // REST_TABLES_EXPORT_LOOKUP_UU is ALL
	uuidFor    map[string]bool // its tables in upper case
	pageCap    int             // REST_MAX_RECORDS_SIZE, 0 for none
	language   string          // "" when it is the base language

	whole      map[*store.Table][]property // of all columns
	specs      map[*store.Column]*lookup
	identities map[lookup]map[string]*identity
	locations  map[int64]store.Row
	images     map[int64]*imageData
	written    int     // records rendered so far
	labels     *string // showlabel, which counts for expanded records too; nil without it
}

// maxRecords bounds the records of one response, expanded ones included.
const maxRecords = 200_000

func (c *call) newReader(ctx context.Context, tx *store.Tx) (*reader, error) {
	rd := &reader{
		c: c, tx: tx,
		whole:      map[*store.Table][]property{},
		specs:      map[*store.Column]*lookup{},
		identities: map[lookup]map[string]*identity{},
		locations:  map[int64]store.Row{},
		images:     map[int64]*imageData{},
	}
	rd.lowerNames = c.session.Sysconfig(ctx, tx, "REST_COLUMNNAME_TOLOWERCASE", "N") == "Y"
	if tables := c.session.Sysconfig(ctx, tx, "REST_TABLES_EXPORT_LOOKUP_UU", ""); tables != "" {
		rd.uuidAll = tables == "ALL"
		rd.uuidFor = map[string]bool{}
		for name := range strings.SplitSeq(tables, ",") {
			rd.uuidFor[strings.ToUpper(strings.TrimSpace(name))] = true
		}
	}
	var err error
	if rd.pageCap, err = strconv.Atoi(c.session.Sysconfig(ctx, tx, "REST_MAX_RECORDS_SIZE", "100")); err != nil || rd.pageCap < 0 {
		rd.pageCap = 100
	}
	rd.language, err = foreignLanguage(ctx, tx, c.session.Language)
	return rd, err
}

// limit is how many records a $top brings.
func (rd *reader) limit(top int) int {
	if top <= 0 || rd.pageCap > 0 && top > rd.pageCap {
		return rd.pageCap
	}
	return top
}

// propertyName is how the API calls a column.
func (rd *reader) propertyName(column string) string {
	if rd.lowerNames && column != "" && !strings.Contains(column, "_") {
		return strings.ToLower(column[:1]) + column[1:]
	}
	return column
}

// property is a column as it appears in a record.
type property struct {
	name  string
	col   *store.Column
	label string  // for lookups: the element's name in the session's language
	look  *lookup // nil when the column is not a resolvable lookup
	view  string  // the reference view of a lookup, "" for none
}

// properties are what a record of t has for these columns (nil: all): not
// its keys, nothing secure or encrypted, nothing hidden from the role.
func (rd *reader) properties(ctx context.Context, t *store.Table, columns []*store.Column) ([]property, error) {
	whole := columns == nil
	if whole {
		if known, ok := rd.whole[t]; ok {
			return known, nil
		}
		columns = t.Columns
	}
	key, uu := t.KeyColumn(), t.UUColumn()
	out := make([]property, 0, len(columns))
	var elements []int64
	for _, col := range columns {
		if col == key || col == uu || col.Secure || col.Encrypted || strings.HasPrefix(col.ColumnSQL, "@") {
			continue
		}
		if !rd.c.session.Role.CanSeeColumn(t, col) {
			continue
		}
		f := property{name: rd.propertyName(col.Name), col: col, label: col.Label}
		look, err := rd.lookupOf(ctx, col)
		if err != nil {
			return nil, err
		}
		f.look = look
		if f.look != nil || col.IsList() || col.Ref == displaytype.ChosenMultipleSelectionList {
			elements = append(elements, col.ElementID)
		}
		out = append(out, f)
	}
	labels, err := rd.elementNames(ctx, elements)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if name, ok := labels[out[i].col.ElementID]; ok {
			out[i].label = name
		}
	}
	if whole {
		rd.whole[t] = out
	}
	return out, nil
}

// selected are the columns a $select names, in the order of the dictionary: nil,
// which means all, without one and also when every column it names is hidden from
// the role.
func (rd *reader) selected(ctx context.Context, t *store.Table, names []string) ([]*store.Column, error) {
	var out []*store.Column
	for _, name := range names {
		col, ok := t.Column(name)
		if !ok {
			return nil, failf(http.StatusBadRequest, "", "%s is not a valid column of table %s", name, t.Name)
		}
		if rd.c.session.Role.CanSeeColumn(t, col) && !slices.Contains(out, col) {
			out = append(out, col)
		}
	}
	slices.SortFunc(out, func(a, b *store.Column) int {
		return cmp.Compare(slices.Index(t.Columns, a), slices.Index(t.Columns, b))
	})
	return out, nil
}

// sources are the columns to read for these properties: theirs, the keys, and
// the named ones the table has.
func sources(t *store.Table, fields []property, names ...string) []*store.Column {
	seen := map[*store.Column]bool{}
	var out []*store.Column
	add := func(c *store.Column) {
		if c != nil && !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	add(t.KeyColumn())
	add(t.UUColumn())
	for _, f := range fields {
		add(f.col)
	}
	for _, name := range names {
		if c, ok := t.Column(name); ok {
			add(c)
		}
	}
	return out
}

// condition completes a caller's condition as every query of the ERP does: in
// parentheses, with the rows the role may read, and only active ones unless
// the condition itself speaks of IsActive.
func (rd *reader) condition(ctx context.Context, t *store.Table, cond string, args []any) (string, []any, error) {
	return rd.conditionOf(ctx, t, cond, args, func(string) bool { return true })
}

// conditionOf is that for a query that mentions only some columns.
func (rd *reader) conditionOf(ctx context.Context, t *store.Table, cond string, args []any, mentions func(column string) bool) (string, []any, error) {
	var parts []string
	out := append([]any(nil), args...)
	if cond != "" {
		parts = append(parts, "("+cond+")")
	}
	if active, ok := t.Column("IsActive"); ok && !strings.Contains(strings.ToLower(cond), "isactive") {
		parts = append(parts, store.Expr(t, active)+"='Y'")
	}
	access, more, err := rd.c.session.RowFilterOf(ctx, rd.tx, t, mentions)
	if err != nil {
		return "", nil, err
	}
	if access != "" {
		parts = append(parts, "("+access+")")
		out = append(out, more...)
	}
	return strings.Join(parts, " AND "), out, nil
}

// count notes that n more records are rendered.
func (rd *reader) count(n int) error {
	if rd.written += n; rd.written > maxRecords {
		return engine.PublicError(fmt.Sprintf("The answer has more than %d records", maxRecords))
	}
	return nil
}

// erpSQL is a statement as showsql shows it: identifiers as the ERP writes
// them, without quotes.
func erpSQL(statement string) string { return strings.ReplaceAll(statement, `"`, "") }
