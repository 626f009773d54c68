package twin

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

func (s *Database) from(t *dbTable) string {
	if s.opts.Schema == "" {
		return quoteName(t.name)
	}
	return quoteName(s.opts.Schema) + "." + quoteName(t.name)
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// statement is the select for a query; local are the columns with times of the
// server's zone.
func (s *Database) statement(own *dbTable, q *Query) (query string, args []any, local []int, err error) {
	column := func(name string) (dbColumn, error) {
		c, ok := own.columns[strings.ToLower(name)]
		if !ok {
			return c, fmt.Errorf("%w: the table %s of the database has no column %s", ErrNotReadable, own.name, name)
		}
		return c, nil
	}
	list := make([]string, len(q.Columns))
	for i, c := range q.Columns {
		has, err := column(c.Name)
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
	bind := func(v any) string {
		args = append(args, v)
		if s.dialect == PostgreSQL {
			return "$" + strconv.Itoa(len(args))
		}
		return "?"
	}
	var where []string
	if q.Table.Key != "" && q.After != nil {
		c, err := column(q.Table.Key)
		if err != nil {
			return "", nil, nil, err
		}
		where = append(where, quoteName(c.name)+map[bool]string{true: "<", false: ">"}[q.Descending]+strconv.FormatInt(*q.After, 10))
	}
	if c, ok := own.columns["updated"]; ok && !q.Since.IsZero() {
		at := q.Since.In(s.opts.Location)
		if s.dialect == PostgreSQL {
			where = append(where, quoteName(c.name)+">="+bind(at.Format("2006-01-02 15:04:05.999999"))+"::text::timestamp")
		} else {
			where = append(where, quoteName(c.name)+">="+bind(q.Since.UTC().Format(time.DateTime)))
		}
	}
	if c, ok := own.columns["ad_client_id"]; ok && q.Tenants != nil {
		in := make([]string, len(q.Tenants))
		for i, id := range q.Tenants {
			in[i] = strconv.FormatInt(id, 10)
		}
		where = append(where, quoteName(c.name)+" IN ("+strings.Join(in, ",")+")")
	}
	if q.By != "" {
		c, err := column(q.By)
		if err != nil {
			return "", nil, nil, err
		}
		in := make([]string, 0, len(q.Keys))
		for _, key := range q.Keys {
			switch key := key.(type) {
			case int64:
				in = append(in, strconv.FormatInt(key, 10))
			default:
				text := fmt.Sprint(key)
				if c.kind == "uuid" && uuid.Validate(text) != nil {
					continue // the key of no row; PostgreSQL would refuse all of them
				}
				in = append(in, bind(text))
			}
		}
		if len(in) == 0 {
			in = []string{"NULL"}
		}
		where = append(where, quoteName(c.name)+" IN ("+strings.Join(in, ",")+")")
	}
	query = "SELECT " + strings.Join(list, ", ") + " FROM " + s.from(own)
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	order := q.Table.Order
	if q.Table.Key != "" {
		order = []string{q.Table.Key}
	}
	var by []string
	for _, name := range order {
		c, err := column(name)
		if err != nil {
			continue // a key that the database does not have tells nothing apart
		}
		part := quoteName(c.name)
		if q.Descending {
			part += " DESC"
		}
		by = append(by, part)
	}
	if len(by) > 0 {
		query += " ORDER BY " + strings.Join(by, ", ")
	}
	if q.Limit > 0 || q.Skip > 0 {
		if q.Limit > 0 {
			query += " LIMIT " + strconv.Itoa(q.Limit)
		} else if s.dialect == SQLite {
			query += " LIMIT -1"
		}
		if q.Skip > 0 {
			query += " OFFSET " + strconv.Itoa(q.Skip)
		}
	}
	return query, args, local, nil
}

// expression has the database hand over a column as the Go type it is wanted as.
func (s *Database) expression(c Column, has dbColumn) string {
	name := quoteName(has.name)
	if s.dialect == SQLite {
		if c.Type == Date || c.Type == DateTime || c.Type == Instant || c.Type == Clock {
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
		if c.Type == Date || c.Type == DateTime || c.Type == Instant || c.Type == Clock {
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
