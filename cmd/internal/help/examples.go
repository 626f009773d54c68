package help

import (
	"embed"
	"strings"
)

// Each file has the examples of one group of commands, in sections:
//
//	[record list]
//	# Vendors by name
//	erphub record list C_BPartner --filter "IsVendor eq true" --orderby Name
//	see: record get, help output
//
// A comment begins an example, the lines below it belong to it. Lines that begin
// with % are for the test that runs the examples, see [Example].
//
//go:embed examples/*.txt
var files embed.FS

// Example is what somebody might type, and why.
type Example struct {
	About string
	Lines []string

	// For the test. Exit is the exit code, where it is not 0: "%exit 5". Skip is
	// why an example is not run: "%skip needs a Redis". Serves says that it serves
	// until it is stopped: "%serve".
	Exit   string
	Skip   string
	Serves bool
}

// Section is what a file says about a command.
type Section struct {
	Command  string // without the program: record list
	Examples []Example
	See      []string
	Setup    []string // lines that the test runs before: "%run mkdir x"
}

// Sections are those of a group, in their order.
func Sections(group string) []Section {
	text, err := files.ReadFile("examples/" + group + ".txt")
	if err != nil {
		return nil
	}
	return parse(string(text))
}

// sectionOf is what the file of its group says about the command at path. The
// program's own section has the program's name.
func sectionOf(path []string) Section {
	words := path[min(1, len(path)-1):]
	for _, s := range Sections(words[0]) {
		if s.Command == strings.Join(words, " ") {
			return s
		}
	}
	return Section{}
}

// parse reads a file.
func parse(text string) []Section {
	var all []Section
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			all = append(all, Section{Command: strings.Trim(line, "[]")})
		} else if len(all) > 0 && line != "" {
			all[len(all)-1].add(line)
		}
	}
	return all
}

// add reads a line of the section.
func (s *Section) add(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "#":
		s.Examples = append(s.Examples, Example{About: rest})
		return
	case "see:":
		for item := range strings.SplitSeq(rest, ",") {
			s.See = append(s.See, strings.TrimSpace(item))
		}
		return
	case "%run":
		s.Setup = append(s.Setup, rest)
		return
	}
	if len(s.Examples) == 0 {
		return
	}
	e := &s.Examples[len(s.Examples)-1]
	switch word {
	case "%exit":
		e.Exit = rest
	case "%skip":
		e.Skip = rest
	case "%serve":
		e.Serves = true
	default:
		e.Lines = append(e.Lines, line)
	}
}
