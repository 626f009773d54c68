package sqlite

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// input converts what a user wrote into a value of the type; mod is the
// type's modifier as [numericMod] and PostgreSQL have it, -1 for none.
func input(typ string, mod int, s string) (driver.Value, error) {
	if elem, ok := strings.CutSuffix(typ, "[]"); ok {
		return parseArray(elem, s)
	}
	switch typ {
	case "bool":
		return parseBool(s)
	case "int2", "int4", "int8":
		n, err := strconv.ParseInt(strings.Trim(s, " \t\n\r\v\f"), 10, 64)
		if err != nil {
			if errorIsRange(err) {
				return nil, errNumberRange
			}
			return nil, errNumber
		}
		return checkInt(typ, n)
	case "numeric":
		d, err := parseDecimal(s)
		if err != nil {
			return nil, err
		}
		return applyNumericMod(d, mod)
	case "float4", "float8":
		f, err := strconv.ParseFloat(strings.Trim(s, " \t\n\r\v\f"), 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) || strings.ContainsAny(s, "xXpP_") {
			if err == nil || errorIsRange(err) {
				return nil, errNumberRange
			}
			return nil, errNumber
		}
		return narrowFloat(typ, f)
	case "text":
		return s, nil
	case "varchar", "bpchar":
		return applyLength(typ, mod, s), nil
	case "date":
		t, err := parseTimestamp(s, false)
		if err != nil {
			return nil, err
		}
		return formatDate(t), nil
	case "timestamp", "timestamptz":
		t, err := parseTimestamp(s, typ == "timestamptz")
		if err != nil {
			return nil, err
		}
		return formatTimestamp(roundTime(t, mod)), nil
	case "time":
		of, _, err := parseClock(strings.TrimSpace(s))
		if err != nil {
			return nil, err
		}
		if of >= 24*time.Hour {
			return nil, errDateRange
		}
		return formatTime(time.Time{}.Add(of)), nil
	case "interval":
		v, err := parseInterval(s)
		if err != nil {
			return nil, err
		}
		return v.String(), nil
	case "uuid":
		u, err := uuid.Parse(strings.Trim(s, " "))
		if err != nil {
			return nil, errText
		}
		return u.String(), nil
	case "json", "jsonb":
		if !json.Valid([]byte(s)) {
			return nil, errText
		}
		return s, nil
	case "bytea":
		if digits, ok := strings.CutPrefix(s, `\x`); ok {
			b, err := hex.DecodeString(digits)
			if err != nil {
				return nil, errText
			}
			return b, nil
		}
		if strings.Contains(s, `\`) {
			return nil, errText
		}
		return []byte(s), nil
	}
	return nil, errInternal
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

func narrowFloat(typ string, f float64) (driver.Value, error) {
	if typ == "float4" {
		f = float64(float32(f))
	}
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

// roundTime rounds to a number of digits after the seconds.
func roundTime(t time.Time, digits int) time.Time {
	if digits < 0 || digits >= 6 {
		return t
	}
	unit := time.Second
	for range digits {
		unit /= 10
	}
	return t.Round(unit)
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
	if v == nil {
		return nil, nil
	}
	switch {
	case from == "unknown" || isText(from):
		if isText(to) {
			s := asText(v)
			if from == "bpchar" {
				s = strings.TrimRight(s, " ")
			}
			return input(to, mod, s)
		}
		return input(to, mod, asText(v))
	case isText(to):
		text, _ := Text(from, v)
		if from == "bool" {
			text = map[string]string{"t": "true", "f": "false"}[text]
		}
		return input(to, mod, text)
	}
	switch to {
	case "bool":
		n, ok := v.(int64)
		if !ok {
			return nil, errInternal
		}
		return boolValue(n != 0), nil
	case "int2", "int4", "int8":
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
	case "numeric":
		d, err := numberOf(v)
		if err != nil {
			return nil, err
		}
		return applyNumericMod(d, mod)
	case "float4", "float8":
		f, err := floatOf(v)
		if err != nil {
			return nil, err
		}
		return narrowFloat(to, f)
	}
	s, ok := v.(string)
	if !ok {
		return nil, errInternal
	}
	if strings.HasPrefix(to, "json") {
		return s, nil
	}
	if from == "interval" {
		w, err := parseInterval(s)
		if err != nil {
			return nil, errInternal
		}
		if to == "time" {
			return formatTime(time.UnixMicro(((w.micros % dayMicros) + dayMicros) % dayMicros).UTC()), nil
		}
		return w.String(), nil
	}
	if from == "time" {
		t, err := readTime(s)
		if err != nil {
			return nil, err
		}
		if to == "interval" {
			return interval{micros: clockMicros(t)}.String(), nil
		}
		return formatTime(roundTime(t, mod)), nil
	}
	t, err := readTimestamp(s)
	if err != nil {
		return nil, err
	}
	switch to {
	case "date":
		return formatDate(t), nil
	case "timestamp", "timestamptz":
		return formatTimestamp(roundTime(t, mod)), nil
	case "time":
		return formatTime(t), nil
	}
	return nil, errInternal
}

func boolValue(b bool) driver.Value {
	if b {
		return int64(1)
	}
	return int64(0)
}

// stored brings a value of a base table's column into the form of its type.
func stored(typ string, v driver.Value) (driver.Value, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		if typ == "timestamptz" {
			typ = "timestamp" // kept in UTC, with or without a Z
		}
		return input(typ, -1, v)
	case int64:
		switch typ {
		case "int2", "int4", "int8", "bool":
			return v, nil
		case "float4", "float8":
			return float64(v), nil
		}
		return input(typ, -1, strconv.FormatInt(v, 10))
	case float64:
		switch typ {
		case "float4", "float8":
			return v, nil
		case "numeric":
			return input(typ, -1, strconv.FormatFloat(v, 'f', -1, 64))
		}
		return input(typ, -1, formatFloat(v))
	case time.Time:
		return input(typ, -1, v.UTC().Format("2006-01-02 15:04:05.999999"))
	case []byte:
		if typ == "bytea" {
			return v, nil
		}
		return input(typ, -1, string(v))
	}
	return nil, errInternal
}
