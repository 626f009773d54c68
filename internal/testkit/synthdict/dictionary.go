package synthdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/dict/registry"
)

// Dictionary is the rows of the dictionary's tables.
type Dictionary struct {
	tables []*table
	byName map[string]*table

	foreign map[ColumnName]string // see ForeignTables
}

type table struct {
	registry.SourceTable
	at      map[string]int // places of the columns, in lower case
	rows    [][]registry.SourceValue
	updated []time.Time
}

// epoch is when everything was last changed.
var epoch = time.Date(2026, 3, 9, 14, 5, 6, 0, time.UTC)

// Empty makes a dictionary without rows.
func Empty() *Dictionary {
	d := &Dictionary{byName: map[string]*table{}, foreign: map[ColumnName]string{}}
	for _, source := range registry.SourceTables() {
		// When rows were changed is kept apart.
		source.Columns = slices.DeleteFunc(source.Columns, func(c registry.SourceColumn) bool { return c.Type == registry.SourceTime })
		t := &table{SourceTable: source, at: map[string]int{}}
		for i, c := range source.Columns {
			t.at[strings.ToLower(c.Name)] = i
		}
		d.tables = append(d.tables, t)
		d.byName[strings.ToLower(source.Name)] = t
	}
	return d
}

// Row is the values of a row by column: string, int or bool.
type Row map[string]any

// Add adds a row, active unless it says otherwise. It panics on columns that
// the table does not have, because that is a mistake in the test.
func (d *Dictionary) Add(name string, row Row) {
	t := d.table(name)
	values := make([]registry.SourceValue, len(t.Columns))
	if at, ok := t.at["isactive"]; ok {
		values[at].Int = 1
	}
	t.set(values, row)
	t.rows = append(t.rows, values)
	t.updated = append(t.updated, epoch)
}

// Update changes the row with that key, and when it was changed.
func (d *Dictionary) Update(name string, key int, when time.Time, row Row) {
	t := d.table(name)
	at := t.find(key)
	values := append([]registry.SourceValue(nil), t.rows[at]...)
	t.set(values, row)
	t.rows[at], t.updated[at] = values, when
}

// Touch changes when the row with that key was changed.
func (d *Dictionary) Touch(name string, key int, when time.Time) {
	t := d.table(name)
	t.updated[t.find(key)] = when
}

// Delete removes the row with that key.
func (d *Dictionary) Delete(name string, key int) {
	t := d.table(name)
	at := t.find(key)
	t.rows = append(t.rows[:at:at], t.rows[at+1:]...)
	t.updated = append(t.updated[:at:at], t.updated[at+1:]...)
}

// Rows is the number of rows of a table.
func (d *Dictionary) Rows(name string) int { return len(d.table(name).rows) }

func (d *Dictionary) table(name string) *table {
	t, ok := d.byName[strings.ToLower(name)]
	if !ok {
		panic("synthdict: no table " + name)
	}
	return t
}

func (t *table) find(key int) int {
	for i, row := range t.rows {
		if row[t.at[strings.ToLower(t.Key)]].Int == int64(key) {
			return i
		}
	}
	panic(fmt.Sprintf("synthdict: %s has no row %d", t.Name, key))
}

func (t *table) set(values []registry.SourceValue, row Row) {
	for name, v := range row {
		at, ok := t.at[strings.ToLower(name)]
		if !ok {
			panic("synthdict: " + t.Name + " has no column " + name)
		}
		switch v := v.(type) {
		case string:
			values[at].Text = v
		case int:
			values[at].Int = int64(v)
		case bool:
			values[at].Int = 0
			if v {
				values[at].Int = 1
			}
		default:
			panic(fmt.Sprintf("synthdict: %s.%s cannot be a %T", t.Name, name, v))
		}
	}
}
