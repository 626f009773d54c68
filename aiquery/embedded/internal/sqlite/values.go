package sqlite

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxText bounds the texts functions make, in bytes.
const maxText = 16 << 20

// maxElements bounds the lists functions make.
const maxElements = 1_000_000

// Text is a value that a rendered statement returned in a column of type typ,
// as PostgreSQL writes it in text format with DateStyle ISO, IntervalStyle
// iso_8601, bytea_output hex and the time zone UTC; ok is false for NULL.
func Text(typ string, v any) (text string, ok bool) {
	if v == nil {
		return "", false
	}
	if elem, isArray := strings.CutSuffix(typ, "[]"); isArray {
		return arrayText(elem, asText(v)), true
	}
	switch typ {
	case "bool":
		if n, _ := v.(int64); n != 0 {
			return "t", true
		}
		return "f", true
	case "timestamptz":
		return asText(v) + "+00", true
	case "bytea":
		if b, isBytes := v.([]byte); isBytes {
			return `\x` + hex.EncodeToString(b), true
		}
	}
	return asText(v), true
}

// asText writes a value without regard to its type.
func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return formatFloat(v)
	case []byte:
		return string(v)
	case bool:
		if v {
			return "1"
		}
		return "0"
	}
	return ""
}

// formatFloat is the shortest text that reads back as the same number, in
// PostgreSQL's form.
func formatFloat(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case math.IsNaN(f):
		return "NaN"
	case f == 0:
		if math.Signbit(f) {
			return "-0"
		}
		return "0"
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	n, _ := strconv.Atoi(exponent)
	if n < -4 || n >= 15 {
		sign := "+"
		if n < 0 {
			sign, n = "-", -n
		}
		digits := strconv.Itoa(n)
		if len(digits) < 2 {
			digits = "0" + digits
		}
		return mantissa + "e" + sign + digits
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// arrayText is an array kept as JSON in PostgreSQL's form.
func arrayText(elem, list string) string {
	dec := json.NewDecoder(strings.NewReader(list))
	dec.UseNumber()
	var items []any
	if dec.Decode(&items) != nil {
		return "{}"
	}
	parts := make([]string, len(items))
	for i, item := range items {
		text, ok := fmt.Sprint(item), item != nil
		if n, isNumber := item.(json.Number); isNumber && elem == "bool" {
			flag, _ := n.Int64()
			text, _ = Text(elem, flag)
		} else if s, isText := item.(string); isText {
			text, _ = Text(elem, s)
		}
		switch {
		case !ok:
			text = "NULL"
		case text == "" || strings.EqualFold(text, "NULL") || strings.ContainsAny(text, "{}\",\\ \t\n\r\v\f"):
			text = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
		}
		parts[i] = text
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// parseArray reads a one-dimensional array in PostgreSQL's form, {a,"b c",NULL}, into
// the JSON list that an array is kept as.
func parseArray(elem, s string) (driver.Value, error) {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '{' || s[len(s)-1] != '}' {
		return nil, errText
	}
	items := []any{}
	for rest := strings.TrimSpace(s[1 : len(s)-1]); rest != ""; {
		text, quoted, after, err := arrayElement(rest)
		if err != nil {
			return nil, err
		}
		var item any
		if quoted || !strings.EqualFold(text, "NULL") {
			if item, err = input(elem, -1, text); err != nil {
				return nil, err
			}
		}
		items = append(items, item)
		more := strings.HasPrefix(after, ",")
		rest = strings.TrimLeft(strings.TrimPrefix(after, ","), " ")
		if more == (rest == "") {
			return nil, errText // a comma at the end, or something else than one between elements
		}
	}
	list, err := json.Marshal(items)
	return string(list), err
}

// arrayElement cuts the first element from an array's text.
func arrayElement(s string) (text string, quoted bool, rest string, err error) {
	if s[0] != '"' {
		end := strings.IndexByte(s+",", ',')
		text = strings.TrimSpace(s[:end])
		if text == "" || strings.ContainsAny(text, `{}"\`) {
			return "", false, "", errText
		}
		return text, false, s[end:], nil
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), true, strings.TrimLeft(s[i+1:], " "), nil
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", false, "", errText
}
