package twin

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp"
)

// restValue is the value of a column as a record shows it. Which form it has is up
// to the server's display type: a reference in one release is a plain value in
// another.
func restValue(record erp.Record, c *Column) (any, error) {
	raw, ok := record.Raw(c.Name)
	if !ok || len(raw) == 0 || raw[0] == 'n' {
		return nil, nil
	}
	if c.Type == JSON {
		if raw[0] == '"' {
			if text, ok := record.Text(c.Name); ok && json.Valid([]byte(text)) {
				return text, nil
			}
		}
		return string(raw), nil
	}
	switch raw[0] {
	case '{':
		if refs, ok := record.Refs(c.Name); ok {
			keys := make([]string, len(refs))
			for i, r := range refs {
				keys[i] = r.Code()
			}
			return strings.Join(keys, ","), nil
		}
		if c.Type == Binary {
			if data, ok := record.Bytes(c.Name); ok {
				return data, nil
			}
			return nil, nil
		}
		ref, ok := record.Ref(c.Name)
		if !ok {
			return nil, nil // an object for something that was not written out, such as an image that is gone
		}
		if n, isNumber := ref.ID.Int(); isNumber {
			return n, nil
		}
		return ref.Code(), nil
	case '[':
		return nil, unreadable(c, raw)
	case '"':
		text, ok := record.Text(c.Name)
		if !ok {
			return nil, unreadable(c, raw)
		}
		if c.Type == Binary {
			data, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\r", "", "\n", "").Replace(text))
			if err != nil {
				return nil, unreadable(c, raw)
			}
			return data, nil
		}
		return text, nil
	case 't', 'f':
		if c.Type == Flag {
			return raw[0] == 't', nil
		}
		if raw[0] == 't' {
			return "Y", nil
		}
		return "N", nil
	}
	if n, ok := record.Int(c.Name); ok && c.Type == Integer {
		return n, nil
	}
	if d, ok := record.Decimal(c.Name); ok {
		if c.Type == Decimal {
			return string(d), nil
		}
		return d.String(), nil
	}
	return nil, unreadable(c, raw)
}

func unreadable(c *Column, raw []byte) error {
	return fmt.Errorf("the value of %s has a form that is not known (%d bytes that begin with %q): %w", c.Name, len(raw), raw[:1], erp.ErrBadResponse)
}
