package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
)

// atOnceTimeout is how long the server may work on one transaction of many records.
const atOnceTimeout = 15 * time.Minute

func (a *app) importCommand() *cli.Command {
	return &cli.Command{
		Name: "import", Usage: "create or update records from a CSV, NDJSON, JSON or XLSX file", ArgsUsage: "TABLE FILE",
		Description: "The first line of CSV and XLSX names the columns: by name, by label, or as Column:Value for " +
			"references by search key. FILE may be - for standard input, with --format.\n\n" +
			"Rows that are refused go to FILE.errors.csv (or .ndjson; FILE.errors-2.csv if that exists), with the reason in the " +
			"first column: fix them there and import that file. A run that was interrupted left FILE.import.json and goes " +
			"on with --resume; nothing is created twice.\n\n" +
			"FILE.undo.ndjson remembers what imports of the file created and changed. --undo takes back the last one: it deletes what was " +
			"created and restores former values, except where somebody has changed them since. On a terminal it asks; elsewhere --yes is needed.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "key", Usage: "columns that identify a record, such as Value or Value,AD_Org_ID, or id, or uid: existing records are updated"},
			&cli.GenericFlag{Name: "map", Value: &shell.Texts{}, Usage: "HEADING=COLUMN gives a heading its column, HEADING= ignores it; may be given several times"},
			&cli.BoolFlag{Name: "dry-run", Usage: "check everything that can be checked, and write nothing"},
			&cli.BoolFlag{Name: "all-or-nothing", Usage: fmt.Sprintf("check all rows first, and write them in one transaction (%d at most)", erp.MaxTransaction)},
			&cli.BoolFlag{Name: "resume", Usage: "continue the run that was interrupted"},
			&cli.BoolFlag{Name: "undo", Usage: "take back the last import of the file; with --dry-run only count what would be"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "with --undo: do not ask"},
			&cli.IntFlag{Name: "max-errors", Usage: "stop when so many rows were refused"},
			&cli.StringFlag{Name: "errors", Usage: "file for the rows that are refused", TakesFile: true},
			&cli.BoolFlag{Name: "skip-empty", Usage: "leave empty cells out: defaults apply to new records, existing values stay"},
			&cli.BoolFlag{Name: "decimal-comma", Usage: "numbers have a comma before the decimals"},
			&cli.StringFlag{Name: "date-format", Usage: "how dates are written besides YYYY-MM-DD, such as DD.MM.YYYY"},
			&cli.StringFlag{Name: "zone", Usage: "time zone of times that name none, such as Europe/Berlin"},
			&cli.StringFlag{Name: "format", Usage: "csv, tsv, ndjson, json or xlsx, where the extension does not say it"},
			&cli.StringFlag{Name: "delimiter", Usage: "of CSV, such as \";\" or tab, where the first line does not show it"},
			&cli.StringFlag{Name: "sheet", Usage: "worksheet of XLSX, where it is not the first"},
			&cli.IntFlag{Name: "batch", Usage: "how many records travel in one request", Value: 100},
		}, shell.ValueFlags()...),
		Action: shell.Takes(a.recordImport, "a table", "a file"),
	}
}

func (a *app) recordImport(c *cli.Context) error {
	opts, err := importOptions(c)
	if err != nil {
		return err
	}
	in, clean, err := a.importInput(c, &opts)
	if err != nil {
		return err
	}
	defer clean()
	s, err := a.Setup(c)
	if err != nil {
		return err
	}
	var more []erp.Option
	if opts.AllOrNothing {
		more = append(more, erp.WithTimeouts(erp.DefaultConnectTimeout, atOnceTimeout))
	}
	client, err := a.ClientFor(c, s, more...)
	if err != nil {
		return err
	}
	source, err := a.Source(s)
	if err != nil {
		return err
	}
	if opts.RoleID, _, err = shell.RoleOf(c.Context, s, source); err != nil {
		return err
	}
	if c.Bool("undo") {
		return a.undoImport(c, client, opts)
	}
	bar := a.RateOf("importing", "rows")
	opts.Progress = func(p transfer.Progress) { bar.Set(p.Rows(), p.Total) }
	result, err := transfer.Import(c.Context, client, values.NewDictionary(restdict.NewSource(client, nil)), in, opts)
	bar.Done()
	return a.imported(c, in.Name(), opts, result, err)
}

// imported tells what came of an import.
func (a *app) imported(c *cli.Context, name string, opts transfer.ImportOptions, result *transfer.Result, err error) error {
	if errors.Is(err, transfer.ErrInterrupted) || errors.Is(err, transfer.ErrNothingToResume) || errors.Is(err, transfer.ErrOtherRun) {
		return shell.Usage(importHint(err))
	}
	for _, p := range result.Problems {
		fmt.Fprintln(a.Streams.Err, shell.Printable(p.Error()))
	}
	if n := result.Failed - len(result.Problems); n > 0 {
		a.Note("and %d more rows", n)
	}
	if result.Rows() > 0 && !(opts.AllOrNothing && err != nil) {
		if printErr := a.printImported(c, opts, result); printErr != nil {
			return errors.Join(err, printErr)
		}
	}
	switch {
	case err != nil:
		return a.cutOff(c.Context, name, opts, err)
	case result.Failed == 0:
		return nil
	case opts.DryRun:
		return fmt.Errorf("%d of %d rows would be refused; nothing was written", result.Failed, result.Rows())
	}
	return fmt.Errorf("%d of %d rows were refused; fix them in %s and import that file", result.Failed, result.Rows(), result.Errors)
}

func (a *app) printImported(c *cli.Context, opts transfer.ImportOptions, result *transfer.Result) error {
	words := []string{"created", "updated", "unchanged", "failed"}
	if opts.DryRun {
		words = []string{"to create", "to update", "unchanged", "refused"}
	}
	line := ""
	for i, n := range []int{result.Created, result.Updated, result.Unchanged, result.Failed} {
		if i > 0 {
			line += ", "
		}
		line += fmt.Sprintf("%s %d", words[i], n)
	}
	value := struct {
		*transfer.Result
		DryRun bool  `json:"dryRun,omitempty"`
		Millis int64 `json:"millis"`
	}{result, opts.DryRun, result.Took.Milliseconds()}
	return a.Print(c, value, output.Table{Below: fmt.Sprintf("%s (%.1f s)\n", line, result.Took.Seconds())})
}

// importHint says what to type next.
func importHint(err error) error {
	if errors.Is(err, transfer.ErrInterrupted) {
		return fmt.Errorf("%w (--resume resumes it)", err)
	}
	if errors.Is(err, transfer.ErrNothingToResume) {
		return fmt.Errorf("%w; import without --resume", err)
	}
	return err
}

// cutOff adds to an error how to go on.
func (a *app) cutOff(ctx context.Context, name string, opts transfer.ImportOptions, err error) error {
	if opts.Journal == "" || opts.DryRun {
		return err
	}
	if _, statErr := os.Stat(opts.Journal); statErr != nil {
		return err
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return fmt.Errorf("%w; continue with the same command and --resume (%s says how far %s came)", err, opts.Journal, name)
}

// importAdvice names the flags that say how a file is written.
var importAdvice = values.Advice{
	DecimalComma: "give --decimal-comma",
	DateFormat:   "give --date-format, such as DD.MM.YYYY",
	Zone:         "give --zone, such as Europe/Berlin",
	Ignore:       "ignore it with --map 'HEADING='",
}

// importOptions reads the flags.
func importOptions(c *cli.Context) (transfer.ImportOptions, error) {
	opts := transfer.ImportOptions{
		Table: c.Args().First(), Key: shell.CommaList(c.String("key")), Map: map[string]string{},
		SkipEmpty: c.Bool("skip-empty"),
		Values:    values.Options{DecimalComma: c.Bool("decimal-comma"), DateFormat: c.String("date-format"), Advice: importAdvice},
		DryRun:    c.Bool("dry-run"), AllOrNothing: c.Bool("all-or-nothing"), MaxErrors: c.Int("max-errors"),
		BatchSize: c.Int("batch"), Errors: c.String("errors"), Resume: c.Bool("resume"),
	}
	switch {
	case c.Bool("undo") && opts.Resume:
		return opts, shell.Usagef("--undo takes an import back and --resume continues one; give one of them")
	case opts.DryRun && opts.Resume:
		return opts, shell.Usagef("--dry-run checks all rows; give it without --resume")
	case opts.MaxErrors < 0 || opts.BatchSize < 1:
		return opts, shell.Usagef("--max-errors and --batch must be 1 or more")
	}
	for _, given := range shell.Given(c, "map") {
		heading, column, ok := strings.Cut(given, "=")
		if !ok {
			return opts, shell.Usagef("--map %q is not of the form HEADING=COLUMN", given)
		}
		if _, twice := opts.Map[heading]; twice {
			return opts, shell.Usagef("--map gives %q twice", heading)
		}
		opts.Map[heading] = column
	}
	if zone := c.String("zone"); zone != "" {
		var err error
		if opts.Values.Zone, err = time.LoadLocation(zone); err != nil {
			return opts, shell.Usagef("--zone %q is not a time zone such as Europe/Berlin or UTC", zone)
		}
	}
	return opts, nil
}

// importInput is the file that is imported. What comes from standard input is
// copied to a file first, because it is read more than once.
func (a *app) importInput(c *cli.Context, opts *transfer.ImportOptions) (in transfer.Input, clean func(), err error) {
	path, called := c.Args().Get(1), ""
	clean = func() {}
	format := c.String("format")
	if path == "-" {
		if format == "" {
			return nil, nil, shell.Usagef("standard input has no name that says its format: give --format csv, tsv, ndjson, json or xlsx")
		}
		if opts.Resume {
			return nil, nil, shell.Usagef("a run from standard input cannot be resumed; import a file")
		}
		if path, err = copyInput(a.Streams.In); err != nil {
			return nil, nil, fmt.Errorf("copying standard input: %w", err)
		}
		called = "standard input"
		clean = func() { _ = os.Remove(path) } // a copy in the folder for such files
		opts.Errors = cmp.Or(opts.Errors, opts.Table+".errors")
	} else {
		opts.Journal, opts.Undo = path+".import.json", path+".undo.ndjson"
		opts.Errors = cmp.Or(opts.Errors, path+".errors")
		if format == "" {
			format = strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
		}
	}
	delimiter, err := oneDelimiter(c.String("delimiter"))
	if err != nil {
		clean()
		return nil, nil, err
	}
	rows := ".csv"
	if format == "xlsx" || format == "xlsm" {
		in = transfer.Workbook{Path: path, Sheet: c.String("sheet"), Called: called}
	} else {
		text, ok := transfer.FormatOf("." + format)
		if !ok {
			clean()
			return nil, nil, shell.Usagef("%s: the extension does not say what it is; give --format csv, tsv, ndjson, json or xlsx", c.Args().Get(1))
		}
		in = transfer.File{Path: path, Format: text, Delimiter: delimiter, Called: called}
		if text != transfer.CSV && text != transfer.TSV {
			rows = ".ndjson"
		}
	}
	if c.String("errors") == "" {
		opts.Errors += rows
	}
	return in, clean, nil
}

// copyInput copies a stream to a file of its own.
func copyInput(in io.Reader) (string, error) {
	f, err := os.CreateTemp("", "erphub-import-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, in)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

func oneDelimiter(given string) (byte, error) {
	switch {
	case given == "":
		return 0, nil
	case given == "tab" || given == `\t`:
		return '\t', nil
	case len(given) != 1 || given[0] >= utf8.RuneSelf || strings.ContainsAny(given, "\"\r\n"):
		return 0, shell.Usagef("--delimiter is one character, or tab")
	}
	return given[0], nil
}
