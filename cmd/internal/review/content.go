package review

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Content counts rows of the ERP. Tables and columns go by the names that the ERP
// has now.
type Content interface {
	Count(ctx context.Context, q Question) (Count, error)
}

// Question says which rows of a table are counted.
type Question struct {
	Table  string
	Kind   Kind
	Column string
	Length int      // for Longer, in characters
	Unique []string // for Repeated: the columns whose values belong together
}

// Kind is what is counted.
type Kind int

// The kinds.
const (
	Rows       Kind = iota // all of them
	Empty                  // without a value in Column
	Longer                 // with a text longer than Length in Column
	Fractional             // with a number that is not whole in Column
	Repeated               // whose values in Unique another row has, too
)

// Count is how many rows there are.
type Count struct {
	Rows int64
	// Complete says that these are all rows of all tenants. Otherwise there may be
	// more, which the login does not see or nobody looked at.
	Complete bool
}

// Database counts in the ERP's database, which knows all rows. The schema may be empty.
func Database(db *sql.DB, schema string) Content { return &database{db, schema} }

type database struct {
	db     *sql.DB
	schema string
}

// Count implements [Content].
func (d *database) Count(ctx context.Context, q Question) (Count, error) {
	names := append([]string{q.Table}, q.Unique...)
	if q.Column != "" {
		names = append(names, q.Column)
	}
	for _, name := range names {
		if !adid.IsIdentifier(name) {
			return Count{}, fmt.Errorf("counting rows: %q is not a name in the database", name)
		}
	}
	table := quoted(q.Table)
	if d.schema != "" {
		table = quoted(d.schema) + "." + table
	}
	column := quoted(q.Column)
	query := "SELECT COUNT(*) FROM " + table
	switch q.Kind {
	case Rows:
	case Empty:
		query += " WHERE " + column + " IS NULL"
	case Longer:
		query += fmt.Sprintf(" WHERE LENGTH(%s) > %d", column, q.Length)
	case Fractional:
		query += fmt.Sprintf(" WHERE %[1]s <> ROUND(%[1]s)", column)
	case Repeated:
		var list, there []string
		for _, name := range q.Unique {
			list = append(list, quoted(name))
			there = append(there, quoted(name)+" IS NOT NULL")
		}
		query = fmt.Sprintf("SELECT COALESCE(SUM(n), 0) FROM (SELECT COUNT(*) AS n FROM %s WHERE %s GROUP BY %s HAVING COUNT(*) > 1) AS repeated",
			table, strings.Join(there, " AND "), strings.Join(list, ", "))
	default:
		return Count{}, fmt.Errorf("counting rows: there is no kind %d", q.Kind)
	}
	c := Count{Complete: true}
	if err := d.db.QueryRowContext(ctx, query).Scan(&c.Rows); err != nil {
		return Count{}, fmt.Errorf("counting rows of %s: %w", q.Table, err)
	}
	return c, nil
}

// quoted is a name as PostgreSQL has those that were not quoted.
func quoted(name string) string { return sqlquote.Name(strings.ToLower(name)) }
