package shell

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/tokens"
)

// The exit codes, the same for every command.
const (
	ExitDone          = 0
	ExitFailed        = 1
	ExitUsage         = 2
	exitNotAuthorised = 3
	exitUnreachable   = 4
	exitDrift         = 5 // dict diff: the ERP is not as the definitions say
	exitInterrupted   = 130
)

// ErrReported marks an error that was printed already.
var ErrReported = errors.New("already reported")

// exitedErr is how a process ended that did the work of a command.
type exitedErr struct{ code int }

func (e exitedErr) Error() string { return fmt.Sprintf("the process ended with exit code %d", e.code) }
func (e exitedErr) Unwrap() error { return ErrReported }

// Exited is the error of a command whose work another process did, which has printed
// why it ended with that exit code.
func Exited(code int) error { return exitedErr{code} }

// ErrDrift is the difference that dict diff has shown.
var ErrDrift = fmt.Errorf("the ERP differs from the definitions: %w", ErrReported)

// usageErr is wrong usage: nothing was done.
type usageErr struct{ err error }

func (e usageErr) Error() string { return e.err.Error() }
func (e usageErr) Unwrap() error { return e.err }

// interruptedErr is how a run ended that was interrupted.
type interruptedErr struct{ err error }

func (e interruptedErr) Error() string {
	text := e.err.Error()
	if canceled := context.Canceled.Error(); strings.Contains(text, canceled) {
		return strings.ReplaceAll(text, canceled, "interrupted")
	}
	return "interrupted: " + text
}
func (e interruptedErr) Unwrap() error { return e.err }

// Usage marks an error as wrong usage; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usageErr{err}
}

// Usagef is [Usage] of a new error.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// notDefined is how the library begins its error about a flag it does not know.
const notDefined = "flag provided but not defined: -"

// renamed are flags that commands with [OutputFlags] once had, with what to use now.
var renamed = map[string]string{
	"format": "-o, such as -o csv",
	"csv":    "-o csv",
}

// otherwise are flags that other programs have, with what they are called here.
var otherwise = map[string]string{"limit": "top", "port": "listen", "where": "filter"}

// usageError is an error of the library about flags. One that is not known is
// said with the nearest that is, and where help is.
func usageError(c *cli.Context, err error, _ bool) error {
	if c == nil || c.App == nil {
		return Usage(err)
	}
	flags, command := c.App.Flags, c.App.Name
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != c.App.Name {
		flags = slices.Concat(c.Command.Flags, flags)
		command = c.Command.HelpName
	}
	name, unknown := strings.CutPrefix(err.Error(), notDefined)
	if !unknown {
		return wrongFlag(flags, err)
	}
	name = strings.TrimLeft(name, "-")
	if now := renamed[name]; now != "" && hasOutput(flags) {
		return Usagef("there is no flag %s any more: use %s (see %s --help)", dashed(name), now, strings.TrimSpace(command))
	}
	var known []string
	for _, f := range flags {
		known = append(known, f.Names()...)
	}
	near := otherwise[name]
	if !slices.Contains(known, near) {
		near = nearest.Name(name, known)
	}
	hint := ""
	if near != "" && len(name) > 1 {
		hint = "; did you mean " + dashed(near) + "?"
	}
	return Usagef("there is no flag %s%s (see %s --help)", dashed(name), hint, strings.TrimSpace(command))
}

// wrongFlag is an error of the library about the value of a flag.
func wrongFlag(flags []cli.Flag, err error) error {
	value, name, ok := strings.Cut(strings.TrimPrefix(err.Error(), "invalid value "), " for flag -")
	name, why, _ := strings.Cut(name, ": ")
	if !ok {
		return Usage(err)
	}
	switch lookup(flags, name).(type) {
	case *cli.IntFlag, *cli.Int64Flag:
		why = "give a whole number"
	case *cli.DurationFlag:
		why = "give a duration such as 30s or 5m"
	}
	return Usagef("%s cannot be %s: %s", dashed(name), value, why)
}

// dashed is the name of a flag as it is written.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// ExitCode maps an error to the program's exit code, in this one place.
func ExitCode(err error) int {
	var usage usageErr
	var statement *api.Error
	var interrupted interruptedErr
	var token *tokens.Error
	var exited exitedErr
	switch {
	case errors.As(err, &exited) && exited.code > 0:
		return exited.code
	case errors.As(err, &interrupted):
		return exitInterrupted
	case errors.As(err, &usage):
		return ExitUsage
	case errors.As(err, &statement) && (statement.Position > 0 || statement.Object.Kind != ""):
		return ExitFailed // a word of the statement is refused, not the login
	case errors.Is(err, ErrDrift):
		return exitDrift
	case errors.As(err, &token) && token.Kind == tokens.ErrUnreachable && token.Status != 0:
		return ExitFailed // a response, if no useful one
	case errors.Is(err, erp.ErrUnreachable), errors.Is(err, tokens.ErrUnreachable), errors.Is(err, aiclient.ErrUnreachable),
		errors.Is(err, failure.Unreachable):
		return exitUnreachable
	case errors.Is(err, erp.ErrUnauthorized), errors.Is(err, erp.ErrForbidden), errors.Is(err, tokens.ErrAuthentication),
		errors.Is(err, aiclient.ErrUnauthorized), errors.Is(err, aiclient.ErrDenied), errors.Is(err, failure.NotAuthorized):
		return exitNotAuthorised
	}
	return ExitFailed
}

// printError writes an error for a person, on standard error.
func (sh *Shell) printError(err error) {
	lead := "erphub:"
	if sh.coloured(sh.Streams.Err) {
		lead = output.Bad.Paint(lead)
	}
	fmt.Fprintf(sh.Streams.Err, "%s %s\n", lead, strings.TrimSpace(Printable(err.Error())))
}

// DeliveryError marks settings and requests that cannot be used as wrong usage.
func DeliveryError(err error) error {
	if errors.Is(err, failure.NotConfigured) || errors.Is(err, failure.Invalid) {
		return Usage(err)
	}
	return err
}

// Input marks what was refused before anything was sent as wrong usage.
func Input(err error) error {
	if errors.Is(err, erp.ErrInvalid) {
		return Usage(err)
	}
	return err
}
