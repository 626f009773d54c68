// Package sqlshell is a shell for governed SQL: statements over several lines,
// commands of psql that make sense there, completion.
package sqlshell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/migration"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/text"
)

// Lines is where statements come from.
type Lines interface {
	// Line reads a line. io.EOF is the end, [ErrAborted] a line that was given up.
	Line(prompt string) (string, error)
	// Remember adds a statement to the history.
	Remember(statement string)
}

// ErrAborted is a line that the person gave up, with Ctrl-C.
var ErrAborted = errors.New("the line was given up")

// ErrFailed is a statement that failed. The failure was printed.
var ErrFailed = errors.New("a statement failed")

// View is how results are shown.
type View struct {
	Format   string // one of the formats of Options.Formats
	Expanded bool   // a line for each column
	Path     string // the file that results go to; "": standard output
}

// Options make a shell.
type Options struct {
	Client *aiclient.Client
	Lines  Lines
	Out    io.Writer // texts of the shell and what it lists
	Err    io.Writer // notes and errors
	// Print shows a result.
	Print func(*api.Result, View) error
	// Plan shows how a statement would be run.
	Plan func(*api.Explanation) error
	// Point makes the message of an error, with the place in the statement.
	Point func(err error, statement string) error
	// List shows rows under headings.
	List func(headings []string, rows [][]string)
	// Formats are the names of the formats that Print knows; the first is usual.
	Formats []string
	// Tables lists the tables of the dictionary.
	Tables func(context.Context) ([]Table, error)
	// Part makes a context for what a line does, which an interrupt ends.
	Part func(context.Context) (context.Context, func())
	// Edit lets the person edit a text in an editor.
	Edit func(context.Context, string) (string, error)
	// MaxRows bounds the rows of a result; 0: as the service does.
	MaxRows int
}

// Table is a table that statements may name.
type Table struct{ Name, Label string }

// Shell runs statements and commands.
type Shell struct {
	Options
	client *aiclient.Client
	view   View
	timing bool
	buffer string // a statement that is not complete
	last   string // the last statement that was run
	params []any  // for the next statement
	names  names
	script bool // the lines are of a file: the first failure ends it
	depth  int  // how many files include this one
	ended  bool // no more lines
}

// New is a shell that has not begun.
func New(o Options) *Shell {
	s := &Shell{Options: o, client: o.Client, view: View{Format: o.Formats[0]}}
	s.names.tables, s.names.columns = nil, map[string][]api.ColumnMetadata{}
	return s
}

// errQuit ends the shell.
var errQuit = errors.New("quit")

// Run reads and runs until the end of the lines, \q, or the end of ctx.
func (s *Shell) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := s.next(ctx); errors.Is(err, errQuit) {
			return nil
		} else if err != nil || s.ended {
			return err
		}
	}
	return context.Cause(ctx)
}

// next reads a line and does what it says. An interrupt is for that alone, from
// before the terminal sends one.
func (s *Shell) next(ctx context.Context) error {
	part, stop := s.Part(ctx)
	defer stop()
	line, err := s.Lines.Line(s.prompt())
	switch {
	case errors.Is(err, ErrAborted):
		s.buffer = ""
		return nil
	case errors.Is(err, io.EOF):
		s.ended = true
		return s.end(part)
	case err != nil:
		return err
	}
	if err = s.take(part, line); errors.Is(err, ErrFailed) && !s.script {
		return nil
	}
	return err
}

// end is what is left when the lines end.
func (s *Shell) end(ctx context.Context) error {
	if !s.script {
		fmt.Fprintln(s.Out)
		return nil
	}
	if strings.TrimSpace(s.buffer) != "" { // the last statement needs no semicolon
		return s.run(ctx, s.buffer)
	}
	return nil
}

// prompt says where the person is: in a new statement, or in the middle of one.
func (s *Shell) prompt() string {
	role := "erp"
	if id, ok := s.client.Role(); ok {
		role = fmt.Sprintf("erp:%d", id)
	}
	if s.buffer != "" {
		return role + "-> "
	}
	return role + "=> "
}

// take adds a line to the statement, and runs what is complete.
func (s *Shell) take(ctx context.Context, line string) error {
	if s.buffer == "" {
		if done, err := s.takeWord(ctx, strings.TrimSpace(line)); done {
			return err
		}
	}
	if at := s.commandBehind(line); at >= 0 { // SELECT …; \d
		if err := s.take(ctx, line[:at]); err != nil && s.ends(ctx, err) {
			return err
		}
		return s.take(ctx, line[at:])
	}
	if at := s.commandAtEnd(line); at >= 0 { // SELECT … \gx
		s.buffer += line[:at]
		return s.command(ctx, line[at:])
	}
	s.buffer += line + "\n"
	parts, err := migration.Split(s.buffer, dict.PostgreSQL)
	var open *migration.SplitError
	switch {
	case errors.As(err, &open):
		return nil // a text or a comment that goes on
	case err != nil:
		s.buffer = ""
		return s.failure(err, "")
	}
	s.buffer = ""
	var failed error
	for _, part := range parts {
		if !part.Terminated {
			s.buffer = part.Text + "\n"
			break
		}
		if err := s.run(ctx, part.Text); err != nil {
			if s.ends(ctx, err) {
				return err
			}
			failed = err
		}
	}
	return failed
}

// takeWord does what a line asks for that is not a part of a statement. false: it is one.
func (s *Shell) takeWord(ctx context.Context, word string) (bool, error) {
	switch strings.ToLower(strings.TrimSuffix(word, ";")) {
	case "":
		return true, nil
	case "quit", "exit":
		return true, errQuit
	case "help":
		word = `\?`
	}
	if !strings.HasPrefix(word, `\`) {
		return false, nil
	}
	if !s.script {
		s.Lines.Remember(word)
	}
	return true, s.command(ctx, word)
}

// ends reports whether the error of a statement ends what follows it, too.
func (s *Shell) ends(ctx context.Context, err error) bool {
	return !errors.Is(err, ErrFailed) || s.script || ctx.Err() != nil
}

// atEnd finds a command that follows a statement in its line.
var atEnd = lazyregexp.New(`(?:^|\s)(\\(?:g(?:\s+\S+)?|gx|p|r|e|q))\s*$`)

// nextCommand finds a command that follows the end of a statement.
var nextCommand = lazyregexp.New(`;\s*\\`)

// commandBehind is where a command begins behind a statement of its line, -1 for
// none.
func (s *Shell) commandBehind(line string) int {
	for _, m := range nextCommand().FindAllStringIndex(line, -1) {
		var open *migration.SplitError
		if _, err := migration.Split(s.buffer+line[:m[0]+1], dict.PostgreSQL); !errors.As(err, &open) {
			return m[1] - 1
		}
	}
	return -1
}

// commandAtEnd is where a command begins at the end of a line, -1 for none: what
// is within a text is a part of it.
func (s *Shell) commandAtEnd(line string) int {
	m := atEnd().FindStringSubmatchIndex(line)
	if m == nil {
		return -1
	}
	var open *migration.SplitError
	if _, err := migration.Split(s.buffer+line[:m[2]], dict.PostgreSQL); errors.As(err, &open) {
		return -1
	}
	return m[2]
}

// run runs a statement and shows what comes of it.
func (s *Shell) run(ctx context.Context, statement string) error {
	statement = strings.TrimSpace(statement)
	if !s.script {
		s.Lines.Remember(oneLine(statement) + ";")
	}
	s.last = statement
	q := aiclient.Query{SQL: statement, MaxRows: s.MaxRows, Params: s.params}
	s.params = nil
	begun := time.Now()
	if word, rest, ok := strings.Cut(statement, " "); ok && strings.EqualFold(word, "explain") {
		q.SQL = rest
		plan, err := s.client.Explain(ctx, q)
		if err != nil {
			return s.statementFailed(ctx, err, rest)
		}
		return s.Plan(plan)
	}
	result, err := s.client.Query(ctx, q)
	took := time.Since(begun)
	if err != nil {
		return s.statementFailed(ctx, err, statement)
	}
	if err := s.Print(result, s.view); err != nil {
		return err
	}
	if s.timing {
		fmt.Fprintf(s.Out, "Time: %s (server: %d ms)\n", took.Round(time.Millisecond/10), result.ExecutionTimeMs)
	}
	return nil
}

func (s *Shell) statementFailed(ctx context.Context, err error, statement string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return s.failure(errors.New("the statement was interrupted"), "")
	}
	return s.failure(err, statement)
}

// failure prints an error. The shell goes on.
func (s *Shell) failure(err error, statement string) error {
	if statement != "" {
		err = s.Point(err, statement)
	}
	fmt.Fprintf(s.Err, "%s\n", text.Printable(err.Error()))
	return fmt.Errorf("%w: %w", ErrFailed, err)
}

// note tells something that is not a result.
func (s *Shell) note(format string, args ...any) {
	fmt.Fprintln(s.Out, text.Printable(fmt.Sprintf(format, args...)))
}

// oneLine is a statement for the history.
func oneLine(statement string) string {
	if strings.Contains(statement, "--") { // the comment would swallow the rest
		return statement
	}
	return strings.Join(strings.Fields(statement), " ")
}
