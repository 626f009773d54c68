package registry

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

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
	} {
		l := newLike(tt.pattern)
		assert.Equal(t, tt.want, l.match(tt.text), "%q LIKE %q", tt.text, tt.pattern)
	}
}

// A pattern made to be slow is not.
func TestLikeIsNeverSlow(t *testing.T) {
	t.Parallel()
	l := newLike(strings.Repeat("a%", 500) + "b")
	done := make(chan bool, 1)
	go func() { done <- l.match(strings.Repeat("a", 5000)) }()
	select {
	case got := <-done:
		assert.False(t, got)
	case <-time.After(10 * time.Second):
		t.Fatal("still matching")
	}
}

// Patterns mean what the same pattern means as a regular expression.
func FuzzLike(f *testing.F) {
	for _, seed := range [][2]string{{"c_ord%", "C_Order"}, {`\%`, "%"}, {"%_%", ""}, {`\`, `\`}, {"%a%a%", "banana"}, {"\xff%", "\xff"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		l := newLike(pattern)
		got := l.match(text)
		if pattern == "" || !utf8.ValidString(pattern) || !utf8.ValidString(text) || len(pattern) > 200 {
			return
		}
		var b strings.Builder
		b.WriteString(`(?s)\A`)
		escaped := false
		for _, r := range strings.ToLower(pattern) {
			switch {
			case escaped:
				b.WriteString(regexp.QuoteMeta(string(r)))
				escaped = false
			case r == '\\':
				escaped = true
			case r == '%':
				b.WriteString(".*")
			case r == '_':
				b.WriteString(".")
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
		if escaped {
			b.WriteString(`\\`)
		}
		b.WriteString(`\z`)
		want := regexp.MustCompile(b.String()).MatchString(strings.ToLower(text))
		require.Equal(t, want, got, "%q LIKE %q", text, pattern)
	})
}
