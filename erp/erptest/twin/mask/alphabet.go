package mask

import (
	"slices"
	"sync"
	"unicode"
)

// alphabet is a set of characters that are replaced by each other. All have
// an even size, and in UTF-8 the same length.
type alphabet struct {
	chars []rune
	id    byte
}

// span is a range of characters, both ends included.
type span struct{ first, last rune }

// alphabets are fixed for ever: their order and content are part of what a key
// makes of a value. Their characters are those that Unicode had from its early
// versions on.
var alphabets = sync.OnceValue(func() []*alphabet {
	lower, upper := unicode.IsLower, unicode.IsUpper
	var all []*alphabet
	for _, a := range []struct {
		of    func(rune) bool
		spans []span
	}{
		{spans: []span{{'0', '9'}}},
		{spans: []span{{'A', 'Z'}}},
		{spans: []span{{'a', 'z'}}},
		{of: upper, spans: []span{{'À', 'Þ'}, {'Ā', 'Ŷ'}}},
		{of: lower, spans: []span{{'ß', 'ÿ'}, {'ā', 'ŷ'}}},
		{of: upper, spans: []span{{'Ά', 'Ϋ'}}},
		{of: lower, spans: []span{{'ά', 'ώ'}}},
		{spans: []span{{'Ѐ', 'Я'}}},
		{spans: []span{{'а', 'џ'}}},
		{spans: []span{{'א', 'ת'}, {'װ', 'װ'}}},
		{spans: []span{{'ء', 'غ'}, {'ف', 'ي'}}},
		{spans: []span{{'ก', 'ฮ'}}},
		{spans: []span{{'ぁ', 'ゔ'}}},
		{spans: []span{{'ァ', 'ヶ'}}},
		{spans: []span{{'一', '龥'}}},
		{spans: []span{{'가', '힣'}}},
	} {
		var chars []rune
		for _, s := range a.spans {
			for r := s.first; r <= s.last; r++ {
				if a.of == nil || a.of(r) {
					chars = append(chars, r)
				}
			}
		}
		chars = chars[:len(chars)&^1]
		all = append(all, &alphabet{chars: chars, id: byte(len(all))})
	}
	return all
})

// position finds a character in the alphabets.
func position(r rune) (a *alphabet, at uint16, ok bool) {
	switch {
	case r >= '0' && r <= '9':
		return alphabets()[0], uint16(r - '0'), true
	case r >= 'A' && r <= 'Z':
		return alphabets()[1], uint16(r - 'A'), true
	case r >= 'a' && r <= 'z':
		return alphabets()[2], uint16(r - 'a'), true
	case r < 0x80:
		return nil, 0, false
	}
	for _, a := range alphabets()[3:] {
		if i, found := slices.BinarySearch(a.chars, r); found {
			return a, uint16(i), true
		}
	}
	return nil, 0, false
}
