package ddl

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// Difference is the statements that bring the database's table in line with the
// dictionary, as synchronising does: a table that is not there is made, columns
// that are missing are added, those of another type, default or nullability are
// changed, and foreign keys follow. Columns that only the database has stay.
// Only, when not empty, is the one column to look at.
//
// Types and defaults are compared with what PostgreSQL says, because have comes
// from [ReadTable]; the statements may be for either database.
func Difference(want *dict.Physical, have *Actual, only string, dialect dict.Dialect, style Style) []Statement {
	if have.Missing {
		return Whole(want, dialect, &Options{Style: style})
	}
	var columns, keys []Statement
	for _, c := range want.Columns {
		if only != "" && !strings.EqualFold(only, c.Name) {
			continue
		}
		about := "column " + want.Table + "." + c.Name
		add := func(texts ...string) {
			for _, text := range texts {
				columns = append(columns, Statement{About: about, Text: text})
			}
		}
		actual, there := have.Column(c.Name)
		if !there {
			add(AddColumn(want.Table, c, dialect, style)...)
		} else {
			add(ChangeColumn(want.Table, c, changeOf(c, actual), dialect)...)
		}
		keys = append(keys, keyDifference(want.Table, c, have, dialect)...)
	}
	return append(columns, keys...)
}

// Drift is the statements that bring a PostgreSQL database's table in line with
// the dictionary: [Difference] of what [FromRegistry] and [ReadTable] say. None
// means that the database is as the dictionary says. The error matches
// [registry.ErrNotFound] when the dictionary has no such table, and is a [*ViewError]
// for a view.
func Drift(ctx context.Context, reg registry.Registry, db Querier, schema, table string) ([]Statement, error) {
	want, err := FromRegistry(ctx, reg, table)
	if err != nil {
		return nil, err
	}
	have, err := ReadTable(ctx, db, schema, want.Table)
	if err != nil {
		return nil, err
	}
	if have.View {
		return nil, fmt.Errorf("the database has a view where the dictionary has table %s; drop it first", want.Table)
	}
	return Difference(want, have, "", dict.PostgreSQL, Script), nil
}

// Whole is the statements that make a table with its foreign keys.
func Whole(want *dict.Physical, dialect dict.Dialect, opts *Options) []Statement {
	opts = cmp.Or(opts, &Options{})
	list := []Statement{{About: "table " + want.Table, Text: CreateTable(want, dialect, opts.Style)}}
	return append(list, foreignKeys(want, dialect, opts)...)
}

// WholeColumn is the statements that add one column with its foreign key.
func WholeColumn(table string, c dict.PhysicalColumn, dialect dict.Dialect, opts *Options) []Statement {
	opts = cmp.Or(opts, &Options{})
	var list []Statement
	for _, text := range AddColumn(table, c, dialect, opts.Style) {
		list = append(list, Statement{About: "column " + table + "." + c.Name, Text: text})
	}
	return append(list, foreignKeys(&dict.Physical{Table: table, Columns: []dict.PhysicalColumn{c}}, dialect, opts)...)
}

func changeOf(c dict.PhysicalColumn, have ActualColumn) Change {
	return Change{
		Type:     !sameType(c.Type.SQLType(dict.PostgreSQL, c.Name, c.Length), have.Type),
		Default:  !sameDefault(Default(c, dict.PostgreSQL), have.Default),
		Nullable: c.Mandatory != have.NotNull,
	}
}

// sameType compares a type of ours with one that PostgreSQL tells.
func sameType(want, have string) bool { return shortType(want) == shortType(have) }

func shortType(t string) string {
	t = strings.ToLower(strings.TrimSpace(t))
	if rest, ok := strings.CutPrefix(t, "character varying"); ok {
		return "varchar" + rest
	}
	if rest, ok := strings.CutPrefix(t, "character("); ok {
		return "char(" + rest
	}
	switch t {
	case "timestamp without time zone":
		return "timestamp"
	case "character":
		return "char(1)"
	}
	return strings.Replace(t, ",0)", ")", 1)
}

// sameDefault compares a default of ours with one that PostgreSQL tells, which
// adds casts: 'Y'::bpchar.
func sameDefault(want, have string) bool { return plainDefault(want) == plainDefault(have) }

func plainDefault(s string) string {
	s = strings.TrimSpace(s)
	if end := literalEnd(s); end > 0 {
		rest := s[end:]
		if rest == "" || strings.HasPrefix(rest, "::") {
			return unquoteLiteral(s[:end])
		}
	}
	if base, _, ok := strings.Cut(s, "::"); ok {
		s = strings.Trim(base, "()")
	}
	if strings.EqualFold(s, "null") {
		return ""
	}
	if strings.HasSuffix(s, "()") { // the database names the schema of a function that is not on the search path
		s = s[strings.LastIndexByte(s, '.')+1:]
	}
	return strings.ToLower(strings.TrimPrefix(s, "+"))
}

// literalEnd is where the literal ends that the text begins with, 0 for none.
func literalEnd(s string) int {
	if s == "" || s[0] != '\'' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			i++
			continue
		}
		return i + 1
	}
	return 0
}

func unquoteLiteral(s string) string { return strings.ReplaceAll(s[1:len(s)-1], "''", "'") }

// keyDifference is the statements for the foreign key of one column.
func keyDifference(table string, c dict.PhysicalColumn, have *Actual, dialect dict.Dialect) []Statement {
	actual, there := have.key(c.Name)
	if c.Foreign == nil || c.Foreign.Table == "" {
		return nil // what is there stays: the ERP leaves keys alone that it knows nothing of
	}
	drop := Statement{About: "foreign key " + actual.Name, Text: DropForeignKey(table, actual.Name, dialect)}
	wanted, makes := AddForeignKey(table, c, dialect)
	switch {
	case there && !makes:
		return []Statement{drop}
	case !makes:
		return nil
	case !there:
		return []Statement{{About: "foreign key " + c.Foreign.Name, Text: wanted}}
	}
	rule := map[dict.FKRule]string{dict.FKCascade: "CASCADE", dict.FKSetNull: "SET NULL"}[c.Foreign.Rule]
	if actual.Delete == rule && strings.EqualFold(actual.Name, c.Foreign.Name) && strings.EqualFold(actual.Target, c.Foreign.Table) {
		return nil
	}
	return []Statement{drop, {About: "foreign key " + c.Foreign.Name, Text: wanted}}
}
