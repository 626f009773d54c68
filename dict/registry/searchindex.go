package registry

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// What a word is worth by where it stands.
const (
	weightName        = 8
	weightLabel       = 5
	weightSynonym     = 3
	weightDescription = 1.5
)

// searchDoc is one thing that can be found. All columns of one name are one.
type searchDoc struct {
	kind        SearchKind
	row         int32 // its place among the rows of its kind
	rank        int32 // order among equals
	custom      bool
	view        bool
	name        string
	label       string
	description string
	plain       string // name in lower case
	plainLabel  string
	synonyms    []synonym
	letters     uint64  // of the name
	columns     []int32 // places of the columns of that name
}

// posting says that a document has a word.
type posting struct {
	doc    int32
	weight float32
}

// searchIndex finds documents by their words.
type searchIndex struct {
	docs     []searchDoc
	columns  map[string]int32 // document of a column name in lower case
	words    []string         // sorted
	postings [][]posting      // per word, by document
	idle     sync.Pool        // of *searchMatch
}

func newSearchIndex(c *Catalog) *searchIndex {
	x := &searchIndex{columns: map[string]int32{}}
	for i := range c.tables {
		if t := &c.tables[i]; t.Active {
			x.add(searchDoc{kind: SearchTable, row: int32(i), custom: t.Custom(), view: t.View, name: t.Name, label: t.Label, description: t.Description})
		}
	}
	for i := range c.columns {
		if at, ok := c.tableByID[c.columns[i].TableID]; ok && c.columns[i].Active && c.tables[at].Active {
			x.addColumn(c, int32(i), c.tables[at].Custom())
		}
	}
	query := ListQuery{CustomOnly: true}
	for i := range c.windows {
		if w := &c.windows[i]; w.Active {
			x.add(searchDoc{kind: SearchWindow, row: int32(i), custom: query.custom(w.ID, w.Name), name: w.Name, label: w.Name,
				description: w.Description})
		}
	}
	for i := range c.processes {
		if p := &c.processes[i]; p.Active {
			x.add(searchDoc{kind: SearchProcess, row: int32(i), custom: query.custom(p.ID, p.Value), name: p.Value, label: p.Name,
				description: p.Description})
		}
	}
	for i := range c.references {
		if r := &c.references[i]; r.Active {
			x.add(searchDoc{kind: SearchReference, row: int32(i), custom: query.custom(r.ID, r.Name), name: r.Name, label: r.Name,
				description: r.Description})
		}
	}
	x.fill()
	x.idle.New = func() any {
		n := len(x.docs)
		return &searchMatch{x: x, score: make([]float32, n), seen: make([]uint16, n), weakest: make([]grade, n), now: make([]grade, n)}
	}
	return x
}

func (x *searchIndex) add(d searchDoc) {
	d.rank = int32(len(x.docs))
	d.plain, d.plainLabel = strings.ToLower(d.name), strings.ToLower(d.label)
	d.letters = letters(d.name)
	d.synonyms = synonymsOf()[string(d.kind)+" "+d.plain]
	x.docs = append(x.docs, d)
}

func (x *searchIndex) addColumn(c *Catalog, at int32, custom bool) {
	r := &c.columns[at]
	name := strings.ToLower(r.Name)
	custom = custom || customName(r.Name)
	if doc, ok := x.columns[name]; ok {
		d := &x.docs[doc]
		d.columns = append(d.columns, at)
		d.custom = d.custom || custom
		return
	}
	d := searchDoc{kind: SearchColumn, row: at, custom: custom, name: r.Name, label: r.Label, description: r.Description, columns: []int32{at}}
	if e, ok := c.element(r.ElementID); ok {
		d.label = e.Label
		if d.description == "" {
			d.description = e.Description
		}
	}
	x.columns[name] = int32(len(x.docs))
	x.add(d)
}

// fill makes the postings of all documents.
func (x *searchIndex) fill() {
	numbers := map[string]int32{}
	var all [][]posting
	weights := map[int32]float32{} // of the words of one document
	for doc := range x.docs {
		d := &x.docs[doc]
		clear(weights)
		note := func(weight float32) func(string) {
			return func(word string) {
				n, ok := numbers[word]
				if !ok {
					n = int32(len(all))
					numbers[strings.Clone(word)] = n
					all = append(all, nil)
				}
				weights[n] = max(weights[n], weight)
			}
		}
		eachWord(d.name, note(weightName))
		eachWord(d.label, note(weightLabel))
		eachWord(d.description, note(weightDescription))
		for _, s := range d.synonyms {
			eachWord(s.phrase, note(weightSynonym))
		}
		for n, weight := range weights {
			all[n] = append(all[n], posting{int32(doc), weight})
		}
	}
	x.words = make([]string, 0, len(numbers))
	for word := range numbers {
		x.words = append(x.words, word)
	}
	slices.Sort(x.words)
	x.postings = make([][]posting, len(x.words))
	for i, word := range x.words {
		x.postings[i] = slices.Clip(all[numbers[word]])
	}
}

// eachWord calls yield with the words of a text in lower case: what stands
// between other characters, and within that the words of C_BPartner,
// DateOrdered or EMail2.
func eachWord(text string, yield func(string)) {
	for segment := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		whole := strings.ToLower(segment)
		yield(whole)
		runes := []rune(segment)
		from := 0
		for i := 1; i <= len(runes); i++ {
			if i < len(runes) && !wordBreak(runes, i) {
				continue
			}
			if from > 0 || i < len(runes) {
				yield(strings.ToLower(string(runes[from:i])))
			}
			from = i
		}
	}
}

// wordBreak reports whether a new word begins at runes[i].
func wordBreak(runes []rune, i int) bool {
	before, here := runes[i-1], runes[i]
	switch {
	case unicode.IsDigit(before) != unicode.IsDigit(here):
		return true
	case unicode.IsUpper(here) && unicode.IsLower(before):
		return true
	case unicode.IsUpper(here) && unicode.IsUpper(before):
		return i+1 < len(runes) && unicode.IsLower(runes[i+1])
	}
	return false
}

// suggest lists names close to the text.
func (x *searchIndex) suggest(text string, keep func(int32) bool) []string {
	s := newSuggester(text)
	for doc := range x.docs {
		if keep(int32(doc)) {
			s.offerWith(x.docs[doc].name, x.docs[doc].letters)
		}
	}
	return s.best()
}
