package docsearch

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/text"
)

// The constants of BM25, and how much titles and other forms of a word count.
const (
	saturation   = 1.2
	lengthWeight = 0.75
	titleWeight  = 3
	prefixWeight = 0.4
	mostPrefixed = 64 // words that one word of a question is the beginning of
	mostAsked    = 24 // words of a question that count
)

// Index finds passages. It does not change and is safe for concurrent use.
type Index struct {
	passages []Passage
	lengths  []float64 // in words, as counted
	average  float64
	words    []string // sorted
	postings [][]posting
}

type posting struct {
	passage int
	count   float64
}

// NewIndex makes an index of passages, which it keeps.
func NewIndex(passages []Passage) *Index {
	x := &Index{passages: passages, lengths: make([]float64, len(passages))}
	byWord := map[string][]posting{}
	total := 0.0
	for i, p := range passages {
		counts := map[string]float64{}
		for weight, text := range map[float64]string{titleWeight: p.Title + " . " + p.Heading, 1: p.Text} {
			for _, s := range words(text) {
				counts[s.word] += weight
			}
		}
		for word, n := range counts {
			byWord[word] = append(byWord[word], posting{i, n})
			x.lengths[i] += n
		}
		total += x.lengths[i]
	}
	x.average = math.Max(1, total/math.Max(1, float64(len(passages))))
	for word := range byWord {
		x.words = append(x.words, word)
	}
	slices.Sort(x.words)
	x.postings = make([][]posting, len(x.words))
	for i, word := range x.words {
		x.postings[i] = byWord[word]
	}
	return x
}

// Hit is a passage that was found.
type Hit struct {
	Title   string
	Heading string
	// Passage is the part that fits best, with the words that were found between
	// ** and **.
	Passage string
	Source  string
	Kind    string
	Score   float64 // from 0 to 1, comparable between indexes
}

// Found is the result of a search.
type Found struct {
	Hits  []Hit // best first
	Total int   // passages that have something of the question
}

// Search finds the passages that fit a question best, at most limit of them. A
// question without a word that says something finds nothing.
func (x *Index) Search(question string, limit int) Found {
	asked := askedFor(question)
	if len(asked) == 0 || len(x.passages) == 0 || limit <= 0 {
		return Found{}
	}
	scores, hits := map[int]float64{}, map[int]int{}
	perfect := 0.0 // no passage has more: it makes scores of indexes of different sizes comparable
	for _, word := range asked {
		best := map[int]float64{}
		forms := x.forms(word)
		rarest := 0.0
		for i := range forms {
			rarest = max(rarest, x.rare(len(x.postings[i])))
		}
		if len(forms) == 0 {
			rarest = x.rare(0)
		}
		perfect += rarest * (saturation + 1)
		for i, weight := range forms {
			rare := x.rare(len(x.postings[i]))
			for _, p := range x.postings[i] {
				score := weight * rare * p.count * (saturation + 1) / (p.count + saturation*(1-lengthWeight+lengthWeight*x.lengths[p.passage]/x.average))
				best[p.passage] = math.Max(best[p.passage], score)
			}
		}
		for passage, score := range best {
			scores[passage] += score
			hits[passage]++
		}
	}
	order := make([]int, 0, len(scores))
	for passage := range scores {
		// A passage with all the words is better than one with a single one often.
		scores[passage] *= (0.3 + 0.7*float64(hits[passage])/float64(len(asked))) / perfect
		order = append(order, passage)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), a-b) })
	found := Found{Total: len(order)}
	for _, i := range order[:min(limit, len(order))] {
		p := x.passages[i]
		found.Hits = append(found.Hits, Hit{p.Title, p.Heading, excerpt(p.Text, asked), p.Source, p.Kind, scores[i]})
	}
	return found
}

// rare is how much a word says that so many passages have.
func (x *Index) rare(passages int) float64 {
	return math.Log(1 + (float64(len(x.passages))-float64(passages)+0.5)/(float64(passages)+0.5))
}

// askedFor are the words of a question that say something, each once.
func askedFor(question string) []string {
	var asked []string
	for _, s := range words(text.FirstBytes(question, 4000)) {
		if !idle(s.word) && !slices.Contains(asked, s.word) && len(asked) < mostAsked {
			asked = append(asked, s.word)
		}
	}
	return asked
}

// forms are the indexed words that a word of a question means, with how much
// each counts.
func (x *Index) forms(word string) map[int]float64 {
	out := map[int]float64{}
	i, exact := slices.BinarySearch(x.words, word)
	if exact {
		out[i] = 1
	}
	if utf8.RuneCountInString(word) < 3 {
		return out
	}
	for ; i < len(x.words) && len(out) < mostPrefixed && strings.HasPrefix(x.words[i], word); i++ {
		if x.words[i] != word {
			out[i] = prefixWeight
		}
	}
	return out
}
