package store

import (
	"database/sql/driver"
	"fmt"
	"math/big"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"modernc.org/sqlite"
)

// The driver gets what the ERP's SQL expects and SQLite lacks before anybody can open
// a database: it must not be added to while others open theirs.
func init() {
	must := func(err error) {
		if err != nil {
			panic(fmt.Sprintf("store: registering with the SQLite driver: %v", err))
		}
	}
	must(sqlite.RegisterCollationUtf8("DECIMAL", compareDecimals))
	must(sqlite.RegisterDeterministicScalarFunction("erp_like", 2, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		value, ok1 := args[0].(string)
		pattern, ok2 := args[1].(string)
		if !ok1 || !ok2 {
			return nil, nil
		}
		return like(value, pattern), nil
	}))
	lower := func(fold func(string) string) func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		return func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			if s, ok := args[0].(string); ok {
				return fold(s), nil
			}
			return args[0], nil
		}
	}
	must(sqlite.RegisterDeterministicScalarFunction("erp_is_number", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		s, ok := args[0].(string)
		if !ok {
			return int64(0), nil
		}
		if _, ok := parseDecimal(s); ok {
			return int64(1), nil
		}
		return int64(0), nil
	}))
	must(sqlite.RegisterDeterministicScalarFunction("erp_decimal", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		return decimalOf(args[0]), nil
	}))
	must(sqlite.RegisterDeterministicScalarFunction("erp_lower", 1, lower(strings.ToLower)))
	must(sqlite.RegisterDeterministicScalarFunction("erp_upper", 1, lower(strings.ToUpper)))
}

// decimalOf is a number that SQLite has computed as the text that decimals are stored
// as, without what floating point adds far behind the point.
func decimalOf(v driver.Value) driver.Value {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		text := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 9, 64), "0"), ".")
		if text == "-0" {
			return "0"
		}
		return text
	}
	return v
}

// compareDecimals orders decimal texts by value; what is not a number comes
// after all numbers, by text.
func compareDecimals(a, b string) int {
	x, okX := parseDecimal(a)
	y, okY := parseDecimal(b)
	switch {
	case okX && okY:
		return x.Cmp(y)
	case okX:
		return -1
	case okY:
		return 1
	}
	return strings.Compare(a, b)
}

// parseDecimal reads a number of sign, digits, point and exponent. Exponents
// are bounded, as a few characters could otherwise stand for a number that
// fills the memory.
func parseDecimal(s string) (*big.Rat, bool) {
	mantissa, exponent, has := strings.Cut(strings.ToLower(s), "e")
	if has {
		if n, err := strconv.Atoi(exponent); err != nil || n < -400 || n > 400 {
			return nil, false
		}
	}
	if mantissa == "" || strings.Trim(mantissa, "+-.0123456789") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// like is SQL's LIKE, case-sensitive and without an escape character, as the
// ERP's database compares. It runs in time proportional to the product of the
// lengths at worst and needs no memory.
func like(value, pattern string) bool {
	v, p := 0, 0
	star, mark := -1, 0
	for v < len(value) {
		if p < len(pattern) {
			switch pc := pattern[p]; {
			case pc == '%':
				star, mark = p, v
				p++
				continue
			case pc == '_':
				_, n := utf8.DecodeRuneInString(value[v:])
				v += n
				p++
				continue
			case pc == value[v]:
				v++
				p++
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, n := utf8.DecodeRuneInString(value[mark:])
		mark += n
		v, p = mark, star+1
	}
	for p < len(pattern) && pattern[p] == '%' {
		p++
	}
	return p == len(pattern)
}

// escapePath makes a file path fit for an SQLite URI.
func escapePath(path string) string {
	return (&url.URL{Path: path}).EscapedPath()
}
