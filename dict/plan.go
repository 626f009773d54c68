package dict

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/erphub/erphub/internal/text"
)

// Options change how plans are made. Nil and the zero value are the defaults.
type Options struct {
	// Namespace of the UUIDs; empty: [Namespace]. Two plans for the same table
	// in different namespaces make different records.
	Namespace UUID
	// AnyPrefix allows table names without the prefix XX_.
	AnyPrefix bool
	// Known gives the definition of a table as the ERP has it, when a registry is
	// at hand; nil: none is known. What is wrong with that already, such as a name
	// without prefix or a column from before a rule, is not held against a definition.
	Known func(table string) (Table, bool)
	// NoSync leaves out the steps that change the database.
	NoSync bool
	// Element gives the official AD_Element_ID for a column name, when a
	// registry is at hand; nil: those of the columns that templates bring are
	// known. Readers that work without a server need it to refer to elements of
	// the ERP's own.
	Element func(column string) (id int, ok bool)
}

// Plan is an ordered list of steps: each step comes after those it needs. A
// plan does not change once it is made and may be shared.
type Plan struct {
	name        string
	steps       []Step
	index       map[Key]int
	fingerprint string
}

// NewPlan makes the plan that brings the tables into an ERP, in the order
// given. It returns a [*ValidationError] when they cannot be used, and for a table that
// is extended or removed: what it has already is known from the ERP alone, and the
// package diff plans the rest. Nil options mean the defaults.
func NewPlan(opts *Options, tables ...Table) (*Plan, error) {
	opts = cmp.Or(opts, &Options{})
	if err := Validate(opts, tables...); err != nil {
		return nil, err
	}
	for _, t := range tables {
		if t.Extends != nil || t.Removed {
			f := findings{}
			f.add(shown(t.Name), "plan.unknown", "what the ERP has of the table is not known here", "compare the definition with the ERP, and plan the difference")
			return nil, f.err()
		}
	}
	b := newBuilder(opts, tables)
	names := make([]string, len(tables))
	for i, t := range b.tables {
		names[i] = t.Name
		b.addTable(t)
	}
	b.finish()
	return Assemble(strings.Join(names, ", "), b.steps...)
}

// Assemble makes a plan from steps. It is for readers and writers of plans;
// [NewPlan] is for everybody else. Every key must be given once, and a step may
// only need steps before it.
func Assemble(name string, steps ...Step) (*Plan, error) {
	p := &Plan{name: name, steps: slices.Clone(steps), index: make(map[Key]int, len(steps))}
	for i, s := range p.steps {
		key := s.StepKey()
		if key == "" {
			return nil, fmt.Errorf("step %d of plan %s has no key", i+1, quote(name))
		}
		if j, ok := p.index[key]; ok {
			return nil, fmt.Errorf("steps %d and %d of plan %s have the same key %s", j+1, i+1, quote(name), quote(string(key)))
		}
		for _, need := range s.Needs() {
			if _, ok := p.index[need]; !ok {
				return nil, fmt.Errorf("step %d of plan %s needs %s, which no step before it makes",
					i+1, quote(name), quote(string(need)))
			}
		}
		p.index[key] = i
	}
	encoded, err := json.Marshal(p.wire().Steps)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", quote(name), err)
	}
	sum := sha256.Sum256(encoded)
	p.fingerprint = hex.EncodeToString(sum[:])
	return p, nil
}

// Name says what the plan is about: the names of its tables.
func (p *Plan) Name() string { return p.name }

// Steps are the steps in order. The slice is the caller's, the steps are not to
// be changed.
func (p *Plan) Steps() []Step { return slices.Clone(p.steps) }

// Len is the number of steps.
func (p *Plan) Len() int { return len(p.steps) }

// Step finds a step by its key.
func (p *Plan) Step(key Key) (Step, bool) {
	i, ok := p.index[key]
	if !ok {
		return nil, false
	}
	return p.steps[i], true
}

// Fingerprint identifies the plan's content: two plans with the same steps have
// the same one. It is a SHA-256 in hexadecimal.
func (p *Plan) Fingerprint() string { return p.fingerprint }

// Summary counts what a plan does.
type Summary struct {
	Tables    []string `json:"tables"` // names of the tables it makes
	Columns   int      `json:"columns"`
	Elements  int      `json:"elements"` // that are looked up, and made when absent
	Windows   int      `json:"windows"`
	Records   int      `json:"records"` // record steps in all
	Processes int      `json:"processes"`
}

// Summary counts what the plan does.
func (p *Plan) Summary() Summary {
	s := Summary{Tables: []string{}}
	for _, step := range p.steps {
		switch step := step.(type) {
		case *RecordStep:
			s.Records++
			switch {
			case step.Action == Update:
			case step.Table == "AD_Table":
				s.Tables = append(s.Tables, step.Name)
			case step.Table == "AD_Column":
				s.Columns++
			case step.Table == "AD_Element":
				s.Elements++
			case step.Table == "AD_Window":
				s.Windows++
			}
		case *RunStep:
			s.Processes++
		}
	}
	return s
}

// Row is a step as a line of a table.
type Row struct {
	Number int    `json:"number"`
	Action string `json:"action"` // create, ensure, update, run
	Kind   string `json:"kind"`   // the record's table, or the process's purpose
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
			row := Row{i + 1, "run", string(s.Purpose), s.Name, ""}
			if s.Rename != nil {
				row.Detail = "from " + s.Rename.From
			}
			rows = append(rows, row)
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
		fmt.Fprintf(tw, "%d\t%s\t%s\t%s\t%s\n", r.Number, r.Action, text.OneLine(r.Kind), text.OneLine(r.Name), text.OneLine(r.Detail))
	}
	tw.Flush() // into memory
	for line := range bytes.Lines(b.Bytes()) {
		if _, err := fmt.Fprintf(w, "%s\n", bytes.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
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
