package help

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// WriteMarkdown writes pages as one document for the web: the first is the
// program's, whose flags are those that every command takes.
func WriteMarkdown(to io.Writer, pages []*Page) error {
	w := bufio.NewWriter(to)
	line := func(parts ...string) { w.WriteString(strings.Join(parts, "") + "\n") }
	for i, p := range pages {
		if i == 0 {
			line("# Commands of ", p.Name())
			line("\nThis page is made from the help of the program: `", p.Name(), " COMMAND --help` shows the same.")
		} else {
			line("\n", strings.Repeat("#", min(len(p.Path), 4)), " ", p.Name())
			line("\n", markdown(text.Sentence(p.Summary)))
		}
		line("\n```text")
		for _, u := range p.Usage {
			line(u)
		}
		line("```")
		markdownParagraphs(line, p.Description)
		table(line, "command", p.Commands)
		flags := p.Flags
		if i == 0 && len(p.Output) > 0 {
			flags = append(slices.Clone(flags), Group{Title: "Of every command that prints data", Entries: p.Output})
		}
		table(line, "flag", flags)
		if i > 0 && len(p.Output) > 0 {
			line("\nPrints data: ", outputNames(p.Output), " (see [output](#output)).")
		}
		if len(p.Examples) > 0 {
			line("\n```text")
			for _, e := range p.Examples {
				line("# ", e.About)
				for _, l := range e.Lines {
					line(l)
				}
			}
			line("```")
		}
		for _, t := range p.topicPages() {
			line("\n## ", t.Path[len(t.Path)-1])
			markdownParagraphs(line, t.Description)
		}
	}
	return w.Flush()
}

func markdownParagraphs(line func(...string), all []Paragraph) {
	for _, d := range all {
		if d.Fast {
			line("\n```text\n", d.Text, "\n```")
		} else {
			line("\n", markdown(d.Text))
		}
	}
}

// outputNames are flags about the output in one line.
func outputNames(entries []Entry) string {
	var names []string
	for _, e := range entries {
		_, name, _ := strings.Cut(e.Name, "--")
		name, _, _ = strings.Cut(name, " ")
		names = append(names, "`--"+name+"`")
	}
	return strings.Join(names, ", ")
}

func table(line func(...string), what string, groups []Group) {
	if len(groups) == 0 {
		return
	}
	line("\n| ", what, " | |")
	line("|---|---|")
	for _, g := range groups {
		if g.Title != "" {
			line("| **", g.Title, "** | |")
		}
		for _, e := range g.Entries {
			line("| `", strings.ReplaceAll(e.Name, "|", `\|`), "` | ", strings.ReplaceAll(markdown(e.Text), "|", `\|`), " |")
		}
	}
}

// markdown is text in which what would be markup stays text, outside of code.
func markdown(s string) string {
	parts := strings.Split(s, "`")
	for i := range parts {
		if i%2 == 0 {
			parts[i] = strings.NewReplacer("*", `\*`, "<", "&lt;", "[", `\[`).Replace(parts[i])
		}
	}
	return strings.Join(parts, "`")
}
