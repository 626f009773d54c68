package sqlite

import (
	"database/sql/driver"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// inputs read what a user wrote as a value of a type; the int is the type's
// modifier as [numericMod] and PostgreSQL have it, -1 for none.
var inputs = map[string]func(mod int, s string) (driver.Value, error){
	"bool": func(_ int, s string) (driver.Value, error) { return parseBool(s) },
	"int2": inputInt("int2"),
	"int4": inputInt("int4"),
	"int8": inputInt("int8"),
	"numeric": func(mod int, s string) (driver.Value, error) {
		d, err := parseDecimal(s)
		if err != nil {
			return nil, err
		}
		return applyNumericMod(d, mod)
	},
	"float8":  func(_ int, s string) (driver.Value, error) { return parseFloat(s) },
	"text":    func(_ int, s string) (driver.Value, error) { return s, nil },
	"varchar": func(mod int, s string) (driver.Value, error) { return applyLength("varchar", mod, s), nil },
	"bpchar":  func(mod int, s string) (driver.Value, error) { return applyLength("bpchar", mod, s), nil },
	"date": func(_ int, s string) (driver.Value, error) {
		t, err := parseTimestamp(s, false)
		if err != nil {
			return nil, err
		}
		return formatDate(t), nil
	},
	"timestamp":   inputTimestamp(false),
	"timestamptz": inputTimestamp(true),
	"interval": func(_ int, s string) (driver.Value, error) {
		v, err := readInterval(s)
		if err != nil {
			return nil, err
		}
		return v.String(), nil
	},
}

func inputInt(typ string) func(int, string) (driver.Value, error) {
	return func(_ int, s string) (driver.Value, error) {
		n, err := strconv.ParseInt(strings.Trim(s, blanks), 10, 64)
		if err != nil {
			return nil, numberErrorOf(err)
		}
		return checkInt(typ, n)
	}
}

func inputTimestamp(zoned bool) func(int, string) (driver.Value, error) {
	return func(_ int, s string) (driver.Value, error) {
		t, err := parseTimestamp(s, zoned)
		if err != nil {
			return nil, err
		}
		return formatTimestamp(t), nil
	}
}

// input converts what a user wrote into a value of the type.
func input(typ string, mod int, s string) (driver.Value, error) {
	if elem, ok := strings.CutSuffix(typ, "[]"); ok {
		return parseArray(elem, s)
	}
	read := inputs[typ]
	if read == nil {
		return nil, errInternal
	}
	return read(mod, s)
}

// blanks are what PostgreSQL takes for blanks around a number.
const blanks = " \t\n\r\v\f"

func parseFloat(s string) (driver.Value, error) {
	f, err := strconv.ParseFloat(strings.Trim(s, blanks), 64)
	switch {
	case err != nil:
		return nil, numberErrorOf(err)
	case strings.ContainsAny(s, "xXpP_"):
		return nil, errNumber
	}
	return finite(f)
}

func numberErrorOf(err error) error {
	if errorIsRange(err) {
		return errNumberRange
	}
	return errNumber
}

func errorIsRange(err error) bool {
	ne, ok := err.(*strconv.NumError) //nolint:errorlint // strconv returns it unwrapped
	return ok && ne.Err == strconv.ErrRange
}

func parseBool(s string) (driver.Value, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	switch s {
	case "":
		return nil, errText
	case "on", "1":
		return int64(1), nil
	case "of", "off", "0":
		return int64(0), nil
	}
	switch {
	case strings.HasPrefix("true", s), strings.HasPrefix("yes", s):
		return int64(1), nil
	case strings.HasPrefix("false", s), strings.HasPrefix("no", s):
		return int64(0), nil
	}
	return nil, errText
}

func checkInt(typ string, n int64) (driver.Value, error) {
	if typ == "int4" && (n > math.MaxInt32 || n < math.MinInt32) || typ == "int2" && (n > math.MaxInt16 || n < math.MinInt16) {
		return nil, errNumberRange
	}
	return n, nil
}

func finite(f float64) (driver.Value, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, errNumberRange
	}
	return f, nil
}

// numericMod packs precision and scale of numeric(p, s).
func numericMod(precision, scale int) int { return precision<<12 | scale }

func applyNumericMod(d decimal, mod int) (driver.Value, error) {
	if mod < 0 {
		if len(d.coef.String()) > maxDigits {
			return nil, errNumberRange
		}
		return d.String(), nil
	}
	precision, scale := mod>>12, mod&0xfff
	d = d.round(scale)
	if d.coef.CmpAbs(pow10(precision)) >= 0 {
		return nil, errNumberRange
	}
	return d.String(), nil
}

// applyLength cuts a text to the length of varchar(n) and char(n). Blanks that
// PostgreSQL adds to a char(n) are left out; they mean nothing.
func applyLength(typ string, mod int, s string) string {
	if mod >= 0 && utf8.RuneCountInString(s) > mod {
		s = string([]rune(s)[:mod])
	}
	if typ == "bpchar" {
		s = strings.TrimRight(s, " ")
	}
	return s
}

// numberOf is a number of any form as a decimal.
func numberOf(v driver.Value) (decimal, error) {
	switch v := v.(type) {
	case int64:
		return decimalOf(v), nil
	case string:
		return parseDecimal(v)
	case float64:
		return parseDecimal(strconv.FormatFloat(v, 'g', 15, 64))
	}
	return decimal{}, errInternal
}

func floatOf(v driver.Value) (float64, error) {
	switch v := v.(type) {
	case int64:
		return float64(v), nil
	case float64:
		return v, nil
	case string:
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return 0, errNumberRange
		}
		return f, nil
	}
	return 0, errInternal
}

func isText(typ string) bool {
	return typ == "text" || typ == "varchar" || typ == "bpchar"
}

// convert casts a value between types; the pair is one that [castable] allows.
func convert(from, to string, mod int, v driver.Value) (driver.Value, error) {
	switch {
	case v == nil:
		return nil, nil
	case from == "bpchar" && isText(to):
		return input(to, mod, strings.TrimRight(asText(v), " "))
	case from == unknown, isText(from):
		return input(to, mod, asText(v))
	case from == "bool" && isText(to):
		return input(to, mod, strconv.FormatBool(argInt(v) != 0))
	case isText(to):
		text, _ := Text(from, v)
		return input(to, mod, text)
	case to == "bool":
		return boolValue(argInt(v) != 0), nil
	case isFloat(to):
		f, err := floatOf(v)
		if err != nil {
			return nil, err
		}
		return finite(f)
	case isInt(to):
		return convertInt(to, v)
	case to == "numeric":
		d, err := numberOf(v)
		if err != nil {
			return nil, err
		}
		return applyNumericMod(d, mod)
	}
	return nil, errInternal
}

func convertInt(to string, v driver.Value) (driver.Value, error) {
	if f, ok := v.(float64); ok {
		f = math.RoundToEven(f)
		if f >= math.MaxInt64 || f < math.MinInt64 || math.IsNaN(f) {
			return nil, errNumberRange
		}
		return checkInt(to, int64(f))
	}
	d, err := numberOf(v)
	if err != nil {
		return nil, err
	}
	n, err := d.int64()
	if err != nil {
		return nil, err
	}
	return checkInt(to, n)
}

func boolValue(b bool) driver.Value {
	if b {
		return int64(1)
	}
	return int64(0)
}

// stored brings a value of a base table's column into the form of its type.
func stored(typ string, v driver.Value) (driver.Value, error) {
	if typ == "timestamptz" {
		typ = "timestamp" // kept in UTC, with or without a Z
	}
	switch v := v.(type) {
	case int64:
		if isFloat(typ) {
			return float64(v), nil
		}
	case float64:
		if isFloat(typ) {
			return v, nil
		}
		return input(typ, -1, strconv.FormatFloat(v, 'f', -1, 64))
	case time.Time:
		return input(typ, -1, formatTimestamp(v.UTC()))
	case nil:
		return nil, nil
	}
	return input(typ, -1, asText(v))
}
