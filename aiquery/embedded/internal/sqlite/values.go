package sqlite

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
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
func arrayText(elem, src string) string {
	items, err := arrayItems(src)
	if err != nil {
		return "{}"
	}
	parts := make([]string, len(items))
	for i, item := range items {
		text, ok := Text(elem, item)
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

// arrayItems are the elements of an array kept as JSON.
func arrayItems(src string) ([]any, error) {
	dec := json.NewDecoder(strings.NewReader(src))
	dec.UseNumber()
	var items []any
	if err := dec.Decode(&items); err != nil {
		return nil, errInternal
	}
	for i, item := range items {
		if n, ok := item.(json.Number); ok {
			if whole, err := n.Int64(); err == nil {
				items[i] = whole
			} else {
				items[i], _ = n.Float64()
			}
		}
	}
	return items, nil
}

// arrayOf keeps elements as JSON.
func arrayOf(items []any) (driver.Value, error) {
	if items == nil {
		items = []any{}
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(items); err != nil {
		return nil, errInternal
	}
	if b.Len() > maxText {
		return nil, errMemory
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// parseArray reads a one-dimensional array in PostgreSQL's form.
func parseArray(elem, s string) (driver.Value, error) {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '{' || s[len(s)-1] != '}' {
		return nil, errText
	}
	s = s[1 : len(s)-1]
	var items []any
	for i, more := 0, strings.TrimSpace(s) != ""; more; {
		for i < len(s) && s[i] == ' ' {
			i++
		}
		var b strings.Builder
		quoted := i < len(s) && s[i] == '"'
		if quoted {
			i++
			for ; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
				if i < len(s) {
					b.WriteByte(s[i])
				}
			}
			if i >= len(s) {
				return nil, errText
			}
			i++
			for i < len(s) && s[i] == ' ' {
				i++
			}
			if i < len(s) && s[i] != ',' {
				return nil, errText
			}
		} else {
			for ; i < len(s) && s[i] != ','; i++ {
				if strings.IndexByte(`{}"\`, s[i]) >= 0 {
					return nil, errText
				}
				b.WriteByte(s[i])
			}
		}
		text := b.String()
		if !quoted {
			text = strings.TrimSpace(text)
			if text == "" {
				return nil, errText
			}
		}
		var item any
		if quoted || !strings.EqualFold(text, "NULL") {
			v, err := input(elem, -1, text)
			if err != nil {
				return nil, err
			}
			item = v
		}
		if items = append(items, item); len(items) > maxElements {
			return nil, errMemory
		}
		if more = i < len(s); more {
			i++
			if i == len(s) {
				return nil, errText
			}
		}
	}
	return arrayOf(items)
}
