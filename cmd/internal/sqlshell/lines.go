package sqlshell

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/peterh/liner"

	"github.com/erphub/erphub/internal/atomicfile"
)

// script are lines that nobody types.
type script struct{ rest string }

// FromText are the lines of a text.
func FromText(text string) Lines { return &script{text} }

// Line implements Lines.
func (s *script) Line(string) (line string, err error) {
	if s.rest == "" {
		return "", io.EOF
	}
	line, s.rest, _ = strings.Cut(s.rest, "\n")
	return strings.TrimRight(line, "\r"), nil
}

// Remember implements Lines.
func (*script) Remember(string) {}

// Terminal are lines that a person types, with history and completion.
type Terminal struct {
	state   *liner.State
	cooked  liner.ModeApplier // how the terminal is while statements run
	raw     liner.ModeApplier
	history string
}

// OpenTerminal takes over the terminal of the process until Close. history is
// the file of the history, "" for none.
func OpenTerminal(history string) (*Terminal, error) {
	cooked, err := liner.TerminalMode()
	if err != nil {
		return nil, err
	}
	t := &Terminal{state: liner.NewLiner(), cooked: cooked, history: history}
	t.raw, err = liner.TerminalMode()
	if err != nil {
		return nil, errors.Join(err, t.state.Close())
	}
	t.state.SetCtrlCAborts(true)
	t.state.SetTabCompletionStyle(liner.TabPrints)
	if f, err := os.Open(history); err == nil {
		_, _ = t.state.ReadHistory(f) // a history that cannot be read is begun anew
		_ = f.Close()
	}
	return t, t.cooked.ApplyMode()
}

// Complete sets what completes a word: of a line and a place in it, the text
// before the word, what the word may become, and the text behind it.
func (t *Terminal) Complete(complete func(line string, at int) (head string, words []string, tail string)) {
	t.state.SetWordCompleter(complete)
}

// Line implements Lines.
func (t *Terminal) Line(prompt string) (string, error) {
	if err := t.raw.ApplyMode(); err != nil {
		return "", err
	}
	line, err := t.state.Prompt(prompt)
	if modeErr := t.cooked.ApplyMode(); err == nil {
		err = modeErr
	}
	if errors.Is(err, liner.ErrPromptAborted) {
		return "", ErrAborted
	}
	return line, err
}

// Remember implements Lines.
func (t *Terminal) Remember(statement string) {
	if !strings.ContainsAny(statement, "\n\r") {
		t.state.AppendHistory(statement)
	}
}

// Close gives the terminal back and keeps the history, in a file that only its
// owner reads: statements hold data.
func (t *Terminal) Close() error {
	return errors.Join(t.save(), t.state.Close(), t.cooked.ApplyMode())
}

func (t *Terminal) save() error {
	if t.history == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(t.history), 0o700); err != nil {
		return err
	}
	var b strings.Builder
	if _, err := t.state.WriteHistory(&b); err != nil {
		return err
	}
	return atomicfile.Write(t.history, []byte(b.String()), 0o600)
}
