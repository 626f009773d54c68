package pgmirror

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/sqlquote"
)

// shape is a table as the copy has it.
type shape struct {
	source  string   // the ERP's name for it
	columns []column // in the ERP's order
	key     []int    // the columns of the primary key; none: rows are not told apart
	clauses []string // of the columns, in their order, and of the key
	create  string   // what follows the table's name in CREATE TABLE
}

// with is the table with another type of a column.
func (s *shape) with(column, kind string) *shape {
	out := *s
	out.columns, out.clauses = slices.Clone(s.columns), slices.Clone(s.clauses)
	for i, c := range s.columns {
		if c.source == column {
			out.columns[i].kind = kind
			out.clauses[i] = name(column) + " " + kind + strings.TrimPrefix(s.clauses[i], name(column)+" "+c.kind)
		}
	}
	out.create = createOf(out.clauses)
	return &out
}

func createOf(clauses []string) string { return "(" + strings.Join(clauses, ", ") + ")" }

type column struct {
	source string
	kind   string // PostgreSQL's type
}

func (s *shape) upper() string { return strings.ToUpper(s.source) }

// name is the table's or column's name in PostgreSQL, in quotes.
func name(source string) string {
	return sqlquote.Name(strings.ToLower(source))
}

// described is a column as the dictionary has it.
type described struct {
	kind   dict.DisplayType
	name   string
	length int
}

// readDictionary reads the columns of all tables of the dictionary, by their
// upper-case names.
func readDictionary(ctx context.Context, tx *sql.Tx) (map[string]map[string]described, error) {
	rows, err := tx.QueryContext(ctx, `SELECT t.TableName, COALESCE(c.ColumnName, ''), COALESCE(c.AD_Reference_ID, 0), COALESCE(c.FieldLength, 0)
		FROM AD_Table t LEFT JOIN AD_Column c ON c.AD_Table_ID = t.AD_Table_ID`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]map[string]described{}
	for rows.Next() {
		var table string
		var d described
		if err := rows.Scan(&table, &d.name, &d.kind, &d.length); err != nil {
			return nil, err
		}
		table = strings.ToUpper(table)
		if all[table] == nil {
			all[table] = map[string]described{}
		}
		all[table][strings.ToUpper(d.name)] = d
	}
	return all, rows.Err()
}

// readShapes reads which tables of the dictionary the ERP's database has.
func readShapes(ctx context.Context, tx *sql.Tx, empty []string, have *database) (map[string]*shape, error) {
	fail := func(err error) (map[string]*shape, error) {
		return nil, fmt.Errorf("look at the ERP's tables: %w", err)
	}
	names, err := json.Marshal(empty)
	if err != nil {
		return fail(err)
	}
	dictionary, err := readDictionary(ctx, tx)
	if err != nil {
		return fail(err)
	}
	rows, err := tx.QueryContext(ctx, `SELECT m.name, p.name, p.type, p."notnull", p.pk
		FROM (SELECT name FROM sqlite_master WHERE type = 'table' UNION SELECT value FROM json_each(?)) m, pragma_table_info(m.name) p
		ORDER BY m.name, p.cid`, string(names))
	if err != nil {
		return fail(err)
	}
	defer rows.Close()
	all := map[string]*shape{}
	parts := map[*shape]*definition{}
	for rows.Next() {
		var table, declared string
		var c column
		var mandatory bool
		var key int
		if err := rows.Scan(&table, &c.source, &declared, &mandatory, &key); err != nil {
			return fail(err)
		}
		upper := strings.ToUpper(table)
		columns, known := dictionary[upper]
		if !known {
			continue
		}
		s := all[upper]
		if s == nil {
			s = &shape{source: table}
			all[upper], parts[s] = s, &definition{keyed: !have.keyless[upper]}
		}
		c.kind = have.relaxed[misplaced{upper, strings.ToUpper(c.source)}]
		if c.kind == "" {
			c.kind = columnType(columns[strings.ToUpper(c.source)], declared)
		}
		parts[s].add(s, c, mandatory, key, declared)
	}
	for s, d := range parts {
		d.finish(s)
	}
	return all, rows.Err()
}

// definition collects what becomes the CREATE TABLE of a shape.
type definition struct {
	clauses []string
	keys    map[int]int // positions in the key to columns
	keyed   bool
}

func (d *definition) add(s *shape, c column, mandatory bool, key int, declared string) {
	clause := name(c.source) + " " + c.kind
	if mandatory {
		clause += " NOT NULL"
	}
	d.clauses = append(d.clauses, clause)
	if key > 0 {
		if d.keys == nil {
			d.keys = map[int]int{}
		}
		d.keys[key] = len(s.columns)
		// SQLite has rows without a key, unless it numbers them itself.
		d.keyed = d.keyed && (mandatory || strings.EqualFold(declared, "INTEGER"))
	}
	s.columns = append(s.columns, c)
}

func (d *definition) finish(s *shape) {
	if d.keyed && len(d.keys) > 0 {
		var names []string
		for i := range len(d.keys) {
			s.key = append(s.key, d.keys[i+1])
			names = append(names, name(s.columns[d.keys[i+1]].source))
		}
		d.clauses = append(d.clauses, "PRIMARY KEY ("+strings.Join(names, ", ")+")")
	}
	s.clauses, s.create = d.clauses, createOf(d.clauses)
}

// columnType is the type of a column in PostgreSQL: what the ERP makes of the
// dictionary's description, unless the embedded database keeps values of another
// kind, which are as they are until the table is synchronized.
func columnType(d described, declared string) string {
	stored, base := classOf(declared)
	if d.kind != 0 {
		kind := strings.ToLower(d.kind.SQLType(dict.PostgreSQL, d.name, d.length))
		if class, _ := classOf(kind); class == stored || class == numbers && stored == decimals || class == decimals && stored == numbers {
			return kind
		}
	}
	return base
}

type class int

const (
	texts class = iota
	numbers
	decimals
	times
	binaries
)

// classOf tells what kind of values a type of either database holds, and
// PostgreSQL's type for one of the embedded database.
func classOf(declared string) (class, string) {
	switch upper := strings.ToUpper(declared); {
	case upper == "INTEGER", upper == "NUMERIC(10)":
		return numbers, "numeric(10)"
	case strings.HasPrefix(upper, "DECIMAL"), strings.HasPrefix(upper, "NUMERIC"):
		return decimals, "numeric"
	case strings.HasPrefix(upper, "TIMESTAMP"):
		return times, "timestamp"
	case upper == "BLOB", upper == "BYTEA":
		return binaries, "bytea"
	case strings.HasPrefix(upper, "CHAR("), strings.HasPrefix(upper, "VARCHAR("):
		return texts, strings.ToLower(declared)
	}
	return texts, "text"
}
