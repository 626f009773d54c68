package diff

import (
	"github.com/erphub/erphub/dict"
)

// Action says what becomes of a record.
type Action string

// The actions.
const (
	Create Action = "create"
	Update Action = "update"
	Remove Action = "remove" // deactivated, see the package comment
	Rename Action = "rename" // what it holds stays
)

// Kind says what a change is about.
type Kind string

// The kinds.
const (
	KindTable       Kind = "table"
	KindColumn      Kind = "column"
	KindReference   Kind = "reference"
	KindListValue   Kind = "list value"
	KindLookup      Kind = "lookup"
	KindIndex       Kind = "index"
	KindIndexColumn Kind = "index column"
	KindWindow      Kind = "window"
	KindTab         Kind = "tab"
	KindField       Kind = "field"
	// KindDatabase is the database of a table, see [Result.Synchronise].
	KindDatabase Kind = "database"
)

// Attribute is a column of a dictionary record that is to have another value.
type Attribute struct {
	Column string `json:"column"` // FieldLength, IsMandatory, …
	Has    string `json:"has"`
	Wanted string `json:"wanted"`
	// Destructive says what may be lost; empty: nothing.
	Destructive string `json:"destructive,omitempty"`

	// Value is the value that a plan writes; where it is a [dict.Ref], it names a step of
	// [Result.Wanted].
	Value dict.Value `json:"-"`
}

// Change is a record that is not as it should be.
type Change struct {
	Table  string `json:"table"` // table whose definition has it
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"` // XX_Foo, XX_Foo.Name, …
	Action Action `json:"action"`
	// Was is the former name of what is renamed.
	Was string `json:"was,omitempty"`
	// Detail says in a few words what is created or removed.
	Detail string `json:"detail,omitempty"`
	// Attributes are the attributes to update.
	Attributes []Attribute `json:"attributes,omitempty"`
	// Destructive says why the change needs consent: it can lose content, or
	// takes away what somebody may use. Empty: it is harmless.
	Destructive string `json:"destructive,omitempty"`

	// Step is the step of [Result.Wanted] that makes the record, or would make
	// it if it were not there. Empty for what is removed.
	Step dict.Key `json:"-"`
	// Record is the record of the ERP to update or remove. An update without it is
	// made by Step.
	Record dict.Existing `json:"-"`
	// Values are the values of a created column that differ from Step: texts that
	// differ from its element's, and its number among the identifiers.
	Values []dict.ColumnValue `json:"-"`
	// MakeOptional says that a removed column has to be made optional first.
	MakeOptional bool `json:"-"`
}

// Result holds the differences between definitions and an ERP, and the two sides
// that were compared. It does not change when plans are made from it.
type Result struct {
	Changes []Change `json:"changes"` // in the order of the definitions
	// Wanted is the plan that makes all that the definitions contain, in an ERP
	// that has none of it.
	Wanted *dict.Plan `json:"-"`
	// Found are the records that the ERP has already, by the key of the step of
	// Wanted that would make each. Elements are not looked for.
	Found map[dict.Key]dict.Existing `json:"-"`

	renames *renaming
	taken   map[dict.Key]bool // steps whose UUID a renamed record of the ERP has
}

// Existing returns the tables of the definitions that the ERP has and that can be
// synchronised with the database.
func (r *Result) Existing() []string {
	var names []string
	for _, step := range r.Wanted.Steps() {
		if run, ok := step.(*dict.RunStep); ok && run.Purpose == dict.SyncTable {
			if _, there := r.Found[dict.Key(run.Name)]; there {
				names = append(names, run.Name)
			}
		}
	}
	return names
}

// Synchronise adds a change: the database of the table is behind the dictionary and
// is to be synchronised with it, also where the definitions change nothing.
func (r *Result) Synchronise(table string) {
	r.Changes = append(r.Changes, Change{Table: table, Kind: KindDatabase, Name: table, Action: Update,
		Detail: "behind the dictionary: the ERP cannot read the table"})
}

// Empty reports whether nothing is different.
func (r *Result) Empty() bool { return len(r.Changes) == 0 }

// Destructive are the changes that need consent.
func (r *Result) Destructive() []Change {
	var list []Change
	for _, c := range r.Changes {
		if c.Destructive != "" {
			list = append(list, c)
		}
	}
	return list
}

// Summary counts the changes.
type Summary struct {
	Add    int `json:"add"`
	Change int `json:"change"`
	Remove int `json:"remove"`
	Rename int `json:"rename,omitempty"`
}

// Summary counts the changes.
func (r *Result) Summary() Summary {
	var s Summary
	for _, c := range r.Changes {
		switch c.Action {
		case Create:
			s.Add++
		case Update:
			s.Change++
		case Remove:
			s.Remove++
		case Rename:
			s.Rename++
		}
	}
	return s
}
