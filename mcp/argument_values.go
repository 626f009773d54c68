package mcp

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// unquoted is an object or a list that was sent as a text of JSON; anything else
// stays as it is.
func unquoted(p *jsonschema.Schema, raw json.RawMessage) json.RawMessage {
	begin := map[string]string{"object": "{", "array": "["}
	var word string
	if p == nil || begin[p.Type] == "" || json.Unmarshal(raw, &word) != nil {
		return raw
	}
	if word = strings.TrimSpace(word); strings.HasPrefix(word, begin[p.Type]) && json.Valid([]byte(word)) && checkDepth([]byte(word)) == nil {
		return json.RawMessage(word)
	}
	return raw
}

// coerce is what a harmless variant of a value means, and whether it is one.
func coerce(p *jsonschema.Schema, value any) (any, bool) {
	if p == nil {
		return nil, false
	}
	switch v := value.(type) {
	case string:
		return ofText(p, v)
	case float64:
		if p.Type == "string" && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return strconv.FormatFloat(v, 'f', -1, 64), true
		}
	case []any:
		if p.Type == "array" {
			return coerceEach(p.Items, v)
		}
		return nil, false
	case map[string]any:
		if p.Items != nil && p.Items.Type != "object" {
			return nil, false
		}
	}
	if p.Type == "array" && value != nil {
		return []any{value}, true
	}
	return nil, false
}

func coerceEach(p *jsonschema.Schema, list []any) (any, bool) {
	meant, changed := slices.Clone(list), false
	for i, entry := range list {
		if m, ok := coerce(p, entry); ok {
			meant[i], changed = m, true
		}
	}
	return meant, changed
}

// ofText is what a text means where something else is expected.
func ofText(p *jsonschema.Schema, given string) (any, bool) {
	word := strings.TrimSpace(given)
	switch p.Type {
	case "integer":
		if n, err := strconv.ParseInt(word, 10, 64); err == nil && n <= 1<<53 && n >= -1<<53 {
			return float64(n), true
		}
	case "number":
		if n, err := strconv.ParseFloat(word, 64); err == nil && n == n && math.Abs(n) <= 1e300 {
			return n, true
		}
	case "boolean":
		if is, known := truths[strings.ToLower(word)]; known {
			return is, true
		}
	case "array":
		return listOf(p, given), true
	}
	i := slices.IndexFunc(p.Enum, func(e any) bool { name, ok := e.(string); return ok && strings.EqualFold(name, word) })
	if i < 0 || slices.Contains(p.Enum, any(given)) {
		return nil, false
	}
	return p.Enum[i], true
}

var truths = map[string]bool{"true": true, "y": true, "yes": true, "false": false, "n": false, "no": false}

// nameList are names with commas between them.
var nameList = lazyregexp.New(`^\s*[\pL_][\pL\pN_.]*(\s*,\s*[\pL_][\pL\pN_.]*)+\s*$`)

// listOf is the list that one text stands for: names with commas between them,
// else the text alone.
func listOf(p *jsonschema.Schema, given string) []any {
	var list []any
	parts := []string{given}
	if p.Items != nil && p.Items.Type == "string" && nameList().MatchString(given) {
		parts = strings.Split(given, ",")
	}
	for _, part := range parts {
		if len(parts) > 1 {
			part = strings.TrimSpace(part)
		}
		var entry any = part
		if p.Items != nil {
			if meant, ok := coerce(p.Items, part); ok {
				entry = meant
			}
		}
		list = append(list, entry)
	}
	return list
}
