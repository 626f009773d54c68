package twin

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/erphub/erphub/internal/sqlquote"
)

func (s *Database) from(t *dbTable) string {
	if s.opts.Schema == "" {
		return sqlquote.Name(t.name)
	}
	return sqlquote.Name(s.opts.Schema) + "." + sqlquote.Name(t.name)
}

// selecting is a SELECT that is being written.
type selecting struct {
	s     *Database
	own   *dbTable
	q     *Query
	where []string
	args  []any
}

// statement is the select for a query; local are the columns with times of the
// server's zone.
func (s *Database) statement(own *dbTable, q *Query) (query string, args []any, local []int, err error) {
	w := &selecting{s: s, own: own, q: q}
	list := make([]string, len(q.Columns))
	for i, c := range q.Columns {
		has, err := w.column(c.Name)
		if err != nil {
			return "", nil, nil, err
		}
		list[i] = s.expression(c, has)
		if s.dialect == PostgreSQL && has.kind == "timestamp" && (c.Type == DateTime || c.Type == Instant) {
			local = append(local, i)
		}
	}
	if len(list) == 0 {
		list = []string{"1"}
	}
	for _, condition := range []func() error{w.after, w.since, w.tenants, w.keys} {
		if err := condition(); err != nil {
			return "", nil, nil, err
		}
	}
	query = "SELECT " + strings.Join(list, ", ") + " FROM " + s.from(own)
	if len(w.where) > 0 {
		query += " WHERE " + strings.Join(w.where, " AND ")
	}
	return query + w.order() + w.limit(), w.args, local, nil
}

func (w *selecting) column(name string) (dbColumn, error) {
	c, ok := w.own.columns[strings.ToLower(name)]
	if !ok {
		return c, fmt.Errorf("%w: the table %s of the database has no column %s", ErrNotReadable, w.own.name, name)
	}
	return c, nil
}

// bind is the place of an argument in the statement.
func (w *selecting) bind(v any) string {
	w.args = append(w.args, v)
	if w.s.dialect == PostgreSQL {
		return "$" + strconv.Itoa(len(w.args))
	}
	return "?"
}

func (w *selecting) in(c dbColumn, values []string) {
	w.where = append(w.where, sqlquote.Name(c.name)+" IN ("+strings.Join(values, ",")+")")
}

// after asks for the rows behind the last one that was read.
func (w *selecting) after() error {
	if w.q.Table.Key == "" || w.q.After == nil {
		return nil
	}
	c, err := w.column(w.q.Table.Key)
	if err != nil {
		return err
	}
	behind := ">"
	if w.q.Descending {
		behind = "<"
	}
	w.where = append(w.where, sqlquote.Name(c.name)+behind+strconv.FormatInt(*w.q.After, 10))
	return nil
}

// since asks for the rows that were changed since a time.
func (w *selecting) since() error {
	c, ok := w.own.columns["updated"]
	if !ok || w.q.Since.IsZero() {
		return nil
	}
	at := w.bind(w.q.Since.UTC().Format(time.DateTime))
	if w.s.dialect == PostgreSQL {
		w.args[len(w.args)-1] = w.q.Since.In(w.s.opts.Location).Format("2006-01-02 15:04:05.999999")
		at += "::text::timestamp"
	}
	w.where = append(w.where, sqlquote.Name(c.name)+">="+at)
	return nil
}

func (w *selecting) tenants() error {
	c, ok := w.own.columns["ad_client_id"]
	if !ok || w.q.Tenants == nil {
		return nil
	}
	ids := make([]string, len(w.q.Tenants))
	for i, id := range w.q.Tenants {
		ids[i] = strconv.FormatInt(id, 10)
	}
	w.in(c, ids)
	return nil
}

// keys asks for the rows that have one of the values in a column.
func (w *selecting) keys() error {
	if w.q.By == "" {
		return nil
	}
	c, err := w.column(w.q.By)
	if err != nil {
		return err
	}
	values := make([]string, 0, len(w.q.Keys))
	for _, key := range w.q.Keys {
		switch key := key.(type) {
		case int64:
			values = append(values, strconv.FormatInt(key, 10))
		default:
			text := fmt.Sprint(key)
			if c.kind == "uuid" && uuid.Validate(text) != nil {
				continue // the key of no row; PostgreSQL would refuse all of them
			}
			values = append(values, w.bind(text))
		}
	}
	if len(values) == 0 {
		values = []string{"NULL"}
	}
	w.in(c, values)
	return nil
}

func (w *selecting) order() string {
	order := w.q.Table.Order
	if w.q.Table.Key != "" {
		order = []string{w.q.Table.Key}
	}
	var by []string
	for _, name := range order {
		c, err := w.column(name)
		if err != nil {
			continue // a key that the database does not have tells nothing apart
		}
		part := sqlquote.Name(c.name)
		if w.q.Descending {
			part += " DESC"
		}
		by = append(by, part)
	}
	if len(by) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(by, ", ")
}

func (w *selecting) limit() (clause string) {
	switch {
	case w.q.Limit > 0:
		clause = " LIMIT " + strconv.Itoa(w.q.Limit)
	case w.q.Skip > 0 && w.s.dialect == SQLite:
		clause = " LIMIT -1" // OFFSET needs one
	}
	if w.q.Skip > 0 {
		clause += " OFFSET " + strconv.Itoa(w.q.Skip)
	}
	return clause
}

// expression has the database hand over a column as the Go type it is wanted as.
func (s *Database) expression(c Column, has dbColumn) string {
	name := sqlquote.Name(has.name)
	if s.dialect == SQLite {
		if times[c.Type] {
			return "CAST(" + name + " AS TEXT)"
		}
		return name
	}
	switch has.kind {
	case "int2", "int4", "int8":
		if c.Type == Integer {
			return name
		}
	case "numeric":
		if c.Type == Integer {
			return name + "::bigint"
		}
	case "timestamp", "timestamptz", "date":
		if times[c.Type] {
			return name
		}
	case "bytea":
		if c.Type == Binary {
			return name
		}
	case "varchar", "text":
		return name
	}
	return name + "::text"
}

var times = map[ValueType]bool{Date: true, DateTime: true, Instant: true, Clock: true}
