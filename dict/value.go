package dict

import "strconv"

// Value is what a step writes into a column. The set is closed: [Text], [Int],
// [YesNo], [Ref] and [Existing]. A column that a step does not mention keeps
// its default, or its value when the record is there already.
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
