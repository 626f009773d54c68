package generator

import (
	"encoding/xml"
	"html"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// texts are where fuzzing begins: what ends, begins or escapes something
// somewhere, and what other texts grow from.
func texts(f *testing.F) {
	f.Helper()
	for _, s := range []string{
		"", " ", "Demo", " leading", "trailing ", `a "b" 'c'`, `back\slash \\ \u000a \u002a/ \uuuu0022`, "*/", "**//", "/*/", "*\n/", "* /",
		"line\nfeed\r\ntab\t", "\x00\x01\x1f\x7f\u0080\u009f", "<a href='x'>&amp;</a>", "]]>", "<!-- -->", "<?x?>", "${project.version} $${x} $\n{", "{{.}}",
		"@author {@link Runtime}", "日本 Käse € \U0001f600", "\u202eabc\u2066", "\u2028\u2029\ufeff\ufffe\uffff", "\xff\xfe", "# h\n> q\n* l\n1. n\n```\n| a |", "![x](javascript:y)",
		"a=b:c#d!e", "key\\\nmore", "Bundle-Activator: x", "a;b=c,d", strings.Repeat("ä", 100), strings.Repeat("a", 71) + "日" + strings.Repeat("b", 80),
	} {
		f.Add(s)
	}
}

// javaUnescape does what a compiler of Java does before all else: it turns \u
// escapes into characters, anywhere in a source.
func javaUnescape(t *testing.T, s string) []uint16 {
	t.Helper()
	var out []uint16
	in := utf16.Encode([]rune(s))
	for i := 0; i < len(in); i++ {
		if in[i] != '\\' || i+1 >= len(in) {
			out = append(out, in[i])
			continue
		}
		if in[i+1] != 'u' {
			out = append(out, in[i], in[i+1]) // an escaped backslash begins nothing
			i++
			continue
		}
		for i+1 < len(in) && in[i+1] == 'u' {
			i++
		}
		require.Less(t, i+4, len(in), "an escape is cut off: %q", s)
		n, err := strconv.ParseUint(string(utf16.Decode(in[i+1:i+5])), 16, 16)
		require.NoError(t, err, "an escape that is none: %q", s)
		out = append(out, uint16(n))
		i += 4
	}
	return out
}

// javaLiteral is the text of a literal.
func javaLiteral(t *testing.T, literal string) string {
	t.Helper()
	in := javaUnescape(t, literal)
	require.GreaterOrEqual(t, len(in), 2)
	require.Equal(t, []uint16{'"', '"'}, []uint16{in[0], in[len(in)-1]})
	in = in[1 : len(in)-1]
	var out []uint16
	for i := 0; i < len(in); i++ {
		require.NotContains(t, []uint16{'"', '\n', '\r'}, in[i], "the literal ends early: %q", literal)
		if in[i] != '\\' {
			out = append(out, in[i])
			continue
		}
		i++
		require.Less(t, i, len(in), "the literal does not end: %q", literal)
		switch c := in[i]; c {
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case '"', '\\':
			out = append(out, c)
		case '0', '1', '2', '3':
			require.Less(t, i+2, len(in))
			n, err := strconv.ParseUint(string(utf16.Decode(in[i:i+3])), 8, 16)
			require.NoError(t, err)
			out = append(out, uint16(n))
			i += 2
		default:
			require.Failf(t, "an escape that Java does not have", "%q", literal)
		}
	}
	return string(utf16.Decode(out))
}

func FuzzJavaString(f *testing.F) {
	texts(f)
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, string([]rune(text)), javaLiteral(t, javaString(text)))
	})
}

// A comment holds the text and does not end in it, and what is read in it as
// markup is the text.
func FuzzJavadoc(f *testing.F) {
	texts(f)
	f.Fuzz(func(t *testing.T, text string) {
		got := javadoc(text)
		source := string(utf16.Decode(javaUnescape(t, got)))
		require.NotContains(t, source, "*/")
		require.False(t, strings.ContainsAny(source, "\n\r\u2028\u2029<>@"), "%q", source)
		var want strings.Builder
		for _, r := range text {
			switch {
			case r == '\n' || r == '\r':
			case r < ' ' || r == 0x7f:
				want.WriteByte(' ')
			default:
				want.WriteRune(r)
			}
		}
		// Numbers from 128 to 159 are shown as something else by what reads HTML.
		shown := strings.Map(func(r rune) rune {
			if r >= 0x80 && r < 0xa0 {
				return -1
			}
			return r
		}, want.String())
		if shown == want.String() {
			require.Equal(t, strings.TrimSpace(want.String()), strings.TrimSpace(html.UnescapeString(got)))
		}
	})
}

func FuzzJavaComment(f *testing.F) {
	texts(f)
	f.Fuzz(func(t *testing.T, text string) {
		source := string(utf16.Decode(javaUnescape(t, "/** "+javaComment(text)+" x */")))
		require.Equal(t, len(source)-2, strings.Index(source, "*/"), "the comment ends early: %q", source)
		require.Equal(t, 0, strings.LastIndex(source, "/*"))
		require.False(t, strings.ContainsAny(source, "\n\r\u2028\u2029"))
	})
}

// inXML is what XML can hold of a text.
func inXML(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, string([]rune(text)))
}

func FuzzXML(f *testing.F) {
	texts(f)
	f.Fuzz(func(t *testing.T, text string) {
		var doc struct {
			Attribute string `xml:"a,attr"`
			Single    string `xml:"b,attr"`
			Text      string `xml:",chardata"`
		}
		source := `<x a="` + xmlText(text) + `" b='` + xmlText(text) + `'>` + xmlText(text) + `</x>`
		require.NoError(t, xml.Unmarshal([]byte(source), &doc), source)
		want := inXML(text)
		require.Equal(t, want, doc.Attribute)
		require.Equal(t, want, doc.Single)
		require.Equal(t, want, doc.Text)
		require.NoError(t, xml.Unmarshal([]byte("<x>"+mavenText(text)+"</x>"), &doc))
		require.NotContains(t, doc.Text, "${")
		require.Equal(t, strings.ReplaceAll(want, "${", "$ {"), strings.ReplaceAll(doc.Text, "${", "$ {"))
	})
}

// propertyValue reads a value as Java's properties do.
func propertyValue(t *testing.T, raw string) string {
	t.Helper()
	raw = strings.TrimLeft(raw, " \t\f")
	var out []uint16
	in := utf16.Encode([]rune(raw))
	for i := 0; i < len(in); i++ {
		require.NotContains(t, []uint16{'\n', '\r'}, in[i], "the value ends early: %q", raw)
		if in[i] != '\\' {
			out = append(out, in[i])
			continue
		}
		i++
		require.Less(t, i, len(in), "the value goes on in the next line: %q", raw)
		switch c := in[i]; c {
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'f':
			out = append(out, '\f')
		case 'u':
			require.Less(t, i+4, len(in))
			n, err := strconv.ParseUint(string(utf16.Decode(in[i+1:i+5])), 16, 16)
			require.NoError(t, err)
			out = append(out, uint16(n))
			i += 4
		default:
			out = append(out, c)
		}
	}
	return string(utf16.Decode(out))
}

func FuzzProperty(f *testing.F) {
	texts(f)
	f.Fuzz(func(t *testing.T, text string) {
		got := property(text)
		for _, r := range got {
			require.True(t, r >= ' ' && r < 0x7f, "properties are read as Latin-1: %q", got)
		}
		require.Equal(t, string([]rune(text)), propertyValue(t, got))
	})
}

func FuzzMarkdown(f *testing.F) {
	texts(f)
	f.Fuzz(func(t *testing.T, text string) {
		got := markdown(text)
		var plain strings.Builder
		for i := 0; i < len(got); i++ {
			c := got[i]
			if c == '\\' {
				i++
				require.Less(t, i, len(got), "the last backslash escapes what follows: %q", got)
				require.True(t, strings.IndexByte("\\`*_{}[]()#+-.!|~>:@", got[i]) >= 0, "a backslash that stays: %q", got)
				plain.WriteByte(got[i])
				continue
			}
			require.False(t, strings.IndexByte("\\`*_{}[]()#+-.!|~>:@<", c) >= 0, "%q is markup in %q", c, got)
			plain.WriteByte(c)
		}
		want := strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, string([]rune(text)))
		require.Equal(t, strings.TrimSpace(want), strings.NewReplacer("&lt;", "<", "&amp;", "&").Replace(plain.String()))
	})
}
