// Package help describes a program and its commands: as a page on a terminal, as
// manual pages and as one Markdown document, all of the same [Page].
package help

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Page is what there is to say about a program or one of its commands.
type Page struct {
	Path        []string // the program and the words of the command
	Summary     string   // one line, without a period
	Usage       []string // one line per form
	Description []Paragraph
	Commands    []Group // of commands, for a program or a command that has some
	Flags       []Group
	Output      []Entry // flags about how a result is printed; those of all commands, for a program
	Global      []Entry // flags that every command takes
	Topics      []Entry // of help, for a program
	Examples    []Example
	SeeAlso     []string // commands and topics as they are called
}

// Paragraph is text to fill, or lines to leave as they are.
type Paragraph struct {
	Text string
	Fast bool // keep the line breaks
}

// Group is a list under a title, which may be empty.
type Group struct {
	Title   string
	Entries []Entry
}

// Entry is a command or a flag with what it is for.
type Entry struct{ Name, Text string }

// Short is the page of a program with what one needs to begin.
func (p *Page) Short() *Page {
	return &Page{Path: p.Path, Summary: p.Summary, Usage: p.Usage, Commands: p.Commands, Examples: p.Examples, SeeAlso: []string{p.Name() + " --help, for flags and topics"}}
}

// Name is the command as it is called.
func (p *Page) Name() string { return strings.Join(p.Path, " ") }

// Find is the command that words name, from the program downwards, and the words
// after it. A nil chain is the program itself.
func Find(app *cli.App, words []string) (chain []*cli.Command, rest []string) {
	commands := app.Commands
	for i, word := range words {
		next := Command(commands, word)
		if next == nil {
			return chain, words[i:]
		}
		chain, commands = append(chain, next), next.Subcommands
	}
	return chain, nil
}

// Command is the command of that name or alias, or nil.
func Command(commands []*cli.Command, name string) *cli.Command {
	i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(name) })
	if i < 0 {
		return nil
	}
	return commands[i]
}

// Of is the page of a command, which chain leads to, or of the program.
func Of(app *cli.App, chain []*cli.Command) *Page {
	p := &Page{Path: []string{app.Name}, Summary: app.Usage, Description: paragraphs(app.Description)}
	commands := app.Commands
	for _, c := range chain {
		p.Path = append(p.Path, c.Name)
	}
	if len(chain) == 0 {
		p.Usage = []string{app.Name + " COMMAND [ARGUMENTS] [FLAGS]"}
		p.Flags, p.Output = flagGroups(app.Flags), outputOf(commands)
		if len(commandGroups(commands)) == 0 {
			p.Usage = []string{app.Name + " [FLAGS]"}
		}
		p.Topics = Topics()
	} else {
		c := chain[len(chain)-1]
		p.Summary, p.Description = c.Usage, paragraphs(c.Description)
		commands = c.Subcommands
		p.Flags, p.Output = flagGroups(c.Flags), outputEntries(c.Flags)
		p.Usage = usageLines(p.Name(), c.UsageText, c.ArgsUsage, len(c.Flags) > 0, len(commands) > 0)
		p.Global = flagEntries(app.Flags)
	}
	p.Commands = commandGroups(commands)
	s := sectionOf(p.Path)
	p.Examples = s.Examples
	p.SeeAlso = seeAlso(p.Path, s.See)
	return p
}

// usageLines are the forms of a command.
func usageLines(name, given, arguments string, flags, commands bool) []string {
	if given != "" {
		var lines []string
		for line := range strings.Lines(given) {
			lines = append(lines, name+" "+strings.TrimSpace(line))
		}
		return lines
	}
	own := name
	if arguments != "" {
		own += " " + arguments
	}
	if flags {
		own += " [FLAGS]"
	}
	if !commands {
		return []string{own}
	}
	lines := []string{name + " COMMAND"}
	if own != name {
		lines = append([]string{own}, lines...)
	}
	return lines
}

// commandGroups are the commands that are not hidden, by their categories in the
// order in which these appear.
func commandGroups(commands []*cli.Command) []Group {
	var groups []Group
	for _, c := range commands {
		if c.Hidden {
			continue
		}
		groups = addTo(groups, c.Category, Entry{c.Name, c.Usage})
	}
	return groups
}

// addTo adds an entry to the group of that title, which may be new.
func addTo(groups []Group, title string, e Entry) []Group {
	i := slices.IndexFunc(groups, func(g Group) bool { return g.Title == title })
	if i < 0 {
		i, groups = len(groups), append(groups, Group{Title: title})
	}
	groups[i].Entries = append(groups[i].Entries, e)
	return groups
}

// seeAlso names the pages to go on with: those that the examples file names, then
// the command above. A topic is written as "help exit-codes".
func seeAlso(path, more []string) []string {
	var see []string
	for _, m := range more {
		if !strings.HasPrefix(m, "help ") {
			m += " --help"
		}
		see = append(see, path[0]+" "+m)
	}
	if len(path) > 2 {
		see = append(see, strings.Join(path[:len(path)-1], " ")+" --help")
	}
	return see
}

// paragraphs reads a description: what stands between empty lines is filled,
// unless it is indented.
func paragraphs(text string) []Paragraph {
	var all []Paragraph
	for part := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		if strings.HasPrefix(part, "  ") {
			all = append(all, Paragraph{Text: strings.TrimRight(unindent(part), "\n "), Fast: true})
			continue
		}
		all = append(all, Paragraph{Text: strings.Join(strings.Fields(part), " ")})
	}
	return all
}

// unindent removes the indentation of the first line from all lines.
func unindent(text string) string {
	indent := len(text) - len(strings.TrimLeft(text, " "))
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, line[min(indent, len(line)-len(strings.TrimLeft(line, " "))):])
	}
	return strings.Join(lines, "\n")
}
