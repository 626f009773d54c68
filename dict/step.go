package dict

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
	// Create makes the record. When it is there already, by its UUID or by what
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

// Purpose is what a process is run for. Which process of the ERP serves it is
// found out by the reader.
type Purpose string

const (
	// SyncTable brings the database table in line with the dictionary.
	SyncTable Purpose = "sync-table"
	// ValidateIndex makes a declared index in the database.
	ValidateIndex Purpose = "validate-index"
	// ImportPackage reads a package archive.
	ImportPackage Purpose = "import-package"
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
