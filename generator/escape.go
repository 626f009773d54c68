package generator

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// javaString writes a text as a literal of Java. Everything but printable ASCII
// is written as an escape, so that the file's encoding makes no difference.
func javaString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ':
			fmt.Fprintf(&b, `\%03o`, r) // a \u escape of a line end would be one
		case r < 0x7f:
			b.WriteRune(r)
		default:
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, u)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

// entities stand for what has a meaning in a comment: \u is an escape there, too.
var entities = map[rune]string{'<': "&lt;", '>': "&gt;", '&': "&amp;", '"': "&#34;", '\'': "&#39;", '\\': "&#92;", '@': "&#64;"}

// javadoc writes a text into a comment, masked as the ERP masks labels: marks of
// HTML as entities, line feeds dropped, characters above 255 as numbers. What
// would end the comment, begin a tag or be read as a Unicode escape is broken up.
func javadoc(s string) string {
	var b strings.Builder
	var last rune
	for _, r := range s {
		switch {
		case entities[r] != "":
			b.WriteString(entities[r])
		case r == '/' && last == '*':
			b.WriteString("&#47;")
		case r == '\n', r == '\r':
			r = last
		case r < ' ', r == 0x7f:
			b.WriteByte(' ')
		case r > 255 || r >= 0x80 && r < 0xa0:
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
		last = r
	}
	return strings.TrimSpace(b.String())
}

// javaComment writes a text into the rest of a comment line in code.
func javaComment(s string) string {
	s = strings.ReplaceAll(s, `\`, `\ `)
	s = strings.ReplaceAll(s, "*/", "* /")
	s = strings.ReplaceAll(s, "/*", "/ *")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || invisible(r) {
			return ' '
		}
		return r
	}, s)
}

// xmlText writes a text into XML, between tags or inside of an attribute in
// quotes. Characters that XML cannot hold are left out.
func xmlText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\'':
			b.WriteString("&apos;")
		case r == '\n', r == '\r', r == '\t':
			fmt.Fprintf(&b, "&#%d;", r)
		case r < ' ', r == 0xfffe, r == 0xffff:
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mavenText writes a text into a POM, where ${…} would be replaced. What XML
// cannot hold is gone before, or its neighbours would make one.
func mavenText(s string) string { return strings.ReplaceAll(xmlText(s), "${", "$ {") }

// property writes a value of a properties file.
func property(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == ' ' && i == 0:
			b.WriteString(`\ `)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r > 0x7e:
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, u)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// markdown writes a text into a paragraph of Markdown so that it shows as it is,
// without blanks at its ends, which would make it something else.
func markdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune("\\`*_{}[]()#+-.!|~>:@", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case r < ' ', r == 0x7f:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// manifestText makes a value of a manifest one line.
func manifestText(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s))
}
