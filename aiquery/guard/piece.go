package guard

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// piece is the text of the subquery that stands for a table. It depends on the
// policy, the columns used and those gated, and is kept: statements name the
// same few tables again and again.
//
// In the tree of a statement a name stands for a piece. The text of that tree is
// parsed again and verified, and only then the names are replaced by the texts,
// at the places where the parser found them. A table's name with an alias and a
// subquery in brackets with an alias are the same to the grammar.
type piece struct {
	text         string
	nodes, depth int
	shown        []shownColumn
}

// pieceName is the name that stands for a piece.
func pieceName(i int) string { return reserved + "t" + strconv.Itoa(i) }

// pieceNumber is which piece a name stands for, or -1.
func pieceNumber(name string) int {
	digits, ok := strings.CutPrefix(name, reserved+"t")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || name != pieceName(n) {
		return -1
	}
	return n
}

// placeAll puts names in the place of all tables of the statement.
func (r *resolver) placeAll() error {
	for _, ref := range r.refs {
		p, err := r.piece(ref)
		if err != nil {
			return err
		}
		ref.node.Node = &pg.Node_RangeVar{RangeVar: &pg.RangeVar{Relname: pieceName(len(r.job.pieces)), Inh: true, Relpersistence: "p", Alias: ref.alias}}
		r.job.pieces = append(r.job.pieces, p)
	}
	r.refs = nil
	return nil
}

// piece returns the secured subquery of a table, kept or made.
func (r *resolver) piece(ref *tableRef) (*piece, error) {
	j := r.job
	key := cacheKey{kind: keptPiece, text: ref.signature(), version: j.policy.Version}
	if j.policy.Version != "" {
		if p, ok := j.guard.cache.get(key); ok {
			return p.(*piece), nil
		}
	}
	s, err := r.secured(ref)
	if err != nil {
		return nil, err
	}
	p, err := j.piece(&pg.ParseResult{Version: j.version, Stmts: []*pg.RawStmt{{Stmt: selectNode(s)}}})
	if err != nil {
		return nil, err
	}
	if j.policy.Version != "" {
		j.guard.cache.put(key, p, len(p.text)+64)
	}
	return p, nil
}

// signature says what a piece depends on besides the policy.
func (ref *tableRef) signature() string {
	var b strings.Builder
	ref.sign(&b)
	return b.String()
}

func (ref *tableRef) sign(b *strings.Builder) {
	b.WriteString(ref.physical)
	for i, used := range ref.used {
		switch s := ref.sources[i]; {
		case !used:
			b.WriteByte('-')
		case s != nil && s.gated:
			b.WriteByte('g')
		default:
			b.WriteByte('u')
		}
	}
	if ref.inside != nil {
		b.WriteByte('(')
		for _, inner := range ref.inside.refs {
			inner.sign(b)
			b.WriteByte(' ')
		}
		b.WriteByte(')')
	}
}

// splice puts the pieces into a text in the place of their names.
func (j *job) splice(text string, places []*pg.RangeVar) (string, error) {
	slices.SortFunc(places, func(a, b *pg.RangeVar) int { return int(a.Location - b.Location) })
	var b strings.Builder
	from := 0
	for _, p := range places {
		at := int(p.Location)
		if at < from || at > len(text) || !strings.HasPrefix(text[at:], p.Relname) {
			return "", fmt.Errorf("the name %s is not where the parser found it", p.Relname)
		}
		b.WriteString(text[from:at])
		b.WriteString("(" + j.pieces[pieceNumber(p.Relname)].text + ")")
		from = at + len(p.Relname)
	}
	b.WriteString(text[from:])
	return b.String(), nil
}

// reads are the tables and views that were named, with their columns in
// conditions. One that is named twice stands there once.
func (r *resolver) reads() []Read {
	byName := map[string]*Read{}
	for _, ref := range r.refs {
		read := byName[ref.table.Name]
		if read == nil {
			read = &Read{Table: ref.table.Name}
			byName[ref.table.Name] = read
		}
		for i, s := range ref.sources {
			switch {
			case s == nil:
			case s.gated:
				read.Computed = append(read.Computed, ref.cols[i].Name)
			case s.compared:
				read.Compared = append(read.Compared, ref.cols[i].Name)
			}
		}
	}
	var list []Read
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		read := byName[name]
		list = append(list, Read{Table: name, Compared: distinct(read.Compared), Computed: distinct(read.Computed)})
	}
	return list
}
