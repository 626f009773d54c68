package twin

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// valueType is what a column of the embedded database holds.
func valueType(c *store.Column) ValueType {
	if t, ok := valueTypes[c.Kind()]; ok {
		return t
	}
	return Text
}

var valueTypes = map[store.Kind]ValueType{
	store.KindInteger: Integer, store.KindDecimal: Decimal, store.KindBool: Flag, store.KindDate: Date,
	store.KindDateTime: DateTime, store.KindInstant: Instant, store.KindTime: Clock, store.KindBytes: Binary, store.KindJSON: JSON,
}

// longest is how many bytes a value may have. The embedded database takes a little
// less than 1 GB, and a value is in memory as a whole.
const longest = 256 << 20

// stored turns a value of a source into what the embedded database keeps.
func stored(t ValueType, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	var kept any
	var err error
	switch t {
	case Integer:
		kept = storedInteger(v)
	case Decimal:
		kept, err = storedDecimal(v)
	case Flag:
		kept = storedFlag(v)
	case Date, DateTime, Instant, Clock:
		kept, err = storedMoment(t, v)
	case Binary:
		kept = storedBytes(v)
	default:
		kept = storedText(v)
	}
	if kept == nil && err == nil {
		return nil, fmt.Errorf("a value of type %T does not fit", v)
	}
	return kept, err
}

// storedInteger and those like it return nil for what does not fit.
func storedInteger(v any) any {
	switch v := v.(type) {
	case int64:
		return v
	case int:
		return int64(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case string:
		whole, fraction, _ := strings.Cut(strings.TrimSpace(v), ".")
		if n, err := strconv.ParseInt(whole, 10, 64); err == nil && strings.Trim(fraction, "0") == "" {
			return n
		}
	}
	return nil
}

func storedDecimal(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return plainDecimal(v)
	case json.Number:
		return plainDecimal(string(v))
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return nil, nil
}

func storedFlag(v any) any {
	switch strings.ToLower(strings.TrimSpace(fmt.Sprint(v))) {
	case "y", "true":
		return "Y"
	case "n", "false", "":
		return "N"
	}
	return nil
}

func storedMoment(t ValueType, v any) (any, error) {
	switch v := v.(type) {
	case time.Time:
		return storedTime(t, v)
	case string:
		for _, layout := range []string{time.RFC3339Nano, time.DateTime, time.DateOnly, time.TimeOnly, "15:04:05Z"} {
			if at, err := time.Parse(layout, v); err == nil {
				return storedTime(t, at)
			}
		}
	}
	return nil, nil
}

func storedBytes(v any) any {
	switch v := v.(type) {
	case []byte:
		if len(v) <= longest {
			return append([]byte{}, v...)
		}
	case string:
		if len(v) <= longest {
			return []byte(v)
		}
	}
	return nil
}

func storedText(v any) any {
	text := ""
	switch v := v.(type) {
	case string:
		text = v
	case []byte:
		text = string(v[:min(len(v), longest+1)])
	case json.RawMessage:
		text = string(v)
	case json.Number:
		text = string(v)
	case int64:
		text = strconv.FormatInt(v, 10)
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		text = strconv.FormatBool(v)
	case time.Time:
		text = v.UTC().Format(time.RFC3339Nano)
	default:
		return nil
	}
	if len(text) > longest {
		return nil
	}
	return text
}

func plainDecimal(s string) (any, error) {
	if isPlain(s) {
		return s, nil
	}
	s = strings.TrimSpace(s)
	plain, ok := engine.PlainDecimal(s)
	if !ok {
		return nil, fmt.Errorf("a value of %d characters is not a number", len(s))
	}
	return plain, nil
}

// isPlain reports whether a number is written as it is kept, as nearly all are.
func isPlain(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if len(digits) == 0 || len(digits) > 40 || digits[0] == '.' || digits[len(digits)-1] == '.' || digits[0] == '0' && (s[0] == '-' || len(digits) > 1 && digits[1] != '.') {
		return false
	}
	points := 0
	for i := range len(digits) {
		switch c := digits[i]; {
		case c == '.':
			points++
		case c < '0' || c > '9':
			return false
		}
	}
	return points <= 1
}

func storedTime(t ValueType, at time.Time) (any, error) {
	if y := at.UTC().Year(); t != Clock && (y < 1 || y > 9999) {
		return nil, fmt.Errorf("the year %d cannot be kept", y)
	}
	switch t {
	case Date:
		return at.Format(time.DateOnly) + " 00:00:00", nil
	case Clock:
		return "1970-01-01 " + at.Format(time.TimeOnly), nil
	case Instant:
		return at.UTC().Format(engine.StoredInstant), nil
	}
	return at.UTC().Format(engine.StoredDateTime), nil
}

// neutral is what a mandatory column gets whose value cannot be had: its default
// where that is a constant.
func neutral(c *store.Column) any {
	t := valueType(c)
	if d := strings.Trim(strings.TrimSpace(c.Default), "'"); d != "" && !strings.Contains(d, "@") && !strings.EqualFold(d, "NULL") {
		if v, err := stored(t, d); err == nil {
			return v
		}
	}
	switch t {
	case Integer:
		return int64(0)
	case Decimal:
		return "0"
	case Flag:
		if strings.EqualFold(c.Name, "IsActive") {
			return "Y"
		}
		return "N"
	case Date, DateTime:
		return "1970-01-01 00:00:00"
	case Clock:
		return "1970-01-01 00:00:00"
	case Instant:
		return "1970-01-01 00:00:00.000"
	case Binary:
		return []byte{}
	case JSON:
		return "{}"
	}
	return ""
}
