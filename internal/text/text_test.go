package text_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/internal/text"
)

func TestShorten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in    string
		limit int
		want  string
	}{
		"shorter":                {"abc", 4, "abc"},
		"just fits":              {"äöü", 3, "äöü"},
		"one too many":           {"äöüß", 3, "äö…"},
		"bytes are not counted":  {strings.Repeat("界", 100), 100, strings.Repeat("界", 100)},
		"only the ellipsis":      {"ab", 1, "…"},
		"nothing":                {"ab", 0, ""},
		"negative":               {"ab", -1, ""},
		"empty":                  {"", 0, ""},
		"outer blanks stay":      {" a ", 3, " a "},
		"invalid bytes are kept": {"\xff\xfe", 2, "\xff\xfe"},
		"one byte is one":        {"\xff\xfe\xfd", 2, "\xff…"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, text.Shorten(c.in, c.limit)) })
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in                string
		limit             int
		want, wantOfBytes string
	}{
		"shorter":    {"abc", 4, "abc", "abc"},
		"just fits":  {"abc", 3, "abc", "abc"},
		"two bytes":  {"äöü", 2, "äö", "ä"},
		"in between": {"aäöü", 2, "aä", "a"},
		"four bytes": {"😀😀", 3, "😀😀", ""},
		"none":       {"abc", 0, "", ""},
		"negative":   {"abc", -1, "", ""},
		"no UTF-8":   {"\x80\x80\x80\x80\x80\x80", 5, "\x80\x80\x80\x80\x80", "\x80"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, text.First(c.in, c.limit))
			assert.Equal(t, c.wantOfBytes, text.FirstBytes(c.in, c.limit))
		})
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"plain":                 {"a b", "a b"},
		"empty":                 {"", ""},
		"only blanks":           {" \t\n", ""},
		"lines":                 {"a\r\nb\n\n c ", "a b c"},
		"escape sequence":       {"a\x1b[2Jb\x00", "a [2Jb"},
		"C1 control":            {"a\u009bb\u0085c", "a b c"},
		"line separators":       {"a\u2028b\u2029c", "a b c"},
		"right-to-left":         {"a\u202eb", "a b"},
		"zero width":            {"a\u200bb\ufeff", "a b"},
		"joiners belong to it":  {"👩\u200d💻 می\u200cخواهم", "👩\u200d💻 می\u200cخواهم"},
		"not UTF-8":             {"a\xff\xfeb", "a\uFFFDb"},
		"a blank without break": {"a\u00a0b", "a b"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, text.OneLine(c.in)) })
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"layout stays":         {"a\n\tb  c", "a\n\tb  c"},
		"carriage return":      {"a\rb", "a\uFFFDb"},
		"escape sequence":      {"\x1b[2Jx", "\uFFFD[2Jx"},
		"C1 control":           {"\u009b", "\uFFFD"},
		"right-to-left":        {"a\u202eb", "a\uFFFDb"},
		"joiners belong to it": {"👩\u200d💻", "👩\u200d💻"},
		"not UTF-8":            {"a\xff", "a\uFFFD"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, text.Printable(c.in)) })
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"a name":             {"C_Order", `"C_Order"`},
		"empty":              {"", `""`},
		"control characters": {"a\x1b[2J\n", `"a\x1b[2J\n"`},
		"right-to-left":      {"a\u202e", `"a\u202e"`},
		"invalid UTF-8":      {"\xff", `"\xff"`},
		"as long as shown":   {strings.Repeat("ä", 80), `"` + strings.Repeat("ä", 80) + `"`},
		"longer":             {strings.Repeat("ä", 81), `"` + strings.Repeat("ä", 79) + `…"`},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, text.Quote(c.in)) })
	}
}

func TestStorable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"text with lines": {"a\n\tb\x1b", "a\n\tb\x1b"},
		"NUL":             {"a\x00b", "a\uFFFDb"},
		"not UTF-8":       {"a\xffb", "a\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, text.Storable(c.in)) })
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "abc", "äöü…", "a\x1b[2J\r\n\tb", "\xff\xc3", "👩\u200d💻", "\u202e\u2028\ufeff"} {
		f.Add(s, 2)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		short, first, bytes, line, shown, stored := text.Shorten(s, limit), text.First(s, limit), text.FirstBytes(s, limit), text.OneLine(s), text.Printable(s), text.Storable(s)
		chars, room := utf8.RuneCountInString(s), max(limit, 0)

		assert.LessOrEqual(t, utf8.RuneCountInString(short), room)
		if chars <= room {
			assert.Equal(t, s, short)
			assert.Equal(t, s, first)
		} else {
			assert.Equal(t, room, utf8.RuneCountInString(first))
			assert.Equal(t, room > 0, strings.HasSuffix(short, "…"))
			assert.True(t, strings.HasPrefix(s, strings.TrimSuffix(short, "…")))
		}
		assert.True(t, strings.HasPrefix(s, first))
		assert.True(t, strings.HasPrefix(s, bytes))
		assert.LessOrEqual(t, len(bytes), max(room, 0))
		assert.GreaterOrEqual(t, len(bytes), min(len(s), room)-utf8.UTFMax)
		if utf8.ValidString(s) {
			for _, out := range []string{short, first, bytes} {
				assert.True(t, utf8.ValidString(out), "%q", out)
			}
		}

		for _, out := range []string{line, shown, stored} {
			assert.True(t, utf8.ValidString(out), "%q", out)
			assert.LessOrEqual(t, utf8.RuneCountInString(out), chars)
		}
		assert.False(t, strings.ContainsFunc(line, unicode.IsControl), "%q", line)
		assert.NotContains(t, line, "  ")
		assert.Equal(t, strings.TrimSpace(line), line)
		assert.Equal(t, line, text.OneLine(line))
		assert.False(t, strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }), "%q", shown)
		assert.Equal(t, shown, text.Printable(shown))
		assert.NotContains(t, stored, "\x00")

		quote := text.Quote(s)
		back, err := strconv.Unquote(quote)
		assert.NoError(t, err)
		assert.Equal(t, text.Shorten(s, 80), back)
		assert.False(t, strings.ContainsFunc(quote, unicode.IsControl), "%q", quote)
	})
}

// TestNoFormula changes what a spreadsheet would compute, and nothing else.
func TestNoFormula(t *testing.T) {
	t.Parallel()
	for _, given := range []string{"=1+1", "+A1", "-2+3", "-1-1", "+49 170", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "＋1", "－1", "＠A1", "-", "=", "-1e5", "--1"} {
		assert.Equal(t, "'"+given, text.NoFormula(given))
	}
	for _, given := range []string{"", "a", "1", "-5", "-12.50", "+7", "0-1", "a=1", " =1", "'=1", "2024-06-01"} {
		assert.Equal(t, given, text.NoFormula(given))
	}
}

func TestSentence(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": "", "a": "A.", "überall.": "Überall.", "it is away": "It is away."} {
		assert.Equal(t, want, text.Sentence(given))
	}
}
