package output

import (
	"bytes"
	"encoding/json"

	"github.com/erphub/erphub/erp"
)

// Cell is a value of a record in one piece of text. Of a reference or a list it is the key,
// or the name when names is set and there is one.
func Cell(raw json.RawMessage, names bool) string {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case raw[0] == '"':
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text
		}
	case raw[0] == '{':
		if ref, ok := reference(raw); ok {
			if names && ref.Identifier != "" {
				return ref.Identifier
			}
			return ref.ID.String()
		}
		return compact(raw)
	case raw[0] == '[':
		return compact(raw)
	}
	return string(raw)
}

// reference reads a reference or a list value; an object with other members is
// a record that was put in its place, of which nothing must be lost.
func reference(raw json.RawMessage) (erp.Ref, bool) {
	rec, err := erp.ParseRecord(raw)
	if err != nil {
		return erp.Ref{}, false
	}
	for name := range rec.All() {
		switch name {
		case "id", "uid", "uuid", "identifier", "model-name", "propertyLabel":
		default:
			return erp.Ref{}, false
		}
	}
	var ref erp.Ref
	return ref, json.Unmarshal(raw, &ref) == nil
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
