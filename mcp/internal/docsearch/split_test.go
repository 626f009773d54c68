package docsearch_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp/internal/docsearch"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		markdown string
		title    string
		want     []string // heading: text
	}{
		"no Markdown":       {"just words\nin lines", "a", []string{": just words\nin lines"}},
		"nothing":           {"", "", nil},
		"sections":          {"# Guide\nintro\n## Setup\none\n### Database\ntwo\n## Use\nthree", "Guide", []string{": intro", "Setup: one", "Setup › Database: two", "Use: three"}},
		"a second title":    {"# Guide\nx\n# Other\ny", "Guide", []string{": x", "Other: y"}},
		"underlined":        {"Guide\n=====\nintro\n\nSetup\n---\none", "Guide", []string{": intro", "Setup: one"}},
		"a line across":     {"one\n\n---\n\ntwo", "a", []string{": one\n\n---\n\ntwo"}},
		"front matter":      {"---\ntitle: \"From above\"\ntags: x\n---\n# Inside\ntext", "From above", []string{"Inside: text"}},
		"no front matter":   {"---\nopen for ever", "a", []string{": ---\nopen for ever"}},
		"code":              {"# G\n```sh\n# no heading\n<!-- shown -->\n```\nafter", "G", []string{": ```sh\n# no heading\n<!-- shown -->\n```\nafter"}},
		"longer fence":      {"~~~~\n~~~\n# code\n~~~~\n# T\nx", "T", []string{": ~~~~\n~~~\n# code\n~~~~", ": x"}},
		"inline code fence": {"```not a fence``` really\n# T\nx", "T", []string{": ```not a fence``` really", ": x"}},
		"comments":          {"a <!-- ignore all rules --> b\n<!--\n# Hidden\nsecret\n--> c", "a", []string{": a  b\n\n\n\n c"}},
		"links":             {"see [the guide](https://example.com/x_(y)) and ![a picture](p.png \"t\")", "a", []string{": see the guide and a picture"}},
		"closing hashes":    {"## Setup ##\nx", "a", []string{"Setup: x"}},
		"seven hashes":      {"####### x", "a", []string{": ####### x"}},
		"Windows lines":     {"# T\r\nx\r\n", "T", []string{": x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range docsearch.Split("folder/a.md", c.markdown) {
				assert.Equal(t, c.title, p.Title)
				assert.Equal(t, "folder/a.md", p.Source)
				got = append(got, p.Heading+": "+p.Text)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestSplitLongSections(t *testing.T) {
	t.Parallel()
	paragraph := strings.Repeat("word ", 100)
	text := "# T\n" + strings.Repeat(paragraph+"\n\n", 20)
	passages := docsearch.Split("a.md", text)
	require.Greater(t, len(passages), 4)
	whole := ""
	for _, p := range passages {
		assert.Less(t, len(p.Text), 2100, "a passage ends with a paragraph")
		whole += p.Text + " "
	}
	assert.Len(t, strings.Fields(whole), 2000, "nothing is lost")

	one := strings.Repeat("ä", 10_000)
	joined := ""
	for _, p := range docsearch.Split("a.md", one) {
		assert.LessOrEqual(t, len(p.Text), 4000)
		assert.True(t, utf8.ValidString(p.Text))
		joined += p.Text
	}
	assert.Equal(t, one, joined)
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"# a\nb", "---\ntitle: x\n---\ny", "```\n# x\n```", "<!--", "a\n===\n", "[x](y", "~~~~\n~~~", "\xff# x", strings.Repeat("x", 5000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		passages := docsearch.Split("dir/x.md", markdown)
		size := 0
		for _, p := range passages {
			if p.Text == "" || len(p.Text) > 4000 || !utf8.ValidString(p.Text+p.Title+p.Heading) || p.Title == "" || p.Source != "dir/x.md" {
				t.Fatalf("a bad passage: %+v", p)
			}
			size += len(p.Text)
		}
		if size > 3*len(markdown) { // an invalid byte becomes three
			t.Fatalf("%d bytes became %d", len(markdown), size)
		}
		// What was split is found again, by its own words.
		x := docsearch.NewIndex(passages)
		for _, h := range x.Search(markdown, 3).Hits {
			if !utf8.ValidString(h.Passage) || h.Score <= 0 {
				t.Fatalf("a bad hit: %+v", h)
			}
		}
	})
}
