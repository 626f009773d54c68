package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/internal/text"
)

// ReasonColumn is the column of an error file that says why a row was refused. It
// is ignored when the file is imported again.
const ReasonColumn = "import_error"

// role is what a column of a file is for.
type role int

const (
	roleValue   role = iota // of a column of the table
	roleID                  // the number of the record
	roleUUID                // its UUID
	roleIgnored             // by --map, or the reason of an error file
)

// field is a column of the file, and what it is for.
type field struct {
	header string
	role   role
	col    *registry.Column
	by     string // column of the foreign table the values are of; empty: key, UUID or a name
	blank  bool   // it has no heading
}

// name is the column's name in messages.
func (f *field) name() string {
	if f.col != nil {
		return f.col.Name
	}
	return f.header
}

// target is the table that is imported into.
type target struct {
	table  registry.Table
	fields map[string]*field // resolved headings, by their lower case
	labels map[string][]*registry.Column
	maps   map[string]string // lower-case headings to columns
}

func newTarget(t registry.Table, maps map[string]string) (*target, error) {
	out := &target{table: t, fields: map[string]*field{}, labels: map[string][]*registry.Column{}, maps: map[string]string{}}
	for i := range t.Columns {
		c := &t.Columns[i]
		label := strings.ToLower(strings.TrimSpace(c.Label))
		out.labels[label] = append(out.labels[label], c)
	}
	for header, column := range maps {
		key := strings.ToLower(strings.TrimSpace(header))
		if _, twice := out.maps[key]; twice {
			return nil, fmt.Errorf("%s is mapped twice", text.Quote(header))
		}
		out.maps[key] = strings.TrimSpace(column)
	}
	return out, nil
}

func (t *target) uuidColumn() string {
	if c, ok := t.table.Column(t.table.Name + "_UU"); ok {
		return c.Name
	}
	return ""
}

func (t *target) keyColumn() string {
	if c, ok := t.table.Column(t.table.Name + "_ID"); ok && c.Key {
		return c.Name
	}
	return ""
}

// field is what a heading means.
func (t *target) field(header string) (*field, error) {
	key := strings.ToLower(strings.TrimSpace(header))
	if f := t.fields[key]; f != nil {
		return f, nil
	}
	name, mapped := t.maps[key]
	if !mapped {
		name = strings.TrimSpace(header)
	}
	f := &field{header: header}
	switch lower := strings.ToLower(name); {
	case mapped && name == "", lower == ReasonColumn, lower == "model-name":
		f.role = roleIgnored
	case lower == "id", t.keyColumn() != "" && strings.EqualFold(name, t.keyColumn()):
		f.role = roleID
	case lower == "uid", t.uuidColumn() != "" && strings.EqualFold(name, t.uuidColumn()):
		f.role = roleUUID
	default:
		if err := t.column(f, name); err != nil {
			return nil, err
		}
	}
	t.fields[key] = f
	return f, nil
}

// column finds the column of a heading: by name, by label, or of the form
// Column:By.
func (t *target) column(f *field, name string) error {
	col, err := t.named(name)
	if err != nil {
		base, by, ok := strings.Cut(name, ":")
		if !ok {
			return err
		}
		if col, err = t.named(strings.TrimSpace(base)); err != nil {
			return err
		}
		f.by = strings.TrimSpace(by)
		if col.ForeignTable == "" || col.Type.IsList() {
			return fmt.Errorf("%s refers to no other table, so there is nothing to find by %s; write %s alone", col.Name, text.Quote(f.by), col.Name)
		}
	}
	f.col = col
	if why := readOnly(col); why != "" {
		return fmt.Errorf("%s %s; leave the column out, or ignore it with the mapping %q", col.Name, why, f.header+"=")
	}
	return nil
}

// named is the column of a name or a label.
func (t *target) named(name string) (*registry.Column, error) {
	for i := range t.table.Columns {
		if c := &t.table.Columns[i]; strings.EqualFold(c.Name, name) {
			return c, nil
		}
	}
	switch found := t.labels[strings.ToLower(name)]; len(found) {
	case 1:
		return found[0], nil
	case 0:
	default:
		names := make([]string, len(found))
		for i, c := range found {
			names[i] = c.Name
		}
		return nil, fmt.Errorf("%d columns are called %s: %s; use the name of the column", len(found), text.Quote(name), strings.Join(names, ", "))
	}
	base, _, _ := strings.Cut(name, ":")
	var known []string
	for _, c := range t.table.Columns {
		known = append(known, c.Name, c.Label)
	}
	hint := ""
	if near := nearest.Name(base, known); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, fmt.Errorf("%s has no column %s%s (ignore it with the mapping %q)", t.table.Name, text.Quote(name), hint, name+"=")
}

// readOnly says why nobody but the ERP writes a column, "" when others may.
func readOnly(c *registry.Column) string {
	switch strings.ToLower(c.Name) {
	case "created", "createdby", "updated", "updatedby":
		return "is written by the ERP itself"
	}
	switch {
	case c.Virtual():
		return "is computed by the ERP"
	case c.Type == dict.TypeButton && !strings.HasSuffix(c.Name, "_ID"):
		return "is a button, which the API does not write"
	case c.Type == dict.TypeImage:
		return "is an image, which is not imported"
	case c.Type == dict.TypeRowID, c.Type == dict.TypeDashboardContent:
		return "is of a type that the API does not write"
	}
	return ""
}

// header resolves all headings, and reports all problems at once.
func (t *target) header(names []string) ([]*field, error) {
	fields := make([]*field, len(names))
	var problems []error
	used := map[string]string{}
	for i, name := range names {
		if strings.TrimSpace(name) == "" {
			_, mapped := t.maps[""]
			fields[i] = &field{header: fmt.Sprintf("column %d", i+1), role: roleIgnored, blank: !mapped}
			continue
		}
		f, err := t.field(name)
		if err != nil {
			problems = append(problems, &FileError{Line: 1, Column: name, Problem: err.Error()})
			continue
		}
		fields[i] = f
		if f.role == roleIgnored {
			continue
		}
		to := strings.ToLower(f.name())
		switch f.role {
		case roleID:
			to = "id"
		case roleUUID:
			to = "uid"
		}
		if before, twice := used[to]; twice {
			problems = append(problems, &FileError{Line: 1, Column: name, Problem: fmt.Sprintf("the headings %q and %q both mean %s", before, name, f.name())})
		}
		used[to] = name
	}
	for header := range t.maps {
		if header != "" && !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(n), header) }) {
			hint := ""
			if near := nearest.Name(header, names); near != "" {
				hint = fmt.Sprintf("; did you mean %q?", near)
			}
			problems = append(problems, &FileError{Line: 1, Problem: fmt.Sprintf("there is no heading %q, which is mapped%s", header, hint)})
		}
	}
	if len(problems) == 0 && len(used) == 0 {
		problems = append(problems, &FileError{Line: 1, Problem: "no heading names a column to import"})
	}
	slices.SortStableFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return fields, errors.Join(problems...)
}

// keys are the columns of the key, resolved.
func (t *target) keys(names []string) ([]*field, error) {
	var keys []*field
	for _, name := range names {
		f, err := t.field(name)
		if err != nil {
			return nil, fmt.Errorf("the key: %w", err)
		}
		if f.role == roleIgnored {
			return nil, fmt.Errorf("the key: %s is not imported", text.Quote(name))
		}
		if (f.role == roleID || f.role == roleUUID) && len(names) > 1 {
			return nil, fmt.Errorf("the key: %s tells records apart alone; name no other column", text.Quote(name))
		}
		if f.col != nil && (f.col.Type.IsMultiple() || f.col.Type == dict.TypeBinary || f.col.Type == dict.TypeJSON || f.col.Secure || f.col.Encrypted) {
			return nil, fmt.Errorf("the key: %s is of a type that records are not found by", f.col.Name)
		}
		if slices.Contains(keys, f) {
			return nil, fmt.Errorf("the key: %s is named twice", text.Quote(name))
		}
		keys = append(keys, f)
	}
	return keys, nil
}

// mandatoryText reports whether nothing but the file can fill a column of a new
// record: other mandatory columns may get a value by the login, the table's program
// or the sequence of numbers.
func mandatoryText(c *registry.Column) bool {
	return c.Active && c.Mandatory && !c.Virtual() && c.Default == "" && c.Type.IsText() && !c.Type.IsList() && c.ForeignTable == "" &&
		!c.Standard() && !slices.ContainsFunc([]string{"Value", "DocumentNo", "EntityType", "AD_Language"}, func(n string) bool { return strings.EqualFold(n, c.Name) }) &&
		!strings.HasSuffix(c.Name, "_UU")
}

// list are the values of a list column.
func list(ctx context.Context, reg Dictionary, id int) (registry.Reference, error) {
	ref, err := reg.Reference(ctx, fmt.Sprint(id))
	if errors.Is(err, registry.ErrNotFound) {
		return registry.Reference{}, nil
	}
	return ref, err
}
