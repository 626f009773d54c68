package sqlshell

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/nearest"
)

// command is a command of the shell.
type command struct {
	name, args, about string
	run               func(s *Shell, ctx context.Context, args string) error
}

// commands are all there are, in the order of help.
func commands() []command {
	return []command{
		{`\q`, "", "leave", func(*Shell, context.Context, string) error { return errQuit }},
		{`\?`, "", "list these commands", (*Shell).help},
		{`\d`, "[TABLE]", "describe a table; without one, list the tables (a pattern such as C_Order* works, too)", (*Shell).describe},
		{`\dt`, "[PATTERN]", "list the tables whose names or labels match", (*Shell).listTables},
		{`\x`, "[on|off]", "show a line per column", (*Shell).expanded},
		{`\format`, "[NAME]", "show results as table, csv, json and others", (*Shell).format},
		{`\limit`, "[N]", "how many rows to request; 0 is the service's own number", (*Shell).limit},
		{`\timing`, "[on|off]", "show how long statements take", (*Shell).setTiming},
		{`\o`, "[FILE]", "write results to a file, as its name says (.csv, .json, ...); without one, show them again", (*Shell).output},
		{`\g`, "[FILE]", "run the statement, or the last one again; its result goes to the file", (*Shell).again},
		{`\gx`, "", "run the statement with a line per column", (*Shell).againExpanded},
		{`\bind`, "VALUE...", "values for $1, $2, ... of the next statement: text, or JSON behind :=", (*Shell).bind},
		{`\explain`, "[SELECT ...]", "show what a statement reads and returns; without one, the last", (*Shell).explain},
		{`\role`, "[ID|NAME]", "query with another of your roles; without one, list them", (*Shell).role},
		{`\e`, "", "edit the statement, or the last one, in your editor ($EDITOR)", (*Shell).edit},
		{`\i`, "FILE", "run the statements of a file", (*Shell).include},
		{`\p`, "", "show the statement typed so far, or the last one", (*Shell).printBuffer},
		{`\r`, "", "forget the statement typed so far", (*Shell).reset},
	}
}

// command runs a line that begins with a backslash.
func (s *Shell) command(ctx context.Context, line string) error {
	line = strings.TrimSuffix(strings.TrimSpace(line), ";")
	word, args, _ := strings.Cut(line, " ")
	args = strings.TrimSpace(args)
	all := commands()
	switch word { // spellings of psql
	case `\h`:
		word = `\?`
	case `\pset`:
		word = `\format`
		args = strings.TrimSpace(strings.TrimPrefix(args, "format"))
	case `\d+`, `\dv`:
		word = `\d`
	case `\quit`:
		word = `\q`
	}
	i := slices.IndexFunc(all, func(c command) bool { return c.name == word })
	if i < 0 {
		names := make([]string, len(all))
		for i, c := range all {
			names[i] = c.name
		}
		hint := ""
		if near := nearest.Name(word, names); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		return s.failure(fmt.Errorf(`there is no command %s%s (\? lists them)`, word, hint), "")
	}
	c := all[i]
	if args != "" && c.args == "" {
		return s.failure(fmt.Errorf("%s takes nothing behind it", c.name), "")
	}
	err := c.run(s, ctx, args)
	if err == nil || errors.Is(err, errQuit) || errors.Is(err, ErrFailed) || ctx.Err() != nil {
		return err
	}
	return s.failure(err, "")
}

func (s *Shell) help(context.Context, string) error {
	for _, c := range commands() {
		fmt.Fprintf(s.Out, "  %-24s %s\n", c.name+" "+c.args, c.about)
	}
	fmt.Fprintln(s.Out, "\nStatements are SELECTs and end with a semicolon. Tab completes tables and columns, Ctrl-R searches the history,\nCtrl-C gives a line or a running statement up, Ctrl-D leaves.")
	return nil
}

// onOff reads a switch: on, off, or nothing for the other of the two.
func onOff(args string, now bool) (bool, error) {
	switch strings.ToLower(args) {
	case "":
		return !now, nil
	case "on", "true", "1":
		return true, nil
	case "off", "false", "0":
		return false, nil
	}
	return now, fmt.Errorf("%q is neither on nor off", args)
}

func (s *Shell) expanded(_ context.Context, args string) (err error) {
	if s.view.Expanded, err = onOff(args, s.view.Expanded); err == nil {
		s.note("Expanded display is %s.", onWord(s.view.Expanded))
	}
	return err
}

func (s *Shell) setTiming(_ context.Context, args string) (err error) {
	if s.timing, err = onOff(args, s.timing); err == nil {
		s.note("Timing is %s.", onWord(s.timing))
	}
	return err
}

func onWord(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func (s *Shell) format(_ context.Context, args string) error {
	if args == "" {
		s.note("Results are shown as %s; possible: %s.", s.view.Format, strings.Join(s.Formats, ", "))
		return nil
	}
	name := strings.ToLower(args)
	if !slices.Contains(s.Formats, name) {
		return fmt.Errorf("there is no format %q: %s", args, strings.Join(s.Formats, ", "))
	}
	s.view.Format = name
	s.note("Results are shown as %s.", name)
	return nil
}

func (s *Shell) limit(_ context.Context, args string) error {
	if args != "" {
		n, err := strconv.Atoi(args)
		if err != nil || n < 0 || n > 1000 {
			return fmt.Errorf("%q is not a number of rows: 0 to 1000", args)
		}
		s.MaxRows = n
	}
	if s.MaxRows == 0 {
		s.note("The service chooses how many rows it returns (100).")
		return nil
	}
	s.note("At most %d rows are requested.", s.MaxRows)
	return nil
}

func (s *Shell) output(_ context.Context, args string) error {
	s.view.Path = args
	if args == "" {
		s.note("Results are shown.")
		return nil
	}
	s.note("Each result replaces %s.", args)
	return nil
}

// pending is the statement that a command is about: what is typed, else the last
// one.
func (s *Shell) pending() (string, error) {
	statement := strings.TrimSpace(s.buffer)
	s.buffer = ""
	statement = cmp.Or(statement, s.last)
	if statement == "" {
		return "", errors.New("there is no statement yet")
	}
	return statement, nil
}

func (s *Shell) again(ctx context.Context, args string) error {
	statement, err := s.pending()
	if err != nil {
		return err
	}
	if args != "" {
		before := s.view.Path
		defer func() { s.view.Path = before }()
		s.view.Path = args
	}
	return s.run(ctx, statement)
}

func (s *Shell) againExpanded(ctx context.Context, _ string) error {
	before := s.view.Expanded
	defer func() { s.view.Expanded = before }()
	s.view.Expanded = true
	return s.again(ctx, "")
}

func (s *Shell) bind(_ context.Context, args string) error {
	values, err := words(args)
	if err != nil {
		return err
	}
	if len(values) == 0 {
		return errors.New(`\bind takes values, such as \bind 2026-01-01 :=7`)
	}
	s.params = nil
	for i, v := range values {
		raw, isJSON := strings.CutPrefix(v, ":=")
		switch {
		case !isJSON:
			s.params = append(s.params, v)
		case !json.Valid([]byte(raw)):
			s.params = nil
			return fmt.Errorf("the value for $%d, behind :=, is not JSON", i+1)
		default:
			s.params = append(s.params, json.RawMessage(raw))
		}
	}
	return nil
}

// words takes a line apart at its blanks. Single and double quotes hold a word
// together.
func words(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	var quote rune
	begun := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote (%c) is not closed", quote)
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}

func (s *Shell) explain(ctx context.Context, args string) error {
	if args == "" {
		var err error
		if args, err = s.pending(); err != nil {
			return err
		}
	}
	if word, _, _ := strings.Cut(args, " "); !strings.EqualFold(word, "explain") {
		args = "EXPLAIN " + args
	}
	return s.run(ctx, args)
}

func (s *Shell) role(ctx context.Context, args string) error {
	roles, err := s.client.Roles(ctx)
	if err != nil {
		return err
	}
	if args == "" {
		rows := make([][]string, len(roles))
		now, _ := s.client.Role()
		for i, r := range roles {
			mark := ""
			if r.ID == now {
				mark = "*"
			}
			rows[i] = []string{mark, strconv.Itoa(r.ID), r.Name, r.ClientName}
		}
		s.List([]string{"", "role", "name", "tenant"}, rows)
		return nil
	}
	for _, r := range roles {
		if strconv.Itoa(r.ID) == args || strings.EqualFold(r.Name, args) {
			s.client = s.client.As(r.ID)
			s.names.forget()
			s.note("Queries run with the permissions of %s (%d).", r.Name, r.ID)
			return nil
		}
	}
	return fmt.Errorf(`you have no role %q; \role lists yours`, args)
}

func (s *Shell) edit(ctx context.Context, _ string) error {
	if s.Edit == nil {
		return errors.New("there is no terminal for an editor")
	}
	statement := cmp.Or(strings.TrimSpace(s.buffer), s.last)
	edited, err := s.Edit(ctx, statement+"\n")
	if err != nil {
		return err
	}
	s.buffer = ""
	if strings.TrimSpace(edited) == "" {
		return nil
	}
	s.note("%s", strings.TrimSpace(edited))
	return s.take(ctx, strings.TrimRight(edited, "\n"))
}

// Bounds of a file of statements, and of how many include each other.
const (
	maxFile  = 1 << 20
	maxDepth = 8
)

func (s *Shell) include(ctx context.Context, args string) error {
	if args == "" {
		return errors.New(`\i takes a file`)
	}
	st, err := os.Stat(args)
	switch {
	case err != nil:
		return err
	case !st.Mode().IsRegular() || st.Size() > maxFile:
		return fmt.Errorf("%s is not a file of at most %d bytes", args, maxFile)
	}
	content, err := os.ReadFile(args)
	if err != nil {
		return err
	}
	if s.depth == maxDepth {
		return fmt.Errorf("%s is included by files that include each other; break the circle", args)
	}
	inner := *s
	inner.depth++
	inner.Lines, inner.script, inner.buffer = FromText(string(content)), true, ""
	err = inner.Run(ctx)
	s.last, s.client, s.view, s.timing = inner.last, inner.client, inner.view, inner.timing
	return err
}

func (s *Shell) printBuffer(context.Context, string) error {
	statement := cmp.Or(strings.TrimSpace(s.buffer), s.last)
	if statement == "" {
		statement = "There is no statement yet."
	}
	s.note("%s", statement)
	return nil
}

func (s *Shell) reset(context.Context, string) error {
	s.buffer = ""
	s.note("The statement is forgotten.")
	return nil
}

// matches reports whether a table meets a pattern: with * and ?, or as a part of
// its name or label.
func matches(pattern string, t Table) bool {
	pattern = strings.ToLower(pattern)
	if strings.ContainsAny(pattern, "*?") {
		ok, err := path.Match(pattern, strings.ToLower(t.Name))
		return ok && err == nil
	}
	return strings.Contains(strings.ToLower(t.Name), pattern) || strings.Contains(strings.ToLower(t.Label), pattern)
}
