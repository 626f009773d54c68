package shell

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/erphub/erphub/cmd/internal/help"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/atomicfile"
)

// OutputFlags are the flags of a command that prints rows with [Shell.Print].
func OutputFlags() []cli.Flag {
	return append(ValueFlags(),
		&cli.StringFlag{Name: "columns", Category: help.OutputCategory, Usage: "columns to print, in this order, with commas between"})
}

// ValueFlags are the flags of a command that prints something without rows with
// [Shell.Print].
func ValueFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: help.OutputCategory, DefaultText: usualOutput, TakesFile: true,
			Usage: "`FORMAT`: table, wide, json, ndjson or yaml; of rows csv, name and vertical, too; or a file such as orders.csv"},
		&cli.StringFlag{Name: "jq", Aliases: []string{"q"}, Category: help.OutputCategory, Usage: "print what this jq expression selects of the JSON value"},
		&cli.StringFlag{Name: "template", Category: help.OutputCategory, Usage: "print what this Go template makes of the JSON value"},
	}
}

// usualOutput tells the flag --output of a format from that of a file or folder.
const usualOutput = "table"

// TextOnly is the action of a command that has no data to print: it refuses --json
// instead of ignoring it.
func TextOnly(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Bool("json") {
			return Usagef("%s prints no data, so there is no JSON of it: leave --json out", CommandPath(c))
		}
		return action(c)
	}
}

// hasOutput reports whether a command has the flags of [ValueFlags].
func hasOutput(flags []cli.Flag) bool { return TakesFormat(lookup(flags, "output")) }

// TakesFormat reports whether the value of a flag is a format of output, or a file
// whose name says it.
func TakesFormat(f cli.Flag) bool {
	o, ok := f.(*cli.StringFlag)
	return ok && o.DefaultText == usualOutput
}

// Choice is what the flags of a command say about its output. usual is the format
// without them; empty is a table.
func (sh *Shell) Choice(c *cli.Context, usual output.Format) (*output.Choice, error) {
	f := output.Flags{JSON: c.Bool("json"), Usual: usual}
	if hasOutput(c.Command.Flags) {
		f.Output, f.JQ, f.Template, f.Columns = c.String("output"), c.String("jq"), c.String("template"), c.String("columns")
		columns := lookup(c.Command.Flags, "columns")
		f.Rows = columns != nil
		if f.Rows && slices.Contains(columns.Names(), "select") {
			f.Columns = "" // the server chooses
		}
	}
	for _, name := range []string{"output", "jq", "template", "columns"} {
		if hasOutput(c.Command.Flags) && c.IsSet(name) && c.String(name) == "" {
			return nil, Usagef("--%s needs a value (see %s --help)", name, c.Command.HelpName)
		}
	}
	choice, err := output.Parse(f)
	if err != nil {
		return nil, Usage(err)
	}
	choice.NoFormulas = c.Bool("no-formulas")
	return choice, nil
}

// Print writes what a command found as its flags say: value is what JSON, NDJSON,
// YAML, jq and templates see, table what the other formats see.
func (sh *Shell) Print(c *cli.Context, value any, table output.Table) error {
	choice, err := sh.Choice(c, "")
	if err != nil {
		return err
	}
	return sh.PrintAs(c, choice, value, table)
}

// PrintAs is [Shell.Print] with a choice that was made already.
func (sh *Shell) PrintAs(c *cli.Context, choice *output.Choice, value any, table output.Table) error {
	if table.Empty != "" && len(table.Rows) == 0 && choice.File == "" && (choice.ForPeople() || choice.Format == output.FormatName) {
		sh.Note("%s", table.Empty)
		return nil
	}
	if choice.File != "" {
		mode := fs.FileMode(0o644)
		if table.Secret {
			mode = 0o600
		}
		return sh.toFile(choice, mode, func(w io.Writer) error {
			_, err := choice.Write(c.Context, w, output.Screen{}, value, table)
			return columnError(err)
		})
	}
	var b bytes.Buffer
	hidden, err := choice.Write(c.Context, &b, sh.screen(), value, table)
	if err != nil {
		return columnError(err)
	}
	text := b.String()
	if !choice.ForPeople() && Terminal(sh.Streams.Out) {
		text = Printable(text)
	}
	if err := sh.show(c, text); err != nil {
		return err
	}
	if hidden > 0 {
		hint := ""
		if hasOutput(c.Command.Flags) {
			hint = ": -o wide shows all"
		}
		if lookup(c.Command.Flags, "columns") != nil {
			hint += ", --columns chooses some"
		}
		sh.Note("%s%s", Count(hidden, "column is hidden", "columns are hidden"), hint)
	}
	return nil
}

// PrintRecords writes records as they come and returns how many. The choice is one
// of a format without tables.
func (sh *Shell) PrintRecords(c *cli.Context, choice *output.Choice, records iter.Seq2[erp.Record, error], opts *output.RecordOptions) (n int, err error) {
	if choice.File != "" {
		err = sh.toFile(choice, 0o644, func(w io.Writer) (err error) {
			n, err = choice.WriteRecords(c.Context, w, output.Screen{}, records, opts)
			return err
		})
		return n, err
	}
	switch {
	case choice.Format == output.FormatVertical: // clean, and perhaps with colours
		err = sh.paged(c, func(w io.Writer) (err error) {
			n, err = choice.WriteRecords(c.Context, w, sh.screen(), records, opts)
			return err
		})
	case Terminal(sh.Streams.Out) && (choice.Format == output.FormatJSON || choice.Format == output.FormatYAML):
		err = sh.paged(c, func(w io.Writer) (err error) {
			n, err = choice.WriteRecords(c.Context, &printableWriter{to: w}, output.Screen{}, records, opts)
			return err
		})
	default:
		n, err = choice.WriteRecords(c.Context, sh.Data(), output.Screen{}, records, opts)
	}
	return n, err
}

// columnError makes a column that is not there wrong usage.
func columnError(err error) error {
	var column *output.ColumnError
	if errors.As(err, &column) {
		return Usage(err)
	}
	return err
}

// toFile writes a file, which is there whole or not at all.
func (sh *Shell) toFile(choice *output.Choice, mode fs.FileMode, write func(io.Writer) error) error {
	if err := MakeFolder(choice.File); err != nil {
		return err
	}
	if err := atomicfile.WriteFunc(choice.File, mode, write); err != nil {
		return err
	}
	sh.Note("wrote %s", choice.File)
	return nil
}

// screen is what standard output is shown on.
func (sh *Shell) screen() output.Screen {
	width, _ := sh.size()
	return output.Screen{Width: width, Colour: sh.coloured(sh.Streams.Out)}
}

// size is that of the terminal which standard output is, 0 for none.
func (sh *Shell) size() (width, height int) {
	f, ok := FileOf(sh.Streams.Out)
	if !ok || !Terminal(f) {
		return 0, 0
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 80, height // as terminals were
	}
	return width, height
}

// coloured reports whether a stream gets colours, as --color and the environment say.
func (sh *Shell) coloured(stream any) bool {
	return output.Coloured(sh.colour, sh.Getenv, Terminal(stream) && colourTerminal(stream))
}

// TableText is a table as standard output shows it, for the text of another.
func (sh *Shell) TableText(c *cli.Context, table output.Table) string {
	format := output.FormatTable
	if choice, err := sh.Choice(c, ""); err == nil && choice.Format == output.FormatWide {
		format = output.FormatWide
	}
	var b strings.Builder
	if hidden, err := (&output.Choice{Format: format}).Write(c.Context, &b, sh.screen(), nil, table); err == nil && hidden > 0 {
		fmt.Fprintf(&b, "(%s: -o wide shows all)\n", Count(hidden, "column is hidden", "columns are hidden"))
	}
	return b.String()
}

// Paint is text for standard output in the colour of a style.
func (sh *Shell) Paint(style output.Style, text string) string {
	if !sh.coloured(sh.Streams.Out) {
		return text
	}
	return style.Paint(text)
}

// PaintChanges is text for standard output whose lines begin with +, - or ~.
func (sh *Shell) PaintChanges(text string) string {
	if !sh.coloured(sh.Streams.Out) {
		return text
	}
	return output.PaintChanges(text)
}

// show writes clean text to standard output, in a pager when it is longer than the
// terminal.
func (sh *Shell) show(c *cli.Context, text string) error {
	return sh.paged(c, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// paged has clean text written to standard output, in a pager from the line on that
// does not fit on the terminal. While the pager is there, interrupts are its own.
func (sh *Shell) paged(c *cli.Context, write func(io.Writer) error) error {
	width, height := sh.size()
	terminal, ok := FileOf(sh.Streams.Out)
	pager := output.Pager(func(name string) (string, bool) { v, ok := sh.Env[name]; return v, ok })
	if height <= 0 || !ok || pager == nil || c.Bool("no-pager") || c.Context.Err() != nil {
		return write(sh.Streams.Out)
	}
	environ := make([]string, 0, len(sh.Env))
	for name, value := range sh.Env {
		environ = append(environ, name+"="+value)
	}
	release := func() {}
	defer func() { release() }()
	w := output.Paged{
		Command: pager, Environ: environ, Terminal: terminal, Errors: sh.Streams.Err,
		Fits: func(text string) bool {
			fits := linesOf(text, width) < height
			if !fits {
				release = holdInterrupts(c.Context)
			}
			return fits
		},
		Failed: func(err error) { sh.Note("%v", err) },
	}.Begin(c.Context)
	err := write(w)
	if closed := w.Close(); err == nil {
		err = closed
	}
	if errors.Is(err, output.ErrLeft) {
		return nil
	}
	return err
}

// linesOf is how many lines of a terminal a text takes, about.
func linesOf(text string, width int) (n int) {
	for line := range strings.Lines(text) {
		n += 1 + max(0, len(line)-2)/max(width, 1)
	}
	return n
}

// Count is a number of things, with the word for one of them or for several.
func Count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}
