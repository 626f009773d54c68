package migration

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/dict"
)

// Part is a statement of a script's text.
type Part struct {
	Text string // without terminator and without comments around it
	Line int    // where it begins, from 1
	// Terminated reports whether a terminator follows; without one it is the last
	// part, and there may be more to come.
	Terminated bool
}

// SplitError is a text that cannot be taken apart.
type SplitError struct {
	Line int // where what is not closed begins
	What string
}

// Error says where and why.
func (e *SplitError) Error() string {
	return fmt.Sprintf("line %d of the script: %s", e.Line, e.What)
}

// Split takes a script apart into its statements. It knows what a semicolon does
// not end: literals, quoted names, comments, dollar quotes, brackets and
// function bodies of PostgreSQL; and on Oracle blocks, which end at a line with
// nothing but a slash. Settings of SQL*Plus (SET DEFINE OFF) are left out. The
// error is a [*SplitError].
func Split(script string, dialect dict.Dialect) ([]Part, error) {
	if !utf8.ValidString(script) {
		return nil, errors.New("the script is not valid UTF-8")
	}
	if i := strings.IndexByte(script, 0); i >= 0 {
		return nil, &SplitError{1 + strings.Count(script[:i], "\n"), "it contains a zero byte"}
	}
	s := &splitter{text: strings.TrimPrefix(script, "\ufeff"), oracle: dialect == dict.Oracle}
	s.reset(0)
	for s.at < len(s.text) {
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	s.end(s.at, false)
	return s.parts, nil
}

type splitter struct {
	text    string
	oracle  bool
	at      int
	parts   []Part
	lines   int // before counted
	counted int

	begin    int // of the statement; -1: not begun
	last     int // behind the last thing that is not blank or comment
	brackets int
	words    []string // the first words, in capitals
	depth    int      // of BEGIN ATOMIC … END on PostgreSQL
}

func (s *splitter) reset(at int) {
	s.begin, s.last, s.brackets, s.words, s.depth = -1, at, 0, nil, 0
}

// line is the number of the line at a place. Places only go forward, so that
// counting the lines of a long script takes one pass.
func (s *splitter) line(at int) int {
	s.lines += strings.Count(s.text[s.counted:max(s.counted, at)], "\n")
	s.counted = max(s.counted, at)
	return 1 + s.lines
}

func (s *splitter) next() error {
	rest := s.text[s.at:]
	c := rest[0]
	switch {
	case strings.IndexByte(" \t\n\r\f\v", c) >= 0:
		s.at++
		return nil
	case strings.HasPrefix(rest, "--"):
		s.at += lineLength(rest)
		return nil
	case strings.HasPrefix(rest, "/*"):
		return s.comment()
	}
	if s.oracle && s.lineStart() {
		if line := strings.TrimSpace(rest[:lineLength(rest)]); line == "/" {
			s.end(s.last, true)
			s.at += lineLength(rest)
			s.reset(s.at)
			return nil
		} else if s.begin < 0 && setting(line) {
			s.at += lineLength(rest)
			return nil
		}
	}
	if c == ';' && s.terminates() {
		s.end(s.last, true)
		s.at++
		s.reset(s.at)
		return nil
	}
	if s.begin < 0 {
		if c == '\\' && !s.oracle {
			return &SplitError{s.line(s.at), "commands of psql (" + firstWord(rest) + ") cannot be applied here; run the script with psql"}
		}
		s.begin = s.at
	}
	err := s.token(c, rest)
	s.last = s.at
	return err
}

// terminates reports whether a semicolon ends the statement here.
func (s *splitter) terminates() bool {
	if s.oracle {
		return !s.block()
	}
	return s.brackets == 0 && s.depth == 0
}

// token steps over one literal, name, bracket or other character.
func (s *splitter) token(c byte, rest string) error {
	switch {
	case c == '\'':
		return s.literal(0, false)
	case c == '"':
		return s.closed(1, `"`, "a quoted name that is not closed")
	case letter(rest):
		return s.word(rest)
	case c == '$' && !s.oracle:
		if tag := dollarTag(rest); tag != "" {
			return s.closed(len(tag), tag, "a text in "+tag+" that is not closed")
		}
	case c == '(':
		s.brackets++
	case c == ')':
		s.brackets = max(0, s.brackets-1)
	}
	_, size := utf8.DecodeRuneInString(rest)
	s.at += size
	return nil
}

// word steps over a word, and over the literal that E, N, Q and so on begin.
func (s *splitter) word(rest string) error {
	n := wordLength(rest)
	word := strings.ToUpper(rest[:n])
	if n < len(rest) && rest[n] == '\'' {
		switch {
		case !s.oracle && word == "E":
			return s.literal(n, true)
		case s.oracle && (word == "Q" || word == "NQ"):
			return s.alternative(n + 1)
		}
	}
	s.at += n
	if len(s.words) < 6 {
		s.words = append(s.words, word)
	}
	if !s.oracle {
		s.nest(word)
	}
	return nil
}

// nest counts the blocks of a function body in standard SQL: CREATE FUNCTION …
// BEGIN ATOMIC … END.
func (s *splitter) nest(word string) {
	switch {
	case word == "BEGIN" && s.depth == 0 && s.routine() && nextWord(s.text[s.at:]) == "ATOMIC":
		s.depth = 1
	case s.depth > 0 && word == "CASE":
		s.depth++
	case s.depth > 0 && word == "END":
		s.depth--
	}
}

// routine reports whether the statement makes a function or procedure.
func (s *splitter) routine() bool { return s.creates("FUNCTION", "PROCEDURE") }

// creates reports whether the statement is CREATE, with what may stand in
// between, of one of the kinds.
func (s *splitter) creates(kinds ...string) bool {
	if len(s.words) == 0 || s.words[0] != "CREATE" {
		return false
	}
	for _, word := range s.words[1:] {
		switch word {
		case "OR", "REPLACE", "EDITIONABLE", "NONEDITIONABLE", "AND", "COMPILE", "RESOLVE":
			continue
		}
		for _, kind := range kinds {
			if word == kind {
				return true
			}
		}
		return false
	}
	return false
}

// block reports whether the statement is a block of Oracle's language, in which
// a semicolon ends nothing.
func (s *splitter) block() bool {
	if len(s.words) == 0 {
		return false
	}
	return s.words[0] == "DECLARE" || s.words[0] == "BEGIN" || s.creates("FUNCTION", "PROCEDURE", "PACKAGE", "TRIGGER", "TYPE", "LIBRARY", "JAVA")
}

// literal steps over a literal that begins behind skip characters; with escapes
// a backslash takes the next character with it.
func (s *splitter) literal(skip int, escapes bool) error {
	start := s.at
	for i := s.at + skip + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			if escapes {
				i++
			}
		case '\'':
			if i+1 < len(s.text) && s.text[i+1] == '\'' {
				i++
				continue
			}
			s.at = i + 1
			return nil
		}
	}
	return &SplitError{s.line(start), "a text that is not closed"}
}

// alternative steps over a literal of Oracle with a bracket of its own choice:
// q'[it's]'.
func (s *splitter) alternative(skip int) error {
	open, size := utf8.DecodeRuneInString(s.text[s.at+skip:])
	ends := map[rune]string{'[': "]", '(': ")", '{': "}", '<': ">"}
	end, ok := ends[open]
	if !ok {
		end = string(open)
	}
	return s.closed(skip+size, end+"'", "a text that is not closed")
}

// closed steps over everything up to the end.
func (s *splitter) closed(skip int, end, problem string) error {
	i := -1
	if s.at+skip <= len(s.text) {
		i = strings.Index(s.text[s.at+skip:], end)
	}
	if i < 0 {
		return &SplitError{s.line(s.at), problem}
	}
	s.at += skip + i + len(end)
	return nil
}

// comment steps over a comment, which PostgreSQL lets contain others.
func (s *splitter) comment() error {
	start, depth := s.at, 0
	for s.at < len(s.text) {
		switch {
		case strings.HasPrefix(s.text[s.at:], "/*") && (depth == 0 || !s.oracle):
			depth++
			s.at += 2
		case strings.HasPrefix(s.text[s.at:], "*/"):
			depth--
			s.at += 2
			if depth == 0 {
				return nil
			}
		default:
			s.at++
		}
	}
	return &SplitError{s.line(start), "a comment that is not closed"}
}

// end takes the statement that was begun.
func (s *splitter) end(at int, terminated bool) {
	if s.begin < 0 {
		return
	}
	s.parts = append(s.parts, Part{Text: s.text[s.begin:min(at, s.last)], Line: s.line(s.begin), Terminated: terminated})
}

// lineStart reports whether nothing but blanks is before this place in its line.
func (s *splitter) lineStart() bool {
	for i := s.at - 1; i >= 0; i-- {
		switch s.text[i] {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return true
}

// setting reports whether a line is for SQL*Plus and not for the database.
func setting(line string) bool {
	words := strings.Fields(strings.ToUpper(strings.TrimRight(line, ";")))
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "SET":
		return len(words) > 1 && words[1] != "ROLE" && words[1] != "TRANSACTION" && words[1] != "CONSTRAINT" && words[1] != "CONSTRAINTS"
	case "PROMPT", "REM", "REMARK", "WHENEVER", "SPOOL", "EXIT", "QUIT", "SHOW":
		return true
	}
	return false
}

func lineLength(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

func letter(s string) bool {
	c := s[0]
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

// wordLength is how long the word is that the text begins with.
func wordLength(s string) int {
	for i := range len(s) {
		if !letter(s[i:]) && (s[i] < '0' || s[i] > '9') && s[i] != '$' && s[i] != '#' {
			return i
		}
	}
	return len(s)
}

func nextWord(s string) string {
	s = strings.TrimLeft(s, " \t\r\n")
	if s == "" || !letter(s) {
		return ""
	}
	return strings.ToUpper(s[:wordLength(s)])
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s[:lineLength(s)], " ")
	return word
}

// dollarTag is the tag that opens a dollar quote: $$ or $name$; empty for none.
func dollarTag(s string) string {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '$':
			return s[:i+1]
		case letter(s[i:]), i > 1 && c >= '0' && c <= '9':
		default:
			return ""
		}
	}
	return ""
}
