package docsearch

import (
	"path"
	"strings"

	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/text"
)

// The lengths of a passage in bytes: from wanted on it ends with the paragraph,
// at most it ends where it is.
const (
	wantedPassage = 1500
	mostPassage   = 4000
)

// Passage is a piece of a document that is found as one.
type Passage struct {
	Title   string // of the document
	Heading string // of the section, with those above it: "Setup › Database"
	Text    string
	Source  string // where it is from: "guide/setup.md"
	Kind    string // KindDocument or KindDictionary
}

// The kinds of passages.
const (
	KindDocument   = "document"
	KindDictionary = "dictionary"
)

// splitter takes a Markdown document apart.
type splitter struct {
	source   string
	title    string
	headings [7]string // by level
	text     strings.Builder
	out      []Passage
}

var (
	headingLine = lazyregexp.New(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	underline   = lazyregexp.New(`^ {0,3}(=+|-+)[ \t]*$`)
	fenceLine   = lazyregexp.New("^ {0,3}(`{3,}|~{3,})(.*)$")
	linked      = lazyregexp.New(`!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()]*\))?[^()]*\)`)
)

// Split takes a Markdown document apart at its headings, and long sections at
// their paragraphs. Text that is not shown (front matter, comments) is left
// out; code stays. Any text splits: what is no Markdown is one section. The
// source names the document, and is its title when it has no other.
func Split(source, markdown string) []Passage {
	s := &splitter{source: source, title: strings.TrimSuffix(path.Base(source), path.Ext(source))}
	lines := strings.Split(strings.ReplaceAll(strings.ToValidUTF8(markdown, "\uFFFD"), "\r\n", "\n"), "\n")
	lines = s.frontMatter(lines)
	fence, before, commented := "", "", false
	for _, line := range lines {
		if fence != "" {
			s.add(line)
			if m := fenceLine().FindStringSubmatch(line); m != nil && strings.HasPrefix(m[1], fence) && strings.TrimSpace(m[2]) == "" {
				fence = ""
			}
			continue
		}
		line, commented = visible(line, commented)
		if m := fenceLine().FindStringSubmatch(line); m != nil && (m[1][0] == '~' || !strings.Contains(m[2], "`")) {
			fence, before = m[1], ""
			s.add(line)
			continue
		}
		if m := headingLine().FindStringSubmatch(line); m != nil {
			s.heading(len(m[1]), m[2])
			before = ""
			continue
		}
		if m := underline().FindStringSubmatch(line); m != nil && before != "" {
			s.takeBack(before)
			level := 2
			if m[1][0] == '=' {
				level = 1
			}
			s.heading(level, before)
			before = ""
			continue
		}
		line = linked().ReplaceAllString(line, "$1")
		before = strings.TrimSpace(line)
		s.add(line)
	}
	s.flush()
	for i := range s.out {
		s.out[i].Title = s.title
	}
	return s.out
}

// frontMatter takes off what stands between two lines of --- at the beginning,
// and the title in it.
func (s *splitter) frontMatter(lines []string) []string {
	if len(lines) == 0 || strings.TrimPrefix(strings.TrimRight(lines[0], " \t"), "\uFEFF") != "---" {
		return lines
	}
	for i, line := range lines[1:] {
		if end := strings.TrimRight(line, " \t"); end == "---" || end == "..." {
			for _, meta := range lines[1 : i+1] {
				if title, ok := strings.CutPrefix(meta, "title:"); ok {
					if title = strings.Trim(strings.TrimSpace(title), `"'`); title != "" {
						s.title = short(title)
						s.headings[0] = s.title // no heading stands in for it
					}
				}
			}
			return lines[i+2:]
		}
	}
	return lines // it is a line across, not front matter
}

// visible is a line without the parts in comments; commented says whether one
// is open.
func visible(line string, commented bool) (string, bool) {
	var out strings.Builder
	for {
		if commented {
			_, rest, ok := strings.Cut(line, "-->")
			if !ok {
				return out.String(), true
			}
			line, commented = rest, false
		}
		head, rest, ok := strings.Cut(line, "<!--")
		out.WriteString(head)
		if !ok {
			return out.String(), false
		}
		line, commented = rest, true
	}
}

func (s *splitter) heading(level int, text string) {
	s.flush()
	text = short(strings.TrimSpace(linked().ReplaceAllString(text, "$1")))
	if level == 1 && s.headings[0] == "" && text != "" {
		s.title, s.headings[0] = text, text
		text = "" // the title says it
	}
	s.headings[level] = text
	for i := level + 1; i < len(s.headings); i++ {
		s.headings[i] = ""
	}
}

// short is a title of bearable length.
func short(s string) string { return text.Shorten(s, 200) }

func (s *splitter) add(line string) {
	if strings.TrimSpace(line) == "" && s.text.Len() >= wantedPassage {
		s.flush()
		return
	}
	for s.text.Len()+len(line) > mostPassage {
		first := text.FirstBytes(line, mostPassage-s.text.Len())
		s.text.WriteString(first)
		line = line[len(first):]
		s.flush()
	}
	s.text.WriteString(line)
	s.text.WriteByte('\n')
}

// takeBack removes the line that turned out to be a heading.
func (s *splitter) takeBack(line string) {
	text := strings.TrimRight(s.text.String(), "\n")
	if i := strings.LastIndexByte(text, '\n') + 1; strings.TrimSpace(text[i:]) == line {
		s.text.Reset()
		s.text.WriteString(text[:i])
	}
}

func (s *splitter) flush() {
	text := strings.TrimSpace(s.text.String())
	s.text.Reset()
	var above []string
	for _, h := range s.headings[1:] {
		if h != "" {
			above = append(above, h)
		}
	}
	if text != "" {
		s.out = append(s.out, Passage{Heading: strings.Join(above, " › "), Text: text, Source: s.source, Kind: KindDocument})
	}
}
