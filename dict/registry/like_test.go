package registry

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLike(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "anything", true},
		{"%", "", true},
		{"_", "", false},
		{"_", "ä", true},
		{"c_order", "C_Order", true},
		{"c_order", "CxOrder", true},
		{`c\_order`, "CxOrder", false},
		{"%order%", "C_OrderLine", true},
		{"%order", "C_OrderLine", false},
		{"%a%b%c%", "xxaxxbxxcxx", true},
		{"%a%b%c%", "xxbxxaxxcxx", false},
		{"a%a", "a", false},
		{`100\%`, "100%", true},
		{`100\%`, "1000", false},
		{`a\\b`, `a\b`, true},
		{`ab\`, `ab\`, true},
		{"%%%_%%%", "", false},
		{"%%%_%%%", "x", true},
		{"straße", "STRASSE", false},
		{"Ä%", "ärger", true},
		{"c_ord%", "C_OrderLine", true},
		{"c_ord%", "CxORD", true},
		{"c_ord%", "C_Or", false},
		{"c_order", "C_OrderLine", false},
		{"a_c%", "aäc", true},
		{`c\_ord%`, "CxOrder", false},
	} {
		l := newLike(tt.pattern)
		assert.Equal(t, tt.want, l.match(tt.text), "%q LIKE %q", tt.text, tt.pattern)
	}
}

// A pattern made to be slow is not.
func TestLikeIsNeverSlow(t *testing.T) {
	t.Parallel()
	l := newLike(strings.Repeat("a%", 100) + "b")
	done := make(chan bool, 1)
	go func() { done <- l.match(strings.Repeat("a", 1000)) }()
	select {
	case got := <-done:
		assert.False(t, got)
	case <-time.After(10 * time.Second):
		t.Fatal("still matching")
	}
}

// Patterns that would make a large expression match what they say, or nothing.
func TestLikeOfLongPatterns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pattern, text string
		want          bool
	}{
		"many %":                {strings.Repeat("%", 1<<20) + "a", "banana", true},
		"as long as possible":   {strings.Repeat("_", 4000), strings.Repeat("a", 4000), true},
		"longer than any name":  {strings.Repeat("_", maxLike), strings.Repeat("a", maxLike), false},
		"much longer":           {strings.Repeat("a%", 1<<20), strings.Repeat("a", 1<<20), false},
		"characters of regexps": {`%(a|b)*[.]{2}^$+?`, `x(A|B)*[.]{2}^$+?`, true},
	} {
		l := newLike(c.pattern)
		assert.Equal(t, c.want, l.match(c.text), name)
	}
}

// Patterns mean what a plain reading of LIKE says.
func FuzzLike(f *testing.F) {
	for _, seed := range [][2]string{{"c_ord%", "C_Order"}, {`\%`, "%"}, {"%_%", ""}, {`\`, `\`}, {"%a%a%", "banana"}, {"\xff%", "\xff"}, {".*%", ".*a"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		l := newLike(pattern)
		got := l.match(text)
		if len(pattern) > 200 || len(text) > 1000 {
			return
		}
		want := pattern == "" || plainLike([]rune(strings.ToLower(pattern)), []rune(strings.ToLower(text)))
		require.Equal(t, want, got, "%q LIKE %q", text, pattern)
	})
}

// plainLike tells by trying, one row of places in the text per element of the
// pattern, whether the whole text fits.
func plainLike(pattern, text []rune) bool {
	reached := make([]bool, len(text)+1) // places up to which the pattern so far fits
	reached[0] = true
	for i := 0; i < len(pattern); i++ {
		r, next := pattern[i], make([]bool, len(text)+1)
		escaped := r == '\\' && i+1 < len(pattern)
		if escaped {
			i++
			r = pattern[i]
		}
		for at := range reached {
			switch {
			case !escaped && r == '%':
				next[at] = reached[at] || at > 0 && next[at-1]
			case at > 0 && reached[at-1]:
				next[at] = !escaped && r == '_' || text[at-1] == r
			}
		}
		reached = next
	}
	return reached[len(text)]
}
