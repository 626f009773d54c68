package output

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
)

// Write writes a result. It returns how many columns a table on a screen does not
// show.
func (c *Choice) Write(ctx context.Context, w io.Writer, screen Screen, value any, t Table) (hidden int, err error) {
	if !screen.Colour { // a command painted them for the terminal, and this may be a file
		t.Above, t.Below = unpainted(t.Above), unpainted(t.Below)
	}
	switch c.Format {
	case FormatTable, FormatWide, FormatVertical, FormatCSV, FormatName:
		if t, err = t.choose(c.Columns); err != nil {
			return 0, err
		}
	}
	switch c.Format {
	case FormatTable, FormatWide:
		return t.writeTable(w, screen, c.Format == FormatWide)
	case FormatVertical:
		first := 1
		if t.Single != nil {
			first = 0
		}
		return 0, t.writeVertical(w, screen, first)
	case FormatCSV:
		return 0, t.writeCSV(w, c.NoFormulas)
	case FormatName:
		return 0, t.writeNames(w)
	}
	return 0, c.writeValue(ctx, w, value, t)
}

// writeValue writes the value, or what is made of it.
func (c *Choice) writeValue(ctx context.Context, w io.Writer, value any, t Table) error {
	raw, err := marshal(value, "")
	if err == nil && len(c.Columns) > 0 {
		raw, err = pick(raw, t, c.Columns)
	}
	if err != nil {
		return err
	}
	if c.Format != FormatNDJSON {
		return c.writeOne(ctx, w, raw)
	}
	for _, element := range elements(raw, t.List) {
		if err := c.writeOne(ctx, w, element); err != nil {
			return err
		}
	}
	return nil
}

// writeOne writes one value: all of the result, or an element of NDJSON.
func (c *Choice) writeOne(ctx context.Context, w io.Writer, raw []byte) error {
	switch {
	case c.jq != nil:
		return c.jq.Write(ctx, w, raw)
	case c.template != nil:
		return c.template.Write(w, raw)
	case c.Format == FormatYAML:
		return writeYAML(w, raw)
	}
	var b bytes.Buffer
	var err error
	if c.Format == FormatNDJSON {
		err = json.Compact(&b, raw)
	} else {
		err = json.Indent(&b, raw, "", "  ")
	}
	if err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err = w.Write(b.Bytes())
	return err
}

// Filter writes what --jq or --template makes of JSON.
func (c *Choice) Filter(ctx context.Context, w io.Writer, raw []byte) error {
	return c.writeOne(ctx, w, raw)
}

// marshal is a value as JSON without the escapes that only HTML needs.
func marshal(value any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// elements are those of the list, which is a member of the value when it has a
// name; a value that is not a list is the only one.
func elements(raw []byte, list string) []json.RawMessage {
	if list != "" {
		if object, err := erp.ParseRecord(raw); err == nil {
			if inner, ok := object.Raw(list); ok {
				raw = inner
			}
		}
	}
	var all []json.RawMessage
	switch trimmed := bytes.TrimSpace(raw); {
	case bytes.Equal(trimmed, []byte("null")):
		return nil
	case json.Unmarshal(trimmed, &all) != nil:
		return []json.RawMessage{trimmed}
	}
	return all
}

// pick leaves the named members of the elements, in that order, and everything
// around the list as it is.
func pick(raw []byte, t Table, named []string) ([]byte, error) {
	if t.List != "" {
		object, err := erp.ParseRecord(raw)
		if err != nil {
			return pickAll(raw, t, named)
		}
		out := map[string]json.RawMessage{}
		var order []string
		for name, member := range object.All() {
			if name == t.List {
				if member, err = pickAll(member, t, named); err != nil {
					return nil, err
				}
			}
			out[name], order = member, append(order, name)
		}
		return assemble(order, out)
	}
	return pickAll(raw, t, named)
}

// pickAll is pick for a list, or for one object.
func pickAll(raw []byte, t Table, named []string) ([]byte, error) {
	isList := bytes.HasPrefix(bytes.TrimSpace(raw), []byte("["))
	var objects []erp.Record
	var members []string
	for _, element := range elements(raw, "") {
		object, err := erp.ParseRecord(element)
		if err != nil {
			return nil, &ColumnError{"--columns chooses members of objects, which this result does not have as JSON; leave it out, or print -o csv"}
		}
		objects = append(objects, object)
		for _, name := range object.Columns() {
			if !slices.Contains(members, name) {
				members = append(members, name)
			}
		}
	}
	names, err := t.memberNames(named, members, len(objects) > 0 || len(t.Columns) > 0)
	if err != nil {
		return nil, err
	}
	out := make([]json.RawMessage, len(objects))
	for i, object := range objects {
		have := map[string]json.RawMessage{}
		for _, name := range names {
			if member, ok := object.Raw(name); ok {
				have[name] = member
			}
		}
		if out[i], err = assemble(names, have); err != nil {
			return nil, err
		}
	}
	if !isList && len(out) == 1 {
		return out[0], nil
	}
	return marshal(out, "")
}

// memberNames are the members that columns name: by their own name, or by that of the
// column. One that is neither is an error where that can be known.
func (t *Table) memberNames(named, members []string, known bool) ([]string, error) {
	names := make([]string, len(named))
	for i, name := range named {
		at := slices.IndexFunc(members, func(m string) bool { return strings.EqualFold(m, name) })
		switch column := t.find(name); {
		case at >= 0:
			names[i] = members[at]
		case column >= 0:
			names[i] = cmp.Or(t.Columns[column].Key, t.Columns[column].Name)
		case known:
			return nil, t.unknown(name, members)
		}
	}
	return names, nil
}

// Object is a JSON object with its members in order.
func Object(names []string, values map[string]any) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	for name, value := range values {
		raw, err := marshal(value, "")
		if err != nil {
			return nil, err
		}
		members[name] = raw
	}
	return assemble(names, members)
}

// assemble is an object with its members in order.
func assemble(order []string, members map[string]json.RawMessage) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, name := range order {
		member, ok := members[name]
		if !ok {
			continue
		}
		delete(members, name) // named twice
		key, err := marshal(name, "")
		if err != nil {
			return nil, err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(member)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
