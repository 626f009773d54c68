package sqlite

import (
	"database/sql/driver"
	"fmt"

	sqlitedriver "modernc.org/sqlite"
)

// scalar is the Go side of a function of rendered statements. Unless nulls is
// set, NULL in any argument returns NULL without a call.
type scalar struct {
	name  string
	args  int32 // -1 for any number
	nulls bool
	run   func(args []driver.Value) (driver.Value, error)
}

// The driver "sqlite" gets the functions, aggregates and collations of rendered
// statements before anybody can open a database: it must not be added to while others
// open theirs.
func init() {
	must := func(err error) {
		if err != nil {
			panic(fmt.Sprintf("aiquery/embedded/internal/sqlite: registering with the SQLite driver: %v", err))
		}
	}
	must(sqlitedriver.RegisterCollationUtf8("pg_numeric", compareNumbers))
	must(sqlitedriver.RegisterCollationUtf8("pg_interval", compareIntervals))
	var all []scalar
	for _, list := range [][]scalar{numberFunctions(), textFunctions(), patternFunctions(), timeFunctions(), valueFunctions()} {
		all = append(all, list...)
	}
	for _, f := range all {
		must(sqlitedriver.RegisterDeterministicScalarFunction(f.name, f.args, f.call))
	}
	for _, a := range aggregates() {
		must(sqlitedriver.RegisterFunction(a.name, &sqlitedriver.FunctionImpl{
			NArgs: a.args, Deterministic: true,
			MakeAggregate: func(sqlitedriver.FunctionContext) (sqlitedriver.AggregateFunction, error) {
				return a.make(), nil
			},
		}))
	}
}

func (f scalar) call(_ *sqlitedriver.FunctionContext, args []driver.Value) (driver.Value, error) {
	if !f.nulls {
		for _, a := range args {
			if a == nil {
				return nil, nil
			}
		}
	}
	v, err := f.run(args)
	if err != nil {
		return nil, err
	}
	if s, ok := v.(string); ok && len(s) > maxText {
		return nil, errMemory
	}
	return v, nil
}

// argText, argInt and argDecimal read arguments whose form the renderer fixed.
func argText(v driver.Value) string { return asText(v) }

func argInt(v driver.Value) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return 0
}
