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

// pagerEnd is how long a pager that is told to end may take for it.
const pagerEnd = 2 * time.Second

// Page shows text in a pager on a terminal, and returns when somebody has left it,
// which is no error before the end either. started tells whether there was a pager.
// environ is the environment of the program, which the pager gets without what may
// be a secret.
func Page(ctx context.Context, pager, environ []string, terminal *os.File, errs io.Writer, text string) (started bool, err error) {
	cmd := exec.CommandContext(ctx, pager[0], pager[1:]...)
	cmd.Cancel = func() error { // so that it puts the terminal back in order
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = pagerEnd
	cmd.Env = pagerEnvironment(environ)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), terminal, errs
	if err := cmd.Start(); err != nil {
		return false, fmt.Errorf("starting the pager %s: %w", pager[0], err)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) || errors.Is(err, syscall.EPIPE) || ctx.Err() != nil {
		err = nil // it was left; what it says by its code is nothing about the result
	}
	return true, err
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
