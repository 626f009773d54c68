package seed

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/sqlitefile"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// usualSize is about how many bytes the file has.
const usualSize = 26 << 20

// image is the database file with the tables and their rows.
func (b *builder) image() ([]byte, error) {
	if b.err != nil {
		return nil, b.err
	}
	w := sqlitefile.New(usualSize)
	absent := sqlitefile.Table{
		Name: store.AbsentTable, SQL: store.AbsentSQL,
		Columns: []sqlitefile.Column{{Name: "TableName", Type: "TEXT"}, {Name: "SeqNo", Type: "INTEGER"}, {Name: "Statement", Type: "TEXT"}},
	}
	var problems error
	for _, t := range b.m.tables {
		s := b.sheets[t.Name]
		switch t.Name { // the most rows: they are made when they are needed, and not kept
		case "AD_Column":
			b.addColumns()
		case "AD_Field":
			b.addFields()
		}
		if problems = errors.Join(problems, b.err, s.complete()); problems != nil || !t.Active {
			continue
		}
		if t.IsView {
			addView(w, t)
			continue
		}
		made, err := s.table()
		if err != nil {
			return nil, err
		}
		if len(s.rows) == 0 {
			addAbsent(&absent, made)
			continue
		}
		w.Table(made)
		s.rows = nil
	}
	if problems != nil {
		return nil, problems
	}
	w.Table(uploadPieces)
	w.Table(absent)
	return w.Bytes()
}

// addAbsent adds the statements of a table without rows, which the database gets
// when it is written to.
func addAbsent(absent *sqlitefile.Table, t sqlitefile.Table) {
	statements := []string{t.SQL}
	for _, x := range t.Indexes {
		statements = append(statements, x.SQL)
	}
	for i, sql := range statements {
		absent.Rows = append(absent.Rows, []any{t.Name, int64(i), sql})
	}
}

// addView adds a view without rows: what a view of the ERP shows is not among the
// facts.
func addView(w *sqlitefile.Writer, t *table) {
	if sql := EmptyView(&t.Table); sql != "" {
		w.View(t.Name, sql)
	}
}

// EmptyView is the statement that makes a view without rows, "" when the
// dictionary has no columns of it.
func EmptyView(t *store.Table) string {
	var columns []string
	for _, c := range t.Columns {
		if !c.IsVirtual() {
			columns = append(columns, nothing(c)+" AS "+store.Quote(c.Name))
		}
	}
	if len(columns) == 0 {
		return ""
	}
	return "CREATE VIEW " + store.Quote(t.Name) + " AS SELECT " + strings.Join(columns, ", ") + " WHERE 1=0"
}

// nothing is a missing value of the column's type: copies of the database in others
// compare values by type.
func nothing(c *store.Column) string {
	switch c.Kind() {
	case store.KindInteger:
		return "CAST(NULL AS INTEGER)"
	case store.KindDecimal:
		return "CAST(NULL AS NUMERIC)"
	case store.KindDate, store.KindDateTime, store.KindInstant, store.KindTime:
		return "CAST(NULL AS TIMESTAMP)"
	}
	return "NULL"
}

// table is the table with its rows and indexes.
func (s *sheet) table() (sqlitefile.Table, error) {
	layout := s.layout
	t := sqlitefile.Table{Name: s.t.Name, SQL: layout.SQL, Key: layout.Key, Rows: s.rows}
	for i, c := range layout.Columns {
		t.Columns = append(t.Columns, sqlitefile.Column{Name: c.Name, Type: layout.Types[i]})
	}
	if layout.UUIDIndex != "" {
		t.Indexes = append(t.Indexes, sqlitefile.Index{Name: layout.Columns[layout.UUID].Name + "_idx", SQL: layout.UUIDIndex, Columns: []int{layout.UUID}})
	}
	for _, x := range indexesOf(&s.t.Table) {
		index := sqlitefile.Index{Name: x.name, SQL: x.statement(), NoCase: x.noCase}
		for _, c := range x.columns {
			i, ok := s.index[c]
			if !ok {
				return t, fmt.Errorf("index %s: %s has no column %s", x.name, s.t.Name, c)
			}
			index.Columns = append(index.Columns, i)
		}
		t.Indexes = append(t.Indexes, index)
	}
	return t, nil
}

// index is one of the indexes by which the server finds records without reading
// all.
type index struct {
	name, table string
	columns     []string
	noCase      bool
}

func (x index) statement() string {
	quoted := make([]string, len(x.columns))
	for i, c := range x.columns {
		quoted[i] = store.Quote(c)
		if x.noCase {
			quoted[i] += " COLLATE NOCASE"
		}
	}
	return "CREATE INDEX " + store.Quote(x.name) + " ON " + store.Quote(x.table) + " (" + strings.Join(quoted, ", ") + ")"
}

// indexesOf are the indexes of a table beside those of keys and UUIDs. Those of
// parents are for tables with rows of the demo or of the dictionary: a table
// without a key column has its parents in the primary key.
func indexesOf(t *store.Table) []index {
	var out []index
	if t.KeyColumn() != nil {
		for _, c := range t.Columns {
			if c.Parent && !c.IsVirtual() {
				out = append(out, index{name: t.Name + "_" + c.Name, table: t.Name, columns: []string{c.Name}})
			}
		}
	}
	return append(out, slices.DeleteFunc(keyIndexes(), func(x index) bool { return x.table != t.Name })...)
}
