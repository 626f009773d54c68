package dict

import "strconv"

// Step is one step of a [Plan]. The set is closed: [*RecordStep] and [*RunStep].
// Readers switch over it and treat an unknown step as an error.
type Step interface {
	// StepKey is the step's name within the plan.
	StepKey() Key
	// Needs lists the steps that must be done before this one.
	Needs() []Key
	// Title says in a few words what the step is about.
	Title() string

	step()
}

// Action says what a record step does.
type Action string

const (
	// Create makes the record. When it already exists, by its UUID or by what
	// it is found by, it is taken as it is.
	Create Action = "create"
	// Ensure takes a record that is normally there, and makes it when it is not.
	// Dictionary elements are shared by all columns of one name.
	Ensure Action = "ensure"
	// Update changes columns of a record that an earlier step made or found.
	Update Action = "update"
)

// RecordStep is a step that makes or changes one record.
type RecordStep struct {
	Key    Key
	Action Action
	Table  string // of the ERP's dictionary: AD_Table, AD_Column, …
	Name   string // what people call the record: XX_Demo.Name

	UUID UUID // given to the record when it is made; empty for updates
	ID   int  // official id of a record that is there in every ERP; 0: not known
	Of   Key  // for updates: the step whose record is changed

	Match  []Match       // how to find the record when its UUID is not there
	Values []ColumnValue // in the order they are written
}

// Purpose is the purpose a process is run for. The reader finds out which process
// of the ERP serves it.
type Purpose string

const (
	// SyncTable brings the database table in line with the dictionary.
	SyncTable Purpose = "sync-table"
	// ValidateIndex makes a declared index in the database.
	ValidateIndex Purpose = "validate-index"
	// ImportPackage reads a package archive.
	ImportPackage Purpose = "import-package"
	// RenameColumn gives a column another name in the dictionary and in the
	// database; what it holds stays.
	RenameColumn Purpose = "rename-column"
	// RenameTable does the same with a table. The columns <Table>_ID and
	// <Table>_UU are renamed with it, in every table that has them.
	RenameTable Purpose = "rename-table"
)

// RunStep is a step that runs a process of the ERP on a record.
type RunStep struct {
	Key     Key
	Purpose Purpose
	Name    string // what it is run for: XX_Demo
	Table   string // table of the record: AD_Column for SyncTable
	// Record is the record the process is run on: any column of the table for
	// SyncTable.
	Record Value
	After  []Key // steps besides Record that must be done before
	// Physical is, for SyncTable, the table as it has to be in the database
	// afterwards. Readers that make DDL read this instead of running a process.
	Physical *Physical
	// Index is the index as it has to be, for ValidateIndex.
	Index *Index
	// Rename says which names change, for RenameColumn and RenameTable.
	Rename *Rename
}

// Rename is a record of the dictionary that gets another name. It is known by its
// UUID, which is the same before and after.
type Rename struct {
	UUID UUID `json:"uuid"`
	// Table is the table that a column belongs to, by the name it has when the step
	// runs; empty for tables.
	Table string `json:"table,omitempty"`
	From  string `json:"from"`
	To    string `json:"to"`
	// Element is the step of the term with the new name, for columns.
	Element Key `json:"element,omitempty"`
}

func (*RecordStep) step() {}
func (*RunStep) step()    {}

// StepKey implements [Step].
func (r *RecordStep) StepKey() Key { return r.Key }

// StepKey implements [Step].
func (p *RunStep) StepKey() Key { return p.Key }

// Title implements [Step].
func (r *RecordStep) Title() string { return string(r.Action) + " " + r.Table + " " + r.Name }

// Title implements [Step].
func (p *RunStep) Title() string {
	switch p.Purpose {
	case SyncTable:
		return "synchronise " + p.Name
	case ValidateIndex:
		return "build index " + p.Name
	case ImportPackage:
		return "import " + p.Name
	case RenameColumn, RenameTable:
		if p.Rename != nil {
			return "rename " + p.Rename.From + " to " + p.Name
		}
	}
	return string(p.Purpose) + " " + p.Name
}

// Needs implements [Step].
func (r *RecordStep) Needs() []Key {
	var keys keyList
	keys.add(r.Of)
	for _, m := range r.Match {
		keys.add(refsIn(m.Value)...)
	}
	for _, f := range r.Values {
		keys.add(refsIn(f.Value)...)
	}
	return keys
}

// Needs implements [Step].
func (p *RunStep) Needs() []Key {
	var keys keyList
	keys.add(refsIn(p.Record)...)
	if p.Rename != nil {
		keys.add(p.Rename.Element)
	}
	keys.add(p.After...)
	return keys
}

// keyList collects keys once each.
type keyList []Key

func (l *keyList) add(keys ...Key) {
next:
	for _, k := range keys {
		if k == "" {
			continue
		}
		for _, have := range *l {
			if have == k {
				continue next
			}
		}
		*l = append(*l, k)
	}
}

// Value is the value the step writes into a column.
func (r *RecordStep) Value(column string) (Value, bool) {
	for _, f := range r.Values {
		if f.Column == column {
			return f.Value, true
		}
	}
	return nil, false
}

// Text is the value of a column as text: Y or N for a flag, digits for a
// number, a placeholder for a reference, empty when the step does not write the
// column.
func (r *RecordStep) Text(column string) string {
	v, _ := r.Value(column)
	return valueText(v)
}

// Value is a value that a step writes into a column. The set is closed: [Text], [Int],
// [YesNo], [Ref] and [Existing]. A column that a step does not mention keeps
// its default, or its value when the record already exists.
type Value interface{ value() }

// Text is a text, a list value or a date as the ERP writes it.
type Text string

// Int is a whole number.
type Int int64

// YesNo is the value of a Yes-No column.
type YesNo bool

// Ref is the id of the record that an earlier step of the plan makes.
type Ref Key

// Existing is the id of a record that is in the ERP already. ID is the id if it
// is known, which for the ERP's own dictionary is the same in every
// installation, or 0; Match says how to find it otherwise. At least one of the
// two is given.
type Existing struct {
	Table string
	ID    int
	Match []Match
}

func (Text) value()     {}
func (Int) value()      {}
func (YesNo) value()    {}
func (Ref) value()      {}
func (Existing) value() {}

// ColumnValue is one column of a record with its value.
type ColumnValue struct {
	Column string
	Value  Value
}

// Match is one condition that a record is found by: the column has the value.
type Match struct {
	Column string
	Value  Value
	Fold   bool // texts are compared without regard to case
}

// Key names a step within its plan. The step that makes table XX_Demo has the
// key XX_Demo, others have a path: AD_Column.XX_Demo.Name.
type Key string

// Placeholder is the key in the ERP's notation for a record that is made
// earlier in the same run: @XX_Demo_ID@.
func (k Key) Placeholder() string { return "@" + string(k) + "_ID@" }

// valueText is the value as a person reads it: Y or N for a flag, the placeholder
// for a reference.
func valueText(v Value) string {
	switch v := v.(type) {
	case Text:
		return string(v)
	case Int:
		return strconv.FormatInt(int64(v), 10)
	case YesNo:
		if v {
			return "Y"
		}
		return "N"
	case Ref:
		return Key(v).Placeholder()
	case Existing:
		return v.text()
	}
	return ""
}

func (e Existing) text() string {
	if e.ID != 0 {
		return strconv.Itoa(e.ID)
	}
	text := e.Table
	for _, m := range e.Match {
		text += " " + m.Column + "=" + valueText(m.Value)
	}
	return text
}

// refsIn lists the keys a value refers to.
func refsIn(v Value) []Key {
	switch v := v.(type) {
	case Ref:
		return []Key{Key(v)}
	case Existing:
		var keys []Key
		for _, m := range v.Match {
			keys = append(keys, refsIn(m.Value)...)
		}
		return keys
	}
	return nil
}
