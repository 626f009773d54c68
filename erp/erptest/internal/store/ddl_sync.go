package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/sqlquote"
)

// SyncTable brings the physical table in step with the dictionary: it creates
// it, or adds and alters the columns that differ. What the database has and
// the dictionary does not is left alone. The report holds the statements, and
// is empty when there was nothing to do. What stands against it is a
// [DDLError]; then the caller must undo the transaction or savepoint.
func (tx *Tx) SyncTable(ctx context.Context, t *Table) (report string, err error) {
	return tx.SyncColumns(ctx, t, t.Columns)
}

// SyncColumns is SyncTable for some columns of a table. A table that does not
// exist yet is created with all of them.
func (tx *Tx) SyncColumns(ctx context.Context, t *Table, columns []*Column) (report string, err error) {
	if t.IsView {
		return "", ddlErrorf("%s is a view; its columns do not make a table", t.Name)
	}
	if err := tx.MakeAbsent(ctx, t.Name); err != nil {
		return "", err
	}
	have, err := tx.PhysicalColumns(ctx, t.Name)
	if err != nil {
		return "", err
	}
	if len(have) == 0 {
		return tx.CreateTable(ctx, t)
	}
	s := &syncing{tx: tx, t: t, have: have}
	if err := tx.QueryRow(ctx, `SELECT sql FROM sqlite_schema WHERE type='table' AND name=? COLLATE NOCASE`, t.Name).Scan(&s.sql); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return "", ddlErrorf("%s is a view in the database, but a table in the dictionary", t.Name)
		}
		return "", fmt.Errorf("reading how table %s was made: %w", t.Name, err)
	}
	for _, c := range columns {
		if !c.IsVirtual() {
			s.compare(c)
		}
	}
	if err := s.apply(ctx); err != nil {
		return "", err
	}
	return strings.Join(s.done, ";\n"), nil
}

// syncing is one table being brought in step.
type syncing struct {
	tx      *Tx
	t       *Table
	sql     string // how the table was made
	have    []PhysicalColumn
	add     []*Column
	alter   []*Column
	rebuild bool
	done    []string
}

func (s *syncing) compare(c *Column) {
	i := slices.IndexFunc(s.have, func(p PhysicalColumn) bool { return strings.EqualFold(p.Name, c.Name) })
	isKey := slices.Contains(s.t.KeyColumns(), c)
	if i < 0 {
		s.add = append(s.add, c)
		// SQLite cannot add a key, nor a mandatory column without a constant
		d, _ := defaultSQL(c)
		s.rebuild = s.rebuild || isKey || c.Mandatory && (d == "" || d == "CURRENT_TIMESTAMP")
		return
	}
	p := s.have[i]
	d, err := defaultSQL(c)
	typ, _, _ := strings.Cut(physicalType(c), " ")
	if err != nil || p.Type != typ || p.NotNull != (c.Mandatory || c.Ref == displaytype.YesNo) || p.Default != d || p.Name != c.Name || p.Key != isKey ||
		s.checked(p.Name) != (c.Ref == displaytype.YesNo) {
		s.alter = append(s.alter, c)
		s.rebuild = true
	}
}

// checked reports whether the database lets only Y and N into the column.
func (s *syncing) checked(name string) bool { return strings.Contains(s.sql, yesNoCheck(name)) }

func (s *syncing) apply(ctx context.Context) error {
	if s.rebuild {
		if err := s.rebuildTable(ctx); err != nil {
			return err
		}
		return s.exec(ctx, uuidIndexSQL(s.t))
	}
	for _, c := range s.add {
		clause, err := columnSQL(s.t, c)
		if err != nil {
			return err
		}
		if err := s.exec(ctx, "ALTER TABLE "+sqlquote.Name(s.t.Name)+" ADD COLUMN "+clause); err != nil {
			return err
		}
	}
	if uu := s.t.UUColumn(); uu != nil && slices.Contains(s.add, uu) {
		return s.exec(ctx, uuidIndexSQL(s.t))
	}
	return nil
}

func (s *syncing) exec(ctx context.Context, statement string) error {
	if statement == "" {
		return nil
	}
	if _, err := s.tx.Exec(ctx, statement); err != nil {
		var refused *sqlite.Error
		if errors.As(err, &refused) && refused.Code()&0xff == sqlite3.SQLITE_CONSTRAINT {
			return ddlErrorf("the rows of %s do not fit its new form: some repeat a key or a UUID, or hold a value that is not allowed", s.t.Name)
		}
		return fmt.Errorf("bringing table %s in step: %w", s.t.Name, err)
	}
	s.done = append(s.done, statement)
	return nil
}

// rebuildTable makes the table anew with its data: the only way SQLite knows
// to change a column. An empty table is not renamed, because for that SQLite
// parses every table and view of the database.
func (s *syncing) rebuildTable(ctx context.Context) error {
	rows, err := s.check(ctx)
	if err != nil {
		return err
	}
	clauses, copied, err := s.shape()
	if err != nil {
		return err
	}
	objects, err := s.dependents(ctx, rows > 0)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if o.kind == "view" {
			if _, err := s.tx.Exec(ctx, "DROP VIEW "+sqlquote.Name(o.name)); err != nil {
				return fmt.Errorf("bringing table %s in step: dropping view %s: %w", s.t.Name, o.name, err)
			}
		}
	}
	own, next := sqlquote.Name(s.t.Name), sqlquote.Name(s.t.Name+"__sync")
	list, shape := strings.Join(copied, ", "), " ("+strings.Join(clauses, ", ")+")"
	statements := []string{
		"CREATE TABLE " + next + shape,
		"INSERT INTO " + next + " (" + list + ") SELECT " + list + " FROM " + own,
		"DROP TABLE " + own,
		"ALTER TABLE " + next + " RENAME TO " + own,
	}
	if rows == 0 {
		statements = []string{"DROP TABLE " + own, "CREATE TABLE " + own + shape}
	}
	for _, statement := range statements {
		if err := s.exec(ctx, statement); err != nil {
			return err
		}
	}
	for _, o := range objects {
		if _, err := s.tx.Exec(ctx, o.sql); err != nil {
			return fmt.Errorf("bringing table %s in step: making %s %s again: %w", s.t.Name, o.kind, o.name, err)
		}
	}
	return nil
}

// shape is what the new table consists of: what the database has, changed where asked, and
// what is new. Copied are the columns that keep their values.
func (s *syncing) shape() (clauses, copied []string, err error) {
	for _, p := range s.have {
		clause := s.keep(p)
		if c := s.altered(p.Name); c != nil {
			if clause, err = columnSQL(s.t, c); err != nil {
				return nil, nil, err
			}
		}
		clauses, copied = append(clauses, clause), append(copied, sqlquote.Name(p.Name))
	}
	for _, c := range s.add {
		if slices.ContainsFunc(s.have, func(p PhysicalColumn) bool { return strings.EqualFold(p.Name, c.Name) }) {
			continue
		}
		clause, err := columnSQL(s.t, c)
		if err != nil {
			return nil, nil, err
		}
		clauses = append(clauses, clause)
	}
	if key := s.key(clauses); len(key) > 0 {
		clauses = append(clauses, "PRIMARY KEY ("+strings.Join(key, ", ")+")")
	}
	return clauses, copied, nil
}

// key is the primary key: the dictionary's, or the old one while that is not there yet.
func (s *syncing) key(clauses []string) (key []string) {
	complete := true
	for _, c := range s.t.KeyColumns() {
		name := sqlquote.Name(c.Name)
		key = append(key, name)
		complete = complete && slices.ContainsFunc(clauses, func(clause string) bool { return strings.HasPrefix(clause, name+" ") })
	}
	if complete {
		return key
	}
	key = nil
	for _, p := range s.have {
		if p.Key {
			key = append(key, sqlquote.Name(p.Name))
		}
	}
	return key
}

func (s *syncing) altered(name string) *Column {
	i := slices.IndexFunc(s.alter, func(c *Column) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return nil
	}
	return s.alter[i]
}

// keep is the clause of a column that stays as the database has it.
func (s *syncing) keep(p PhysicalColumn) string {
	clause := sqlquote.Name(p.Name) + " " + p.Type
	if p.Type == "DECIMALTEXT" {
		clause += " COLLATE DECIMAL"
	}
	if p.NotNull {
		clause += " NOT NULL"
	}
	if s.checked(p.Name) {
		clause += " " + yesNoCheck(p.Name)
	}
	if p.Default != "" {
		clause += " DEFAULT " + p.Default
	}
	return clause
}

// check refuses changes the data do not bear, and tells how many rows there are.
func (s *syncing) check(ctx context.Context) (rows int, err error) {
	rows, err = s.tx.Count(ctx, s.t, "")
	if err != nil || rows == 0 {
		return rows, err
	}
	for _, c := range s.add {
		if d, err := defaultSQL(c); err != nil || c.Mandatory && d == "" && c.Ref != displaytype.YesNo {
			return rows, ddlErrorf("column %s.%s is mandatory and has no default, but the table has %d rows; give it a default or add it as optional and fill it first", s.t.Name, c.Name, rows)
		}
	}
	for _, c := range s.alter {
		name := sqlquote.Name(c.Name)
		if bad := misfit(c, name); bad != "" {
			n, err := s.tx.Count(ctx, s.t, name+" IS NOT NULL AND "+bad)
			if err != nil {
				return rows, err
			}
			if n > 0 {
				return rows, ddlErrorf("column %s.%s cannot get its new type: %d rows hold a value that does not fit it", s.t.Name, c.Name, n)
			}
		}
		if c.Mandatory || c.Ref == displaytype.YesNo {
			n, err := s.tx.Count(ctx, s.t, name+" IS NULL")
			if err != nil {
				return rows, err
			}
			if n > 0 {
				return rows, ddlErrorf("column %s.%s cannot become mandatory: %d rows have no value there; fill them first", s.t.Name, c.Name, n)
			}
		}
	}
	return rows, nil
}

// misfit is the condition of values that the type of a column does not hold, "" if it holds all.
func misfit(c *Column, name string) string {
	switch c.Kind() {
	case KindInteger:
		return "CAST(CAST(" + name + " AS INTEGER) AS TEXT)<>CAST(" + name + " AS TEXT)"
	case KindDecimal:
		return "NOT erp_is_number(CAST(" + name + " AS TEXT))"
	case KindBool:
		return name + " NOT IN ('Y','N')"
	}
	return ""
}

// schemaObject is an index or view that a rebuild takes away and makes again.
type schemaObject struct{ kind, name, sql string }

// dependents are the table's own indexes and, with views, every view of the
// database, as SQLite looks at all views when a table is renamed.
func (s *syncing) dependents(ctx context.Context, views bool) ([]schemaObject, error) {
	rows, err := s.tx.Query(ctx, `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL
		AND (type='view' AND ? OR type='index' AND tbl_name=? COLLATE NOCASE) ORDER BY rowid`, views, s.t.Name)
	if err != nil {
		return nil, fmt.Errorf("reading what depends on %s: %w", s.t.Name, err)
	}
	defer rows.Close()
	var out []schemaObject
	for rows.Next() {
		var o schemaObject
		if err := rows.Scan(&o.kind, &o.name, &o.sql); err != nil {
			return nil, fmt.Errorf("reading what depends on %s: %w", s.t.Name, err)
		}
		out = append(out, o)
	}
	return out, rows.Err()
}
