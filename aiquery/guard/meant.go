package guard

import (
	"fmt"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	api "github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/internal/sqlquote"
)

// maxSimilar is how many names are suggested.
const maxSimilar = 3

// maxCandidates is how many columns are compared with a name.
const maxCandidates = 2000

// about says what a refused name is of.
func (f *fault) about(kind api.ObjectKind, name string) *fault {
	f.object.Kind, f.object.Name = kind, name
	return f
}

// suggest names what the caller may use and resembles the refused name.
func (f *fault) suggest(similar []string) *fault {
	f.object.Similar = similar
	if n := len(similar); n > 0 && f.hint == "" {
		text := similar[n-1]
		if n > 1 {
			text = strings.Join(similar[:n-1], ", ") + " or " + text
		}
		f.hint = "did you mean " + text + "?"
	}
	return f
}

// unquoted is the advice for a name whose capital letters are kept.
func unquoted(name string) string {
	return fmt.Sprintf("a name in quotes keeps its capital letters, which the database does not have: write %s without quotes", strings.ToLower(name))
}

// noTable refuses a table in the same words whether it exists or not.
func noTable(full string, at int32) *fault {
	return denied(at, "table %s is not available", quote(full)).about(api.TableObject, full)
}

// meantTable refuses a table and suggests those of the policy and items of WITH
// that resemble it. What is suggested can be read, and depends on the name and on
// what can be read alone.
func (r *resolver) meantTable(full string, m *pg.RangeVar, with *ctes) *fault {
	f := noTable(full, m.Location)
	if r.trusted {
		return f // of a view: the caller is not told
	}
	p := r.job.policy
	if lower := strings.ToLower(m.Relname); r.readable(lower) {
		t := p.Tables[lower]
		f.object.Similar = []string{t.Name}
		if m.Relname != strings.ToLower(m.Relname) {
			f.hint = unquoted(m.Relname)
		} else {
			f.hint = "write the table's name without a schema: " + t.Name
		}
		return f
	}
	names := make([]written, 0, len(p.Tables))
	for _, t := range p.Tables {
		names = append(names, written{t.Name, t.Name})
	}
	var similar []string
	for _, name := range near(m.Relname, names, 2*maxSimilar) {
		if r.readable(strings.ToLower(name)) {
			similar = append(similar, name)
		}
	}
	var items []written
	for ; with != nil; with = with.parent {
		items = append(items, written{with.name, identifier(with.name)})
	}
	similar = append(near(m.Relname, items, maxSimilar), similar...)
	return f.suggest(similar[:min(len(similar), maxSimilar)])
}

// readable reports whether a statement may read a table. A view or a table with
// rules may be in the policy and still not be one that can be secured.
func (r *resolver) readable(physical string) bool {
	p := r.job.policy
	t := p.Tables[physical]
	if _, denied := p.Denied[physical]; denied || t == nil || len(t.Columns) == 0 {
		return false
	}
	if t.Definition == "" && len(t.Where) == 0 {
		return true
	}
	_, err := r.job.guard.Secure(r.job.ctx, p, "SELECT 1 FROM "+identifier(physical), 0, 1)
	return err == nil
}

// noColumn refuses a column in the same words whether it exists or not, and
// suggests those of its table, or else of all tables in sight, that resemble its
// last part. Of something computed it is not a matter of permission.
func noColumn(full string, at int32, it *item, s *scope) *fault {
	f := denied(at, "column %s is not available", quote(full))
	if it != nil && !it.base || it == nil && !s.hasBase() {
		f.kind = Syntax
	}
	name := full[strings.LastIndexByte(full, '.')+1:]
	similar := near(name, columnsOf(it, nil), maxSimilar)
	if len(similar) == 0 {
		similar = near(name, columnsOf(nil, s), maxSimilar)
	}
	if len(similar) > 0 && name != strings.ToLower(name) {
		if last := similar[0][strings.LastIndexByte(similar[0], '.')+1:]; last == strings.ToLower(name) {
			f.hint = unquoted(name)
		}
	}
	return f.about(api.ColumnObject, full).suggest(similar)
}

// written is a name and how it is written in the statement.
type written struct{ name, as string }

// columnsOf are the columns of an item, or of all items in sight.
func columnsOf(own *item, s *scope) (all []written) {
	add := func(it *item, qualified bool) {
		for i := range it.cols[:min(len(it.cols), maxCandidates)] {
			c := written{it.cols[i].name, identifier(it.cols[i].name)}
			if qualified {
				c.as = identifier(it.name) + "." + c.as
			}
			all = append(all, c)
		}
	}
	if own != nil {
		add(own, own.relVisible)
	}
	for ; s != nil; s = s.parent {
		for _, it := range s.items {
			if nameable := it.relVisible && it.name != "" && !strings.HasPrefix(it.name, reserved); nameable || it.colVisible {
				add(it, nameable && len(s.items) > 1)
			}
		}
	}
	return all[:min(len(all), maxCandidates)]
}

// near are at most so many of those that resemble a name, as they are written.
func near(name string, candidates []written, most int) (similar []string) {
	names := make([]string, len(candidates))
	for i, c := range candidates {
		names[i] = c.name
	}
	for _, found := range nearest.Names(name, names, most) {
		i := slices.IndexFunc(candidates, func(c written) bool { return c.name == found })
		similar = append(similar, candidates[i].as)
	}
	return similar
}

// meantFunction suggests functions that resemble a name, unless there is better
// advice.
func (f *fault) meantFunction(name string, p *Policy) *fault {
	last := name[strings.LastIndexByte(name, '.')+1:]
	f.about(api.FunctionObject, name)
	if f.hint != "" {
		return f
	}
	var names []string
	for known := range builtins {
		names = append(names, known)
	}
	for known := range p.Functions {
		names = append(names, known)
	}
	for _, m := range macros {
		names = append(names, m.name)
	}
	return f.suggest(nearest.Names(last, names, maxSimilar))
}

var plainName = lazyregexp.New(`^[a-z_][a-z0-9_$]*$`)

// identifier is a name as it is written in SQL.
func identifier(name string) string {
	if plainName().MatchString(name) {
		return name
	}
	return sqlquote.Name(name)
}
