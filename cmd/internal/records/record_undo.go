package records

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
)

// undoImport takes back the last import of a file.
func (a *app) undoImport(c *cli.Context, client *erp.Client, opts transfer.ImportOptions) error {
	if opts.Undo == "" {
		return shell.Usagef("what was imported from standard input cannot be taken back; import a file")
	}
	reg := values.NewDictionary(restdict.NewSource(client, nil))
	undo := transfer.UndoOptions{Path: opts.Undo, Table: opts.Table, Journal: opts.Journal, RoleID: opts.RoleID, DryRun: opts.DryRun}
	if !opts.DryRun && !c.Bool("yes") {
		if !a.Asks() {
			return shell.Usagef("taking back an import: give --yes, because there is no terminal to ask on; nothing was changed")
		}
		look := undo
		look.DryRun = true
		found, err := transfer.Undo(c.Context, client, reg, look)
		if err != nil {
			return undoHint(err)
		}
		yes, err := a.Confirm(c.Context, fmt.Sprintf("Take back the import of %s at %s: delete %d and restore %d records of %s?",
			shell.Printable(found.File), found.At.Local().Format(time.DateTime), found.Deleted, found.Restored, shell.Printable(opts.Table)))
		if err != nil {
			return err
		}
		if !yes {
			return errors.New("nothing was changed")
		}
	}
	bar := a.RateOf("taking back", "records")
	undo.Progress = func(done, total int) { bar.Set(done, total) }
	result, err := transfer.Undo(c.Context, client, reg, undo)
	bar.Done()
	if result == nil {
		return undoHint(err)
	}
	for _, p := range result.Problems {
		fmt.Fprintln(a.Streams.Err, shell.Printable(p))
	}
	line := "deleted %d, restored %d, unchanged %d\n"
	if opts.DryRun {
		line = "to delete %d, to restore %d, unchanged %d\n"
	}
	value := struct {
		*transfer.UndoResult
		DryRun bool `json:"dryRun,omitempty"`
	}{result, opts.DryRun}
	err = errors.Join(err, a.Print(c, value, output.Table{Below: fmt.Sprintf(line, result.Deleted, result.Restored, result.Unchanged)}))
	if n := len(result.Problems); err == nil && n > 0 {
		err = fmt.Errorf("%d records or columns could not be taken back; the command can be repeated", n)
	}
	return err
}

// undoHint is the usage error for a file that nothing can be taken back from.
func undoHint(err error) error {
	if errors.Is(err, transfer.ErrNothingToUndo) || errors.Is(err, transfer.ErrOtherRun) {
		return shell.Usage(err)
	}
	return err
}
