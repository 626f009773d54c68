// Package rowscript writes rows that tests make up as INSERT statements, for the
// embedded database and for PostgreSQL alike.
package rowscript

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Decimal is a number, written as a text in quotes, which both databases take without
// rounding.
type Decimal string

// Cents is an amount of so many hundredths.
func Cents(n int) Decimal { return Decimal(big.NewRat(int64(n), 100).FloatString(2)) }

// YesNo is a flag as the ERP keeps it.
func YesNo(b bool) string {
	if b {
		return "Y"
	}
	return "N"
}

// Ref is the number of a record, nil for 0.
func Ref(id int) any {
	if id == 0 {
		return nil
	}
	return id
}

// Script is statements, in the order in which they were written.
type Script struct {
	strings.Builder
	tb     testing.TB
	reg    registry.Registry
	tables map[string]registry.Table
}

// New is an empty script for tables of a dictionary.
func New(tb testing.TB, reg registry.Registry) *Script {
	return &Script{tb: tb, reg: reg, tables: map[string]registry.Table{}}
}

// Add inserts a row of a tenant and an organization: pairs are names of columns and
// values. Columns that a row cannot do without get a value if they have none.
func (s *Script) Add(table string, tenant, org int, pairs ...any) {
	s.tb.Helper()
	row := map[string]any{"AD_Client_ID": tenant, "AD_Org_ID": org, "IsActive": "Y"}
	for i := 0; i < len(pairs); i += 2 {
		row[pairs[i].(string)] = pairs[i+1]
	}
	described, ok := s.tables[table]
	if !ok {
		var err error
		described, err = s.reg.Table(s.tb.Context(), table)
		require.NoError(s.tb, err)
		s.tables[table] = described
	}
	for _, c := range described.Columns {
		if _, given := row[c.Name]; given || !c.Mandatory || c.Virtual() {
			continue
		}
		switch kind := c.Type.SQLType(dict.PostgreSQL, c.Name, c.Length); {
		case c.Type == dict.TypeYesNo:
			row[c.Name] = "N"
		case strings.Contains(kind, "CHAR"):
			row[c.Name] = "-"
		case strings.Contains(kind, "TIME"):
			row[c.Name] = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
		default:
			row[c.Name] = 0
		}
	}
	names := slices.Sorted(maps.Keys(row))
	values := make([]string, len(names))
	for i, n := range names {
		values[i] = Literal(row[n])
	}
	fmt.Fprintf(s, "INSERT INTO %s (%s) VALUES (%s);\n", table, strings.Join(names, ", "), strings.Join(values, ", "))
}

// Literal is a value as both databases read it.
func Literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int:
		return fmt.Sprint(v)
	case time.Time:
		return "'" + v.Format(time.DateTime) + "'"
	}
	return sqlquote.Text(fmt.Sprint(v))
}
