package registry

import (
	"context"
	"time"

	"github.com/erphub/erphub/dict"
)

// Statistics counts what is active in the dictionary.
type Statistics struct {
	Tables       int // views included
	Views        int
	CustomTables int // with the prefix of custom tables
	Columns      int
	Virtual      int // columns that are computed
	Encrypted    int // columns kept encrypted
	Secure       int // columns whose content is hidden
	Elements     int
	References   int // display types not counted
	ListValues   int
	Windows      int
	Tabs         int
	Fields       int
	Processes    int // reports included
	Reports      int
	Parameters   int
	Indexes      int
	Inactive     int // tables and columns that are deactivated

	TablesByEntityType  map[string]int
	TablesByAccessLevel map[dict.AccessLevel]int
	ColumnsByType       map[string]int // by name of the display type

	Origin string    // the ERP it was read from, empty if none
	Loaded time.Time // when it was read, or found unchanged
}

// Statistics implements [Registry].
func (c *Catalog) Statistics(ctx context.Context) (Statistics, error) {
	if err := ctx.Err(); err != nil {
		return Statistics{}, err
	}
	if c.scope != nil {
		return Statistics{}, &ScopeError{Kind: "statistics"}
	}
	s := Statistics{
		TablesByEntityType: map[string]int{}, TablesByAccessLevel: map[dict.AccessLevel]int{}, ColumnsByType: map[string]int{},
		Origin: c.origin, Loaded: c.loaded,
	}
	s.countTables(c.tables)
	s.countColumns(c)
	s.Elements = counted(c.elements, func(r *Element) bool { return r.Active })
	s.References = counted(c.references, func(r *Reference) bool { return r.Active && r.Kind != ReferenceType })
	s.ListValues = counted(c.entries, func(r *ListValue) bool { return r.Active })
	s.Windows = counted(c.windows, func(r *Window) bool { return r.Active })
	s.Tabs = counted(c.tabs, func(r *Tab) bool { return r.Active })
	s.Fields = counted(c.fields, func(r *Field) bool { return r.Active })
	s.Processes = counted(c.processes, func(r *Process) bool { return r.Active })
	s.Reports = counted(c.processes, func(r *Process) bool { return r.Active && r.Report })
	s.Parameters = counted(c.parameters, func(r *Parameter) bool { return r.Active })
	s.Indexes = counted(c.indexes, func(r *Index) bool { return r.Active })
	return s, nil
}

func (s *Statistics) countTables(tables []Table) {
	for i := range tables {
		t := &tables[i]
		if !t.Active {
			s.Inactive++
			continue
		}
		s.Tables++
		s.TablesByEntityType[t.EntityType]++
		s.TablesByAccessLevel[t.AccessLevel]++
		if t.View {
			s.Views++
		}
		if t.Custom() {
			s.CustomTables++
		}
	}
}

func (s *Statistics) countColumns(c *Catalog) {
	byType := map[dict.DisplayType]int{}
	for i := range c.columns {
		r := &c.columns[i]
		if _, ok := c.tableByID[r.TableID]; !ok {
			continue
		}
		if !r.Active {
			s.Inactive++
			continue
		}
		s.Columns++
		byType[r.Type]++
		if r.Virtual() {
			s.Virtual++
		}
		if r.Encrypted {
			s.Encrypted++
		}
		if r.Secure {
			s.Secure++
		}
	}
	for t, n := range byType {
		s.ColumnsByType[c.typeName(t)] += n
	}
}

func counted[T any](rows []T, which func(*T) bool) int {
	n := 0
	for i := range rows {
		if which(&rows[i]) {
			n++
		}
	}
	return n
}
