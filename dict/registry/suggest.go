package registry

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/nearest"
)

const (
	maxSuggestions = 5
	// maxSuggestName bounds the work for texts that are not names; the longest
	// real ones are 63 characters.
	maxSuggestName = 80
)

// suggester collects the names that are closest to one that was not found.
type suggester struct {
	wanted, wantedBare []rune
	letters            uint64 // in wantedBare
	limit              int
	hits               []suggestion
	meter              nearest.Meter
}

type suggestion struct {
	name string
	cost int
}

func newSuggester(name string) *suggester {
	s := &suggester{}
	if len(name) > 4*maxSuggestName {
		return s
	}
	s.wanted = plain(name)
	s.wantedBare = plain(bare(name))
	s.letters = letters(string(s.wantedBare))
	// One slip in a short word, up to three in a long one: a letter missing, added
	// or exchanged, or two neighbours swapped.
	s.limit = min(3, max(1, len(s.wanted)/4))
	return s
}

// offer considers a name.
func (s *suggester) offer(name string) { s.offerWith(name, letters(name)) }

// offerWith is offer with the letters of the name, which rule out most names:
// each letter that is missing is a slip.
func (s *suggester) offerWith(name string, has uint64) {
	if len(s.wanted) == 0 || len(s.wanted) > maxSuggestName || name == "" || bits.OnesCount64(s.letters&^has) > s.limit {
		return
	}
	cost, ok := s.cost(name)
	if !ok || slices.ContainsFunc(s.hits, func(h suggestion) bool { return h.name == name }) {
		return
	}
	s.hits = append(s.hits, suggestion{name, cost})
	slices.SortStableFunc(s.hits, func(a, b suggestion) int {
		switch {
		case a.cost != b.cost:
			return a.cost - b.cost
		case len(a.name) != len(b.name):
			return len(a.name) - len(b.name)
		}
		return strings.Compare(a.name, b.name)
	})
	s.hits = s.hits[:min(len(s.hits), maxSuggestions)]
}

func (s *suggester) best() []string {
	var names []string
	for _, h := range s.hits {
		names = append(names, h.name)
	}
	return names
}

// cost tells how far a name is from the one that is wanted: slips count two, a
// missing or other prefix one, a name that merely contains the word comes last.
func (s *suggester) cost(name string) (int, bool) {
	if len(name) > 4*maxSuggestName {
		return 0, false
	}
	full := plain(name)
	if d, ok := s.meter.Within(s.wanted, full, s.limit); ok {
		return 2 * d, true
	}
	if short := plain(bare(name)); len(short) >= 3 && len(s.wantedBare) >= 3 {
		if d, ok := s.meter.Within(s.wantedBare, short, s.limit); ok {
			return 2*d + 1, true
		}
	}
	if len(s.wanted) >= 3 && strings.Contains(string(full), string(s.wanted)) {
		return 2*s.limit + 2, true
	}
	return 0, false
}

// plain is a name as it is compared: letters and digits, in lower case.
func plain(name string) []rune {
	out := make([]rune, 0, len(name))
	for _, r := range name {
		if r < utf8.RuneSelf && r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		} else if r >= utf8.RuneSelf {
			r = unicode.ToLower(r)
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, r)
		}
	}
	return out
}

// letters is the set of letters and digits in a text, without regard to case;
// those beyond ASCII share what is left of the bits.
func letters(text string) uint64 {
	var set uint64
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			set |= 1 << (r - 'a')
		case r >= 'A' && r <= 'Z':
			set |= 1 << (r - 'A')
		case r >= '0' && r <= '9':
			set |= 1 << (26 + r - '0')
		case r >= utf8.RuneSelf:
			set |= 1 << (36 + unicode.ToLower(r)%28)
		}
	}
	return set
}

// bare is a name without the prefix that tells the module: Order for C_Order.
func bare(name string) string {
	if i := strings.IndexByte(name, '_'); i > 0 && i <= 3 && i+1 < len(name) {
		return name[i+1:]
	}
	return name
}
