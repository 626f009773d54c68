package dict

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Options change how plans are made. Nil and the zero value are the defaults.
type Options struct {
	// Namespace of the UUIDs; empty: [Namespace]. Two plans for the same table
	// in different namespaces make different records.
	Namespace UUID
	// AnyPrefix allows table names without the prefix XX_.
	AnyPrefix bool
	// NoSync leaves out the steps that change the database.
	NoSync bool
	// Element gives the official AD_Element_ID for a column name, when a
	// registry is at hand; nil: only [KnownElement] is asked. Readers that work
	// without a server need it to refer to elements of the ERP's own.
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
// given. It returns a [*ValidationError] when they cannot be used. Nil options
// mean the defaults.
func NewPlan(opts *Options, tables ...Table) (*Plan, error) {
	if opts == nil {
		opts = &Options{}
	}
	if err := Validate(opts, tables...); err != nil {
		return nil, err
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
