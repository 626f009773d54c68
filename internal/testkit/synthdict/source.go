package synthdict

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/dict/registry"
)

// Source is a registry.Source in memory. Its fields are changed between calls only.
type Source struct {
	// Name is the origin.
	Name string
	// Err, if set, is what every call returns.
	Err error
	// Missing are tables that the ERP hides.
	Missing map[string]bool

	d  *Dictionary
	mu sync.Mutex // guards what follows
	// reads is how often each table was read.
	reads map[string]int
}

// Source makes a source of the dictionary as it is at each call.
func (d *Dictionary) Source() *Source {
	return &Source{Name: "memory", d: d, reads: map[string]int{}}
}

// Reads is how often a table was read.
func (s *Source) Reads(table string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads[table]
}

// Origin implements registry.Source.
func (s *Source) Origin() string { return s.Name }

// Stamps implements registry.Source.
func (s *Source) Stamps(ctx context.Context, tables []registry.SourceTable) ([]registry.Stamp, error) {
	if err := s.refuse(ctx); err != nil {
		return nil, err
	}
	stamps := make([]registry.Stamp, len(tables))
	for i, t := range tables {
		stamps[i] = s.stamp(t.Name)
	}
	return stamps, nil
}

func (s *Source) refuse(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.Err
}

func (s *Source) stamp(name string) registry.Stamp {
	if s.Missing[name] {
		return registry.Stamp{Missing: true}
	}
	t := s.d.table(name)
	newest := time.Time{}
	for _, at := range t.updated {
		if at.After(newest) {
			newest = at
		}
	}
	return registry.Stamp{Rows: len(t.rows), Mark: newest.Format(time.RFC3339)}
}

// Read implements registry.Source.
func (s *Source) Read(ctx context.Context, tables []registry.SourceTable, sink registry.Sink) ([]registry.Stamp, error) {
	if err := s.refuse(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	given := make([]int, len(tables))
	for i, source := range tables {
		s.reads[source.Name]++
		sink.Begin(i)
		if s.Missing[source.Name] {
			if !source.Optional {
				return nil, fmt.Errorf("%s is hidden", source.Name)
			}
			continue
		}
		var err error
		if given[i], err = s.hand(ctx, i, source, sink); err != nil {
			return nil, err
		}
	}
	stamps := make([]registry.Stamp, len(tables))
	for i, t := range tables {
		if stamps[i] = s.stamp(t.Name); len(t.Where) > 0 {
			stamps[i].Rows = given[i]
		}
	}
	return stamps, nil
}

// hand hands over the rows of a table that meet its conditions, and counts them.
func (s *Source) hand(ctx context.Context, table int, source registry.SourceTable, sink registry.Sink) (given int, err error) {
	t := s.d.table(source.Name)
	values := make([]registry.SourceValue, len(source.Columns))
	places := make([]int, len(source.Columns))
	for i, c := range source.Columns {
		places[i] = t.at[strings.ToLower(c.Name)]
	}
	for _, row := range t.rows {
		if err := ctx.Err(); err != nil {
			return given, err
		}
		for i, at := range places {
			values[i] = row[at]
		}
		if !source.Meets(values) {
			continue
		}
		if err := sink.Row(table, values); err != nil {
			return given, err
		}
		given++
	}
	return given, nil
}
