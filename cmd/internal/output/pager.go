package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Pager is the program that shows a long result, nil when there is none: that of
// ERPHUB_PAGER, else of PAGER, else less where it is installed. A variable that is
// set and empty, or cat, asks for none.
func Pager(lookup func(string) (string, bool)) []string {
	for _, name := range []string{"ERPHUB_PAGER", "PAGER"} {
		if command, set := lookup(name); set {
			words := strings.Fields(command)
			if len(words) == 0 || words[0] == "cat" {
				return nil
			}
			return words
		}
	}
	if _, err := exec.LookPath("less"); err == nil {
		return []string{"less"}
	}
	return nil
}

// pagerEnd is the time that a pager has to end after SIGTERM.
const pagerEnd = 2 * time.Second

// ErrLeft is the error of writing to a pager that somebody has left. Nobody wants
// the rest then, which is not a failure.
var ErrLeft = errors.New("the pager was left")

// Paged writes text for a terminal, from the line on that does not fit into a pager.
type Paged struct {
	// Command is the pager, as [Pager] finds it.
	Command []string
	// Environ is the environment of the program, which the pager gets without what
	// may be a secret.
	Environ []string
	// Terminal is where text goes that fits, or for which no pager can be started.
	Terminal *os.File
	// Errors is standard error of the pager.
	Errors io.Writer
	// Fits reports whether a text needs no pager.
	Fits func(text string) bool
	// Failed is called with the error if the pager could not be started.
	Failed func(error)

	held    strings.Builder
	cmd     *exec.Cmd
	started bool
	to      io.WriteCloser // of the pager or the terminal; nil: all is held still
}

// Begin returns the writer. The end of ctx ends the pager.
func (p Paged) Begin(ctx context.Context) *Paged {
	cmd := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	cmd.Cancel = func() error { // so that it puts the terminal back in order
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = pagerEnd
	cmd.Env = pagerEnvironment(p.Environ)
	cmd.Stdout, cmd.Stderr = p.Terminal, p.Errors
	p.cmd = cmd
	return &p
}

// Write writes text.
func (p *Paged) Write(text []byte) (int, error) {
	if p.to == nil {
		p.held.Write(text)
		if p.Fits(p.held.String()) {
			return len(text), nil
		}
		if err := p.start(); err != nil {
			p.Failed(fmt.Errorf("starting the pager %s: %w", p.Command[0], err))
			p.to = p.Terminal
		}
		if err := p.write([]byte(p.held.String())); err != nil {
			return 0, err
		}
		return len(text), nil
	}
	if err := p.write(text); err != nil {
		return 0, err
	}
	return len(text), nil
}

func (p *Paged) write(text []byte) error {
	_, err := p.to.Write(text)
	if err != nil && p.started {
		return ErrLeft // whatever it died of, nobody reads any more
	}
	return err
}

func (p *Paged) start() error {
	stdin, err := p.cmd.StdinPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err == nil {
		p.started, p.to = true, stdin
	}
	return err
}

// Close writes what fits, or waits until the pager is left. What a pager says by
// its exit code is nothing about the text.
func (p *Paged) Close() error {
	if p.to == nil {
		_, err := io.WriteString(p.Terminal, p.held.String())
		return err
	}
	if p.started {
		_ = p.to.Close() // it may be gone
		_ = p.cmd.Wait()
	}
	return nil
}

// pagerEnvironment is an environment without what may be a secret, with what makes
// less and lv show colours and end at once when all fits.
func pagerEnvironment(environ []string) []string {
	out := []string{}
	have := map[string]bool{}
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		upper := strings.ToUpper(name)
		if strings.HasPrefix(upper, "ERP") || strings.HasPrefix(upper, "AI_") || strings.Contains(upper, "TOKEN") ||
			strings.Contains(upper, "PASSWORD") || strings.Contains(upper, "SECRET") || strings.HasSuffix(upper, "_KEY") {
			continue
		}
		have[name] = true
		out = append(out, kv)
	}
	if !have["LESS"] {
		out = append(out, "LESS=FRX")
	}
	if !have["LV"] {
		out = append(out, "LV=-c")
	}
	return out
}
