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
	// Whole makes the source hand over all rows although a part would do.
	Whole bool
	// Late is by how much changes may come late.
	Late time.Duration
	// Sums makes the source tell the sum of all times.
	Sums bool
	// Now is the clock by which a change is recent; nil: none is.
	Now func() time.Time

	d  *Dictionary
	mu sync.Mutex // guards what follows
	// reads is how often each table was read as a whole, and rows how many rows were
	// handed over of it.
	reads, rows map[string]int
}

// Source makes a source of the dictionary as it is at each call.
func (d *Dictionary) Source() *Source {
	return &Source{Name: "memory", d: d, reads: map[string]int{}, rows: map[string]int{}}
}

// Rows is how many rows of a table were read.
func (s *Source) Rows(table string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows[table]
}

// Reads is how often a table was read as a whole.
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
	sum := int64(0)
	for _, at := range t.updated {
		sum += at.UnixMilli()
		if at.After(newest) {
			newest = at
		}
	}
	stamp := registry.Stamp{Rows: len(t.rows), Mark: newest.Format(time.RFC3339)}
	if len(t.rows) > 0 {
		stamp.Newest = newest.UnixMilli()
	}
	if s.Sums {
		stamp.Sum = sum
		stamp.Mark += fmt.Sprint(" ", sum)
	}
	stamp.Unsettled = s.Now != nil && s.Now().Sub(newest) <= s.Late
	return stamp
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
		if s.Whole {
			source.Since = 0
		}
		if source.Since == 0 {
			s.reads[source.Name]++
		}
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
		stamps[i].Partial = t.Since != 0 && !s.Whole && !stamps[i].Missing
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
	for n, row := range t.rows {
		if err := ctx.Err(); err != nil {
			return given, err
		}
		at := t.updated[n].UnixMilli()
		if source.Since != 0 && (at < source.Since-s.Late.Milliseconds() || source.Settled && at <= source.Since) {
			continue
		}
		for i, at := range places {
			if source.Columns[i].Type == registry.SourceTime {
				values[i] = registry.SourceValue{Int: t.updated[n].UnixMilli()}
				continue
			}
			values[i] = row[at]
		}
		if !source.Meets(values) {
			continue
		}
		if err := sink.Row(table, values); err != nil {
			return given, err
		}
		given++
		s.rows[source.Name]++
	}
	return given, nil
}
