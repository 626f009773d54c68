package registry

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// SearchKind is the kind of a thing that a search finds.
type SearchKind string

// The kinds of thing a search finds.
const (
	SearchTable     SearchKind = "table"
	SearchColumn    SearchKind = "column"
	SearchWindow    SearchKind = "window"
	SearchProcess   SearchKind = "process"
	SearchReference SearchKind = "reference"
)

const (
	// defaultHits is how many hits a search returns unless it says otherwise.
	defaultHits = 20
	// maxSearchText bounds the text of a search, in characters.
	maxSearchText = 200
	// maxSearchWords bounds the work of one search.
	maxSearchWords = 12
	// maxHitTables bounds the tables listed with a column.
	maxHitTables = 10
)

// SearchQuery says what to search for.
type SearchQuery struct {
	// Text is one or more words, or a question, without regard to case. Words are
	// found within names ("bpartner" in C_BPartner_ID), in labels, in descriptions
	// and in a list of synonyms in several languages ("customer" for C_BPartner);
	// words such as "which" and "the" do not count. A hit has all words; when
	// nothing has, words that nothing has are taken for typing errors, and hits
	// have at least one. Table.Column has that column. Only the first 200
	// characters are looked at.
	Text string
	// Kinds limits the search to these; empty: all.
	Kinds []SearchKind
	// Column limits tables to those that have a column of that name, and then
	// Text may be empty.
	Column string
	// CustomOnly leaves out what the ERP brought along; see [ListQuery].
	CustomOnly bool
	// Limit is the number of hits to return; 0: 20, negative: all.
	Limit int
}

// SearchResult is the result of a search.
type SearchResult struct {
	Hits  []SearchHit // best first
	Total int         // how many there are altogether
	// Suggestions are names close to the text, when nothing has all its words.
	Suggestions []string
}

// SearchHit is one thing that was found.
type SearchHit struct {
	Kind SearchKind
	ID   int    // number of the record; of a column, only when it is in one table
	Name string // TableName, ColumnName, Value of a process, else Name
	// Label is the name for people.
	Label       string
	Description string
	// Tables are tables that have the column, at most ten of them, and
	// TableCount how many there are. A column is one hit, however many tables
	// have it.
	Tables     []string
	TableCount int
	// Why says in a few words why it was found: by name, label, synonym …; empty
	// when the search had no text.
	Why string
	// Score orders hits; it means nothing across searches.
	Score float64
}

// Search implements [Registry].
func (c *Catalog) Search(ctx context.Context, q SearchQuery) (SearchResult, error) {
	if err := ctx.Err(); err != nil {
		return SearchResult{}, err
	}
	if c.scope != nil {
		return SearchResult{}, &ScopeError{Kind: "search"}
	}
	return c.searchIn(c.search.get(func() *searchIndex { return newSearchIndex(c) }), q), nil
}

func (c *Catalog) searchIn(x *searchIndex, q SearchQuery) SearchResult {
	q.Text = text.First(strings.TrimSpace(strings.ToValidUTF8(q.Text, " ")), maxSearchText)
	keep := c.searchFilter(x, q)
	if q.Text == "" {
		if q.Column == "" {
			return SearchResult{}
		}
		return c.ranked(x, q, func(yield func(int32, float64) bool) {
			for doc := range x.docs {
				if keep(int32(doc)) && !yield(int32(doc), 0) {
					return
				}
			}
		}, nil)
	}
	if out, ok := c.searchDotted(q); ok {
		return out
	}
	return c.searchWords(x, q, keep)
}

// searchWords looks for things that have all words; if there are none, or the
// letters stand within other words only, for the kind of thing that the text
// names, then for what was probably meant; and at last for things that have one of
// the words.
func (c *Catalog) searchWords(x *searchIndex, q SearchQuery, keep func(doc int32) bool) SearchResult {
	var out SearchResult
	try := func(w wanted, every bool) {
		m := x.match(w)
		defer x.release(m)
		found := c.ranked(x, q, m.hits(keep, every), m.why)
		if found.Total > 0 && (out.Total == 0 || gradeOf(found) > gradeOf(out)) {
			out = found
		}
	}
	w := newWanted(q.Text)
	if try(w, true); out.Total > 0 && gradeOf(out) > byPart {
		return out
	}
	if less, ok := w.withoutKind(); ok {
		w = less
		try(w, true)
	}
	if out.Total > 0 && gradeOf(out) > byPart {
		return out
	}
	if x.correct(&w) {
		try(w, true)
	}
	if out.Total == 0 {
		try(w, false)
	}
	out.Suggestions = x.suggest(q.Text, keep)
	return out
}

// searchFilter tells which documents a query is about.
func (c *Catalog) searchFilter(x *searchIndex, q SearchQuery) func(doc int32) bool {
	var having map[int32]bool // tables with the column
	if q.Column != "" {
		having = map[int32]bool{}
		if at, ok := x.columns[strings.ToLower(q.Column)]; ok {
			for _, column := range x.docs[at].columns {
				having[c.tableByID[c.columns[column].TableID]] = true
			}
		}
	}
	return func(doc int32) bool {
		d := &x.docs[doc]
		return (len(q.Kinds) == 0 || slices.Contains(q.Kinds, d.kind)) &&
			(!q.CustomOnly || d.custom) &&
			(having == nil || d.kind == SearchTable && having[d.row])
	}
}

// searchDotted searches for Table.Column.
func (c *Catalog) searchDotted(q SearchQuery) (SearchResult, bool) {
	table, column, ok := strings.Cut(q.Text, ".")
	if !ok || len(q.Kinds) > 0 && !slices.Contains(q.Kinds, SearchColumn) || q.Column != "" {
		return SearchResult{}, false
	}
	at, ok := c.tableByName[strings.ToLower(table)]
	if !ok {
		return SearchResult{}, false
	}
	s := newSuggester(column)
	for i := c.columnsOf[at].from; i < c.columnsOf[at].to; i++ {
		r := c.columns[i]
		if !r.Active {
			continue
		}
		if strings.EqualFold(r.Name, column) {
			c.joinColumn(&r)
			return SearchResult{Total: 1, Hits: []SearchHit{{Kind: SearchColumn, ID: r.ID, Name: r.Name, Label: r.Label,
				Description: r.Description, Tables: []string{r.Table}, TableCount: 1, Why: whyName}}}, true
		}
		s.offer(r.Name)
	}
	names := s.best()
	for i, name := range names {
		names[i] = c.tables[at].Name + "." + name
	}
	return SearchResult{Suggestions: names}, len(names) > 0
}

// ranked keeps the best hits.
func (c *Catalog) ranked(x *searchIndex, q SearchQuery, hits func(yield func(int32, float64) bool), why func(doc int32) string) SearchResult {
	limit := q.Limit
	if limit == 0 {
		limit = defaultHits
	}
	type hit struct {
		doc   int32
		score float64
	}
	order := func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(x.docs[a.doc].rank, x.docs[b.doc].rank), cmp.Compare(a.doc, b.doc))
	}
	var best []hit
	out := SearchResult{}
	for doc, score := range hits {
		out.Total++
		best = append(best, hit{doc, score})
		if limit > 0 && len(best) >= 4*limit+64 {
			slices.SortFunc(best, order)
			best = best[:limit]
		}
	}
	slices.SortFunc(best, order)
	if limit > 0 {
		best = best[:min(limit, len(best))]
	}
	for _, h := range best {
		out.Hits = append(out.Hits, c.hit(&x.docs[h.doc], h.score))
		if why != nil {
			out.Hits[len(out.Hits)-1].Why = why(h.doc)
		}
	}
	return out
}

func (c *Catalog) hit(d *searchDoc, score float64) SearchHit {
	h := SearchHit{Kind: d.kind, Score: score, Name: d.name, Label: d.label, Description: d.description}
	switch d.kind {
	case SearchTable:
		h.ID = c.tables[d.row].ID
	case SearchWindow:
		h.ID = c.windows[d.row].ID
	case SearchProcess:
		h.ID = c.processes[d.row].ID
	case SearchReference:
		h.ID = c.references[d.row].ID
	case SearchColumn:
		h.TableCount = len(d.columns)
		if len(d.columns) == 1 {
			h.ID = c.columns[d.row].ID
		}
		for _, column := range d.columns[:min(len(d.columns), maxHitTables)] {
			h.Tables = append(h.Tables, c.tableName(c.columns[column].TableID))
		}
		slices.SortFunc(h.Tables, compareFold)
	}
	return h
}
