package help

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// All are the pages of the program and of the commands that it shows, the program's
// first.
func All(app *cli.App) []*Page {
	pages := []*Page{Of(app, nil)}
	var walk func(commands, above []*cli.Command)
	walk = func(commands, above []*cli.Command) {
		for _, c := range commands {
			if !c.Hidden {
				chain := append(above[:len(above):len(above)], c)
				pages = append(pages, Of(app, chain))
				walk(c.Subcommands, chain)
			}
		}
	}
	walk(app.Commands, nil)
	return pages
}

// ManName is the page's name as a manual page: erphub-record-list.
func (p *Page) ManName() string { return strings.Join(p.Path, "-") }

// WriteMan writes the page as a manual page of section 1.
func (p *Page) WriteMan(to io.Writer, version string) error {
	m := &manual{bufio.NewWriter(to)}
	m.macro("TH", strings.ToUpper(p.ManName()), "1", "", p.Path[0]+" "+version, p.Path[0]+" manual")
	m.macro("SH", "NAME")
	m.text(p.ManName() + ` \- ` + escape(p.Summary))
	m.macro("SH", "SYNOPSIS")
	m.macro("nf")
	for _, u := range p.Usage {
		m.text(escape(u))
	}
	m.macro("fi")
	if len(p.Description) > 0 {
		m.macro("SH", "DESCRIPTION")
		m.paragraphs(p.Description)
	}
	m.groups("COMMANDS", p.Commands)
	m.groups("FLAGS", p.Flags)
	if len(p.Examples) > 0 {
		m.macro("SH", "EXAMPLES")
		for i, e := range p.Examples {
			if i > 0 {
				m.macro("PP")
			}
			m.text(escape(e.About + ":"))
			m.macro("PP")
			m.lines(strings.Join(e.Lines, "\n"))
		}
	}
	if len(p.Path) > 1 {
		m.groups("OUTPUT", []Group{{Entries: p.Output}})
	}
	m.groups("GLOBAL FLAGS", []Group{{Entries: p.Global}})
	if topics := p.topicPages(); len(topics) > 0 {
		for _, t := range topics {
			m.macro("SH", strings.ToUpper(t.Path[len(t.Path)-1]))
			m.paragraphs(t.Description)
		}
	}
	if len(p.SeeAlso) > 0 {
		m.macro("SH", "SEE ALSO")
		var see []string
		for _, s := range p.SeeAlso {
			see = append(see, manReference(s))
		}
		m.text(strings.Join(see, ",\n"))
	}
	return m.Flush()
}

// manReference is a page of help as a manual page. Topics are in the program's.
func manReference(s string) string {
	words := strings.Fields(strings.TrimSuffix(s, " --help"))
	if len(words) > 1 && words[1] == "help" {
		words = words[:1]
	}
	return `\fB` + escape(strings.Join(words, "-")) + `\fR(1)`
}

// topicPages are the topics that the page names, whole.
func (p *Page) topicPages() []*Page {
	var pages []*Page
	for _, t := range p.Topics {
		if page, ok := Topic([]string{t.Name}); ok {
			pages = append(pages, page)
		}
	}
	return pages
}

// manual writes requests of the macro package man.
type manual struct{ *bufio.Writer }

func (m *manual) macro(name string, arguments ...string) {
	m.WriteString("." + name)
	for _, a := range arguments {
		fmt.Fprintf(m, ` "%s"`, strings.ReplaceAll(escape(a), `"`, `\(dq`))
	}
	m.WriteByte('\n')
}

// text writes a line that is escaped already.
func (m *manual) text(line string) { m.WriteString(line + "\n") }

// lines writes lines as they are, indented.
func (m *manual) lines(text string) {
	m.macro("RS", "4")
	m.macro("nf")
	for line := range strings.SplitSeq(text, "\n") {
		m.text(escape(line))
	}
	m.macro("fi")
	m.macro("RE")
}

func (m *manual) paragraphs(all []Paragraph) {
	for i, p := range all {
		if i > 0 {
			m.macro("PP")
		}
		if p.Fast {
			m.lines(p.Text)
		} else {
			m.text(escape(p.Text))
		}
	}
}

func (m *manual) groups(title string, groups []Group) {
	begun := false
	for _, g := range groups {
		if len(g.Entries) == 0 {
			continue
		}
		if !begun {
			m.macro("SH", title)
			begun = true
		}
		if g.Title != "" {
			m.macro("SS", g.Title)
		}
		for _, e := range g.Entries {
			m.macro("TP")
			m.text(`\fB` + escape(e.Name) + `\fR`)
			m.text(escape(e.Text))
		}
	}
}

// escape is text that the formatter prints as it is.
func escape(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "\t", "    ").Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}
