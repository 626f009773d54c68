package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// Ids of seed rows that have no official one are given in order, in ranges
// the ERP does not use: lists' values, fields, sequences and parameters here,
// columns from 900,001 and elements from 900,001 in the dictionary's files.
const (
	firstListValueID = 700_001
	firstParamID     = 720_001
	firstSequenceID  = 740_001
	firstMenuID      = 760_001
	firstFieldID     = 800_001
)

// uuidSpace makes the UUIDs of seed rows: version 5 of "table:key" in it.
var uuidSpace = uuid.MustParse("6f2d8c0e-8b1f-5a54-9e0b-3d2a4c51e7aa")

// builder collects the rows of a new database.
type builder struct {
	m      *model
	sheets map[string]*sheet // by table name
	err    error             // the first one
}

// sheet is the rows of one table.
type sheet struct {
	t      *table
	layout store.Layout
	index  map[string]int // positions of columns in the layout
	keys   []int          // positions of what identifies a row
	uu     int            // position of the UUID column, -1 without
	base   []any          // a row that says nothing
	rows   [][]any        // in the order of the layout
}

func newBuilder(m *model) *builder {
	b := &builder{m: m, sheets: make(map[string]*sheet, len(m.tables))}
	for _, t := range m.tables {
		s := &sheet{t: t, index: make(map[string]int, len(t.Columns)), uu: -1}
		if t.Active && !t.IsView {
			var err error
			if s.layout, err = store.LayoutOf(m.inDatabase(&t.Table)); err != nil {
				b.fail("%w", err)
			}
		}
		for i, c := range s.layout.Columns {
			s.index[c.Name] = i
			s.base = append(s.base, t.defaults[c.Name])
			if strings.EqualFold(c.Name, t.Name+"_UU") {
				s.uu = i
			}
		}
		for _, c := range t.Columns {
			i, ok := s.index[c.Name]
			if !ok {
				continue
			}
			if c.Key {
				s.keys = []int{i}
				break
			}
			if c.Parent {
				s.keys = append(s.keys, i)
			}
		}
		b.sheets[t.Name] = s
	}
	return b
}

// inDatabase is a table as the ERP's database has it: a column that a deletion clears
// takes no value, also where the dictionary wants one of whoever writes.
func (m *model) inDatabase(t *store.Table) *store.Table {
	physical := *t
	physical.Columns = slices.Clone(t.Columns)
	for i, c := range t.Columns {
		if c.Mandatory && m.constraints[t.Name+"."+c.Name] == "S" {
			optional := *c
			optional.Mandatory = false
			physical.Columns[i] = &optional
		}
	}
	return &physical
}

// defaultsOf is what a row of the table gets without being told: the standard
// columns, constant defaults, and N for Yes-No columns.
func defaultsOf(t *table) map[string]any {
	d := map[string]any{}
	for _, c := range t.Columns {
		v := strings.Trim(c.Default, "'")
		switch {
		case c.IsVirtual():
		case c.Ref == displaytype.YesNo && (v == "" || strings.Contains(v, "@")):
			d[c.Name] = "N"
		case v == "" || strings.Contains(v, "@") || strings.EqualFold(v, "NULL"):
		default:
			if value, err := parseValue(c, v); err == nil {
				d[c.Name] = value
			}
		}
	}
	for name, v := range map[string]any{
		"AD_Client_ID": int64(0), "AD_Org_ID": int64(0), "IsActive": "Y",
		"Created": seed.MadeTime, "CreatedBy": int64(seed.MadeBy), "Updated": seed.MadeTime, "UpdatedBy": int64(seed.MadeBy),
	} {
		if c, ok := t.Column(name); ok {
			d[c.Name] = v
		}
	}
	return d
}

// parseValue turns text of the files into what the column stores.
func parseValue(c *store.Column, text string) (any, error) {
	switch c.Kind() {
	case store.KindInteger:
		return strconv.ParseInt(text, 10, 64)
	case store.KindDate, store.KindDateTime:
		if len(text) == len("2006-01-02") {
			return text + " 00:00:00", nil
		}
	case store.KindInstant:
		if len(text) == len("2006-01-02") {
			return text + " 00:00:00.000", nil
		}
	case store.KindBytes:
		return []byte(text), nil
	}
	return text, nil
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// add puts a row into a table: alternating column names and values. Values
// may be int, int64, string, bool or nil.
func (b *builder) add(tableName string, pairs ...any) {
	s := b.sheets[tableName]
	if s == nil {
		b.fail("a row for table %s, which the dictionary does not have", tableName)
		return
	}
	row := slices.Clone(s.base)
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		at, ok := s.index[name]
		if !ok {
			b.fail("table %s has no column %s", tableName, name)
			return
		}
		row[at] = storedValue(pairs[i+1])
	}
	if s.uu >= 0 && row[s.uu] == nil {
		row[s.uu] = b.uuid(s, row)
	}
	s.rows = append(s.rows, row)
}

func storedValue(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case bool:
		if v {
			return "Y"
		}
		return "N"
	case string:
		if v == "" {
			return nil
		}
	}
	return v
}

// uuid is the row's UUID: the ERP's where that is known.
func (b *builder) uuid(s *sheet, row []any) string {
	if known := b.m.uuids[s.t.Name]; known != nil && len(s.keys) == 1 {
		id, _ := row[s.keys[0]].(int64)
		if uu := known[id]; uu != "" {
			return uu
		}
	}
	return s.uuid(row)
}

func (s *sheet) uuid(row []any) string {
	var b strings.Builder
	b.WriteString(s.t.Name)
	for _, i := range s.keys {
		fmt.Fprintf(&b, ":%v", row[i])
	}
	if len(s.keys) == 0 {
		fmt.Fprintf(&b, "#%d", len(s.rows)+1)
	}
	return uuid.NewSHA1(uuidSpace, []byte(b.String())).String()
}

// orNil is the id, or NULL for 0.
func orNil(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// complete tells which rows lack a mandatory value.
func (s *sheet) complete() error {
	var err error
	for n, row := range s.rows {
		for i, v := range row {
			if v == nil && s.layout.Columns[i].Mandatory {
				err = errors.Join(err, fmt.Errorf("row %d of %s has no %s", n+1, s.t.Name, s.layout.Columns[i].Name))
			}
		}
	}
	return err
}

// addSequences gives every table the sequence of its ids, above those used.
func (b *builder) addSequences() {
	id := int64(firstSequenceID)
	for _, t := range b.m.tables {
		if t.IsView || !t.Active {
			continue
		}
		next := int64(store.FirstCustomID)
		s := b.sheets[t.Name]
		if key, ok := s.index[t.Name+"_ID"]; ok {
			for _, row := range s.rows {
				if v, ok := row[key].(int64); ok && v < math.MaxInt32 {
					next = max(next, v+1)
				}
			}
		}
		if t.Name == "AD_Sequence" {
			next = max(next, store.FirstCustomID)
		}
		b.add("AD_Sequence", "AD_Sequence_ID", id, "Name", t.Name, "Description", "Table "+t.Name,
			"CurrentNext", next, "CurrentNextSys", 200_000, "IncrementNo", 1, "StartNo", store.FirstCustomID,
			"IsAutoSequence", true, "IsTableID", true, "IsAudited", false)
		id++
	}
}
