package erp

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// LocalTime is a point in time in a filter, written without zone so that the
// server takes it on its own clock. A plain time.Time is sent in UTC, which
// servers built before late April 2026 do not understand: they silently use the
// date alone. Both are exact to the second.
type LocalTime time.Time

// TextInLower and TextInUpper are text that the server turns into small or
// capital letters before it compares, by the rules of its database.
type (
	TextInLower string
	TextInUpper string
)

// operandText checks a column name, or tolower and toupper of one.
func operandText(column string) (string, error) {
	name := column
	for _, function := range []string{"tolower(", "toupper("} {
		if rest, ok := strings.CutPrefix(column, function); ok {
			if name, ok = strings.CutSuffix(rest, ")"); !ok {
				return "", invalid("filter: %s is not a column name", quote(column))
			}
		}
	}
	if !isName(name) {
		return "", invalid("filter: %s is not a column name", quote(column))
	}
	return column, nil
}

// isName reports whether text can be a column name; those of REST views may
// have dots in them.
func isName(text string) bool {
	if len(text) == 0 || len(text) > 255 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case i > 0 && (c >= '0' && c <= '9' || c == '.' && i < len(text)-1):
		default:
			return false
		}
	}
	return true
}

// filterValue writes a value in the server's notation: text in quotes, numbers
// and booleans without, because the server takes a quoted number for an error
// and a quoted boolean for false.
func filterValue(value any) (string, error) {
	switch v := value.(type) {
	case Column:
		return operandText(string(v))
	case TextInLower:
		return textInCase("tolower", string(v))
	case TextInUpper:
		return textInCase("toupper", string(v))
	case Pattern:
		return "", inexpressible("patterns work in Contains, StartsWith and EndsWith only: %s", quote(string(v)))
	case time.Time:
		return timeValue(v.UTC(), "2006-01-02T15:04:05Z")
	case LocalTime:
		return timeValue(time.Time(v), layoutLocalBlnk)
	case Date:
		if v.IsZero() {
			return "", invalid("filter: the date is not set; use nil for null")
		}
		return "'" + v.String() + "'", nil
	case ID:
		return idValue(v)
	case Ref:
		return idValue(v.ID)
	case Decimal:
		return numberValue(v)
	case json.Number:
		return numberValue(Decimal(v))
	case *big.Int:
		if v == nil {
			return "null", nil
		}
		return v.String(), nil
	}
	return basicValue(reflect.ValueOf(value))
}

func basicValue(v reflect.Value) (string, error) {
	switch v.Kind() {
	case reflect.Invalid:
		return "null", nil
	case reflect.Pointer:
		if v.IsNil() {
			return "null", nil
		}
		return filterValue(v.Elem().Interface())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), nil
	case reflect.String:
		return quoteText(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), nil
	case reflect.Float32:
		return floatValue(v.Float(), 32)
	case reflect.Float64:
		return floatValue(v.Float(), 64)
	}
	return "", invalid("filter: a value of type %s cannot be compared with", v.Type())
}

// listValue writes one value of an in list.
func listValue(value any) (string, error) {
	text, err := filterValue(value)
	switch {
	case err != nil:
		return "", err
	case text == "null":
		return "", inexpressible("null cannot stand in a list; add IsNull with Or")
	case strings.HasPrefix(text, "'") && strings.ContainsAny(text, ",()"):
		return "", inexpressible("text in a list must not hold commas or parentheses: %s; use Or of Eq", quote(text))
	}
	switch value.(type) {
	case Column, TextInLower, TextInUpper:
		return "", inexpressible("a list holds values only, not %s", text)
	}
	return text, nil
}

// quoteText puts text in quotes. The language has no escape: a quote inside
// cannot be written, and parentheses are counted even inside quotes.
func quoteText(text string) (string, error) {
	switch {
	case strings.Contains(text, "'"):
		return "", inexpressible("text with a single quote: %s; search for a part of it with Contains, or go by id", quote(text))
	case !utf8.ValidString(text):
		return "", invalid("filter: %s is not valid UTF-8", quote(text))
	case strings.ContainsRune(text, 0):
		return "", invalid("filter: %s holds a NUL character", quote(text))
	}
	if balance(text) != 0 {
		return "", inexpressible("text with a parenthesis that has no partner: %s", quote(text))
	}
	return "'" + text + "'", nil
}

func textInCase(function, text string) (string, error) {
	quoted, err := quoteText(text)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(text, "()") {
		return "", inexpressible("the text of %s must not hold parentheses: %s", function, quote(text))
	}
	return function + "(" + quoted + ")", nil
}

func timeValue(t time.Time, layout string) (string, error) {
	if t.IsZero() {
		return "", invalid("filter: the time is not set; use nil for null")
	}
	if t.Year() < 1 || t.Year() > 9999 {
		return "", invalid("filter: the year %d cannot be written", t.Year())
	}
	return "'" + t.Format(layout) + "'", nil
}

func idValue(id ID) (string, error) {
	switch {
	case id.IsZero():
		return "", invalid("filter: the id is not set; use nil for null")
	case id.isInt:
		return id.String(), nil
	}
	return quoteText(id.text)
}

func numberValue(d Decimal) (string, error) {
	if !d.valid() {
		return "", invalid("filter: %s is not a number", quote(string(d)))
	}
	if _, _, ok := d.split(); !ok {
		return "", invalid("filter: the exponent of %s is out of range", quote(string(d)))
	}
	return d.String(), nil
}

func floatValue(f float64, bits int) (string, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "", invalid("filter: %v is not a number that can be compared with", f)
	}
	return strconv.FormatFloat(f, 'f', -1, bits), nil
}
