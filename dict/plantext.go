package dict

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// Row is a step as a line of a table.
type Row struct {
	Number int    `json:"number"`
	Action string `json:"action"` // create, ensure, update, run
	Kind   string `json:"kind"`   // the record's table, or the process's role
	Name   string `json:"name"`
	Detail string `json:"detail,omitempty"`
}

// Rows are the steps as lines of a table, for a dry run.
func (p *Plan) Rows() []Row {
	rows := make([]Row, 0, len(p.steps))
	for i, s := range p.steps {
		switch s := s.(type) {
		case *RecordStep:
			rows = append(rows, Row{i + 1, string(s.Action), s.Table, s.Name, s.detail()})
		case *RunStep:
			rows = append(rows, Row{i + 1, "run", string(s.Purpose), s.Name, ""})
		}
	}
	return rows
}

// WriteText writes the steps as an aligned table, one line per step.
func (p *Plan) WriteText(w io.Writer) error {
	var b bytes.Buffer
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "#\taction\twhat\tname\tdetail")
	for _, r := range p.Rows() {
		fmt.Fprintf(tw, "%d\t%s\t%s\t%s\t%s\n", r.Number, r.Action, printable(r.Kind), printable(r.Name), printable(r.Detail))
	}
	tw.Flush() // into memory
	for line := range bytes.Lines(b.Bytes()) {
		if _, err := fmt.Fprintf(w, "%s\n", bytes.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// printable keeps characters off a terminal that would move its cursor.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// detail is the part of a record that tells most.
func (r *RecordStep) detail() string {
	var parts []string
	switch r.Table {
	case "AD_Table":
		if r.Action == Update {
			break
		}
		parts = append(parts, "access "+AccessLevel(r.Text("AccessLevel")).String(), "entity type "+r.Text("EntityType"))
	case "AD_Column":
		parts = append(parts, r.columnDetail()...)
	case "AD_Element":
		if r.ID != 0 {
			parts = append(parts, "official "+strconv.Itoa(r.ID))
		}
	case "AD_Reference":
		if r.Text("ValidationType") == "L" {
			parts = append(parts, "list")
		} else {
			parts = append(parts, "table")
		}
	case "AD_Ref_List":
		parts = append(parts, r.Text("Name"))
	}
	return strings.Join(parts, ", ")
}

func (r *RecordStep) columnDetail() []string {
	var parts []string
	if e, ok := valueOf[Existing](r, "AD_Reference_ID"); ok {
		name := DisplayType(e.ID).String()
		if n := r.Text("FieldLength"); n != "" && n != "0" {
			name += "(" + n + ")"
		}
		parts = append(parts, name)
	}
	for _, flag := range []struct{ column, word string }{
		{"IsKey", "key"}, {"IsMandatory", "mandatory"}, {"IsIdentifier", "identifier"},
	} {
		if on, _ := valueOf[YesNo](r, flag.column); on {
			parts = append(parts, flag.word)
		}
	}
	if def := r.Text("DefaultValue"); def != "" {
		parts = append(parts, "default "+def)
	}
	return parts
}

// valueOf is the value of a column if it has the wanted form.
func valueOf[T Value](r *RecordStep, column string) (T, bool) {
	v, _ := r.Value(column)
	t, ok := v.(T)
	return t, ok
}
