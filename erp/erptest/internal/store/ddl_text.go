package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/sqlquote"
)

// maxColumns is what SQLite takes in a table.
const maxColumns = 2000

// Layout is how the database has a table of the dictionary that is made new.
type Layout struct {
	SQL       string    // the statement that creates the table
	Columns   []*Column // those that are not virtual, in their order
	Types     []string  // of the columns, as declared
	Key       []int     // positions of the columns of the primary key, none without one
	UUIDIndex string    // the statement that creates the unique index of the UUID column, "" for none
	UUID      int       // position of that column
}

// LayoutOf is the layout that [Tx.CreateTable] would give a table.
func LayoutOf(t *Table) (Layout, error) {
	statements, err := createSQL(t, t.Name)
	if err != nil {
		return Layout{}, err
	}
	l := Layout{SQL: statements[0], Columns: physical(t)}
	for _, c := range l.Columns {
		typ, _, _ := strings.Cut(physicalType(c), " ")
		l.Types = append(l.Types, typ)
	}
	for _, c := range t.KeyColumns() {
		l.Key = append(l.Key, slices.Index(l.Columns, c))
	}
	if len(statements) > 1 {
		l.UUIDIndex, l.UUID = statements[1], slices.Index(l.Columns, t.UUColumn())
	}
	return l, nil
}

// createSQL is how a table is made under the given name: the statement itself
// and, when the table has a UUID column that is not its key, a unique index.
func createSQL(t *Table, name string) ([]string, error) {
	columns := physical(t)
	if len(columns) == 0 {
		return nil, ddlErrorf("table %s has no active column that is not virtual; add its columns first", t.Name)
	}
	if len(columns) > maxColumns {
		return nil, ddlErrorf("table %s has %d columns; the database takes %d at most", t.Name, len(columns), maxColumns)
	}
	if strings.HasPrefix(strings.ToLower(t.Name), "sqlite_") {
		return nil, ddlErrorf("table %s: names that begin with sqlite_ belong to the database", t.Name)
	}
	key := t.KeyColumns()
	parts := make([]string, 0, len(columns)+1)
	for _, c := range columns {
		clause, err := columnSQL(t, c)
		if err != nil {
			return nil, err
		}
		if len(key) == 1 && key[0] == c {
			clause += " PRIMARY KEY"
		}
		parts = append(parts, clause)
	}
	if len(key) > 1 {
		names := make([]string, len(key))
		for i, c := range key {
			names[i] = sqlquote.Name(c.Name)
		}
		parts = append(parts, "PRIMARY KEY ("+strings.Join(names, ", ")+")")
	}
	statements := []string{"CREATE TABLE " + sqlquote.Name(name) + " (" + strings.Join(parts, ", ") + ")"}
	if index := uuidIndexSQL(t); index != "" && name == t.Name {
		statements = append(statements, index)
	}
	return statements, nil
}

// uuidIndexSQL is the unique index of the UUID column, "" when it needs none.
func uuidIndexSQL(t *Table) string {
	uu := t.UUColumn()
	if uu == nil || uu.IsVirtual() || slices.Contains(t.KeyColumns(), uu) {
		return ""
	}
	return "CREATE UNIQUE INDEX IF NOT EXISTS " + sqlquote.Name(uu.Name+"_idx") + " ON " + sqlquote.Name(t.Name) + " (" + sqlquote.Name(uu.Name) + ")"
}

// physical are the columns the database has, by name.
func physical(t *Table) []*Column {
	columns := slices.DeleteFunc(slices.Clone(t.Columns), (*Column).IsVirtual)
	slices.SortStableFunc(columns, func(a, b *Column) int {
		return strings.Compare(strings.ToUpper(a.Name), strings.ToUpper(b.Name))
	})
	return columns
}

// columnSQL is the column's clause, in the order the ERP writes it for
// PostgreSQL: type, NOT NULL, CHECK, DEFAULT.
func columnSQL(t *Table, c *Column) (string, error) {
	var b strings.Builder
	b.WriteString(sqlquote.Name(c.Name) + " " + physicalType(c))
	if c.Mandatory || c.Ref == displaytype.YesNo {
		b.WriteString(" NOT NULL")
	}
	if c.Ref == displaytype.YesNo {
		b.WriteString(" " + yesNoCheck(c.Name))
	}
	d, err := defaultSQL(c)
	if err != nil {
		return "", ddlErrorf("column %s.%s: %v", t.Name, c.Name, err)
	}
	if d != "" {
		b.WriteString(" DEFAULT " + d)
	}
	return b.String(), nil
}

// yesNoCheck is the constraint of Yes-No columns.
func yesNoCheck(name string) string { return "CHECK (" + sqlquote.Name(name) + " IN ('Y','N'))" }

// physicalType is the declared type; texts carry their length, which the
// database shows but does not enforce.
func physicalType(c *Column) string {
	typ := c.SQLType()
	if typ != "TEXT" || c.Length <= 0 || c.Length >= 4000 {
		return typ
	}
	if c.Ref == displaytype.YesNo || c.Length == 1 {
		return "CHAR(1)"
	}
	return "VARCHAR(" + strconv.Itoa(c.Length) + ")"
}

// defaultSQL is the column's default as SQL, "" for none. Context variables
// are for the program, not for the database. Nothing of the dictionary's text
// gets into the statement unquoted, unless it is a number.
func defaultSQL(c *Column) (string, error) {
	d := strings.TrimSpace(c.Default)
	if c.Ref == displaytype.YesNo && (d == "" || strings.Contains(d, "@")) {
		d = "N"
		if strings.EqualFold(c.Name, "IsActive") {
			d = "Y"
		}
	}
	if d == "" || strings.Contains(d, "@") || strings.EqualFold(d, "NULL") {
		return "", nil
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(d, "'"), "'")
	switch c.Kind() {
	case KindInteger:
		n, err := strconv.ParseInt(bare, 10, 64)
		if err != nil {
			return "", fmt.Errorf("the default %s is no whole number", strconv.Quote(d))
		}
		if n == -1 && c.Ref != displaytype.Integer {
			return "", nil
		}
		return strconv.FormatInt(n, 10), nil
	case KindDecimal:
		if _, ok := parseDecimal(bare); !ok {
			return "", fmt.Errorf("the default %s is no number", strconv.Quote(d))
		}
		return sqlquote.Text(bare), nil
	case KindDate, KindDateTime, KindInstant, KindTime:
		switch strings.ToUpper(bare) {
		case "SYSDATE", "GETDATE()", "NOW()", "CURRENT_TIMESTAMP", "CURRENT_DATE":
			return "CURRENT_TIMESTAMP", nil
		}
		return "", nil
	case KindBytes:
		return "", nil
	}
	return sqlquote.Text(bare), nil
}
