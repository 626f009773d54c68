package tablefile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
)

// Set is the definitions that were read together. It does not change and may be
// shared.
type Set struct {
	tables []dict.Table
	places map[string]Position // "XX_Foo", "XX_Foo.Name", "XX_Foo index xx_foo_name", in lower case
	files  []string
}

func newSet() *Set { return &Set{places: map[string]Position{}} }

// Tables are the tables in the order they were read. The slice is the caller's,
// what the tables refer to is not to be changed.
func (s *Set) Tables() []dict.Table { return slices.Clone(s.tables) }

// Files are the files that were read, in that order.
func (s *Set) Files() []string { return slices.Clone(s.files) }

// Position is where a table ("XX_Foo"), a column ("XX_Foo.Name") or an index
// ("XX_Foo index xx_foo_name") is defined, without regard to case. For what has
// no place of its own it is that of the table.
func (s *Set) Position(where string) (Position, bool) {
	where = strings.ToLower(where)
	if p, ok := s.places[where]; ok {
		return p, true
	}
	if cut := strings.IndexAny(where, ". "); cut > 0 {
		p, ok := s.places[where[:cut]]
		return p, ok
	}
	return Position{}, false
}

// Replace is the set with other tables at the same places: for what is filled
// in after reading, such as the columns of import targets.
func (s *Set) Replace(tables []dict.Table) *Set {
	return &Set{tables: slices.Clone(tables), places: s.places, files: s.files}
}

// Validate checks the tables as [dict.Validate] does, and refuses those without any
// column, which a file that was cut short may hold. What it finds is returned as an
// [*Error] with positions.
func (s *Set) Validate(opts *dict.Options) error {
	err := s.Locate(dict.Validate(opts, s.tables...))
	e := &Error{cause: err}
	if err != nil && !errors.As(err, &e) {
		return err
	}
	for _, t := range s.tables {
		if len(t.Columns) == 0 && len(t.Templates) == 0 && t.Target == nil && !t.Removed {
			at, _ := s.Position(t.Name)
			e.Problems = append(e.Problems, Problem{at, t.Name + ": the table has neither columns nor templates", "give it some; if it had any, the file was cut short"})
		}
	}
	if len(e.Problems) == 0 {
		return nil
	}
	return e
}

// Locate is an error about the tables with the positions of what it finds wrong: an
// [*Error] for a [*dict.ValidationError], and any other error as it is.
func (s *Set) Locate(err error) error {
	var invalid *dict.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	e := &Error{cause: err}
	for _, f := range invalid.Findings {
		p := Problem{What: f.What, Do: f.Do}
		if at, ok := s.Position(f.Where); ok {
			p.Position = at
			p.What = f.Where + ": " + f.What
		} else {
			p.Position.File = f.Where
		}
		e.Problems = append(e.Problems, p)
	}
	return e
}

// add takes a document over.
func (s *Set) add(doc *document, d *decoder) []Problem {
	at := d.places[doc]
	name := strings.ToLower(doc.Table + doc.Extend)
	if before, ok := s.places[name]; ok {
		return []Problem{{at, fmt.Sprintf("the table %s is defined a second time, first in %s", quote(doc.Table+doc.Extend), before),
			"keep one; the ERP does not distinguish case"}}
	}
	table, problems := doc.definition(d)
	if len(problems) > 0 {
		return problems
	}
	s.places[name] = at
	for i := range doc.Columns {
		s.place(name+"."+doc.Columns[i].Name, d.places[&doc.Columns[i]])
	}
	for i := range doc.Indexes {
		s.place(name+" index "+doc.Indexes[i].Name, d.places[&doc.Indexes[i]])
	}
	if doc.Window != nil {
		s.place(name+" window", d.places[doc.Window])
	}
	s.tables = append(s.tables, table)
	return nil
}

// place notes where something is; of two with one name the second is noted,
// because that is the one to complain about.
func (s *Set) place(what string, at Position) { s.places[strings.ToLower(what)] = at }
