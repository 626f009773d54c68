package transfer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/values"
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
	to     values.Target
	blank  bool // it has no heading
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
	table   registry.Table
	columns *values.Columns
	fields  map[string]*field // resolved headings, by their lower case
	maps    map[string]string // lower-case headings to columns
	ignore  string            // how a heading is ignored
}

func newTarget(t registry.Table, maps map[string]string, ignore string) (*target, error) {
	out := &target{table: t, fields: map[string]*field{}, maps: map[string]string{}, ignore: ignore}
	out.columns = values.NewColumns(&out.table)
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

// column finds the column of a heading.
func (t *target) column(f *field, name string) error {
	ignore := strings.ReplaceAll(t.ignore, "HEADING", name)
	col, to, err := t.columns.Target(name)
	if err != nil {
		return fmt.Errorf("%w; %s", err, ignore)
	}
	f.col, f.to = col, to
	if why := values.ReadOnly(&t.table, col); why != "" {
		return fmt.Errorf("%s %s; %s", col.Name, why, ignore)
	}
	return nil
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
