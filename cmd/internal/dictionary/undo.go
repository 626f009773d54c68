package dictionary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/tablefile"
)

// defaultUndo is where dict apply and add column write what takes it back.
const defaultUndo = "dict-undo.yaml"

// undoOf begins the first line of such a file, which names the ERP.
const undoOf = "# Takes back what erphub did to "

// dictUndoCommand is dict apply of the file that the last change left.
func (a *app) dictUndoCommand(run []cli.Flag) *cli.Command {
	file := &cli.StringSliceFlag{Name: "file", Aliases: []string{"f"}, Value: cli.NewStringSlice(defaultUndo), Usage: "file that dict apply or add column wrote", TakesFile: true}
	return &cli.Command{
		Name: "undo", Usage: "take back the last dict apply or add column", Action: shell.Takes(a.dictUndo), Flags: append([]cli.Flag{file}, run...),
		Description: "Before it changes anything, dict apply writes the definitions of the tables as they are to " + defaultUndo + ", beside its checkpoint; " +
			"add column writes it to the working directory. They are " +
			"compared with the ERP as it is now, shown, and applied; the next undo takes that back.\n" +
			"Columns and tables that were made are deactivated, not deleted: with them what they hold comes back. That needs " +
			"--allow-destructive. Lists, elements and fields that were made stay.",
	}
}

// dictUndo applies the definitions that the last change left.
func (a *app) dictUndo(c *cli.Context) error {
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	for _, path := range c.StringSlice("file") {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return shell.Usagef("there is nothing to undo: neither dict apply nor add column left %s; name the file with --file if it lies elsewhere", path)
		}
		if err != nil {
			return fmt.Errorf("undoing: %w", err)
		}
		defer f.Close()
		head, _ := io.ReadAll(io.LimitReader(f, 4096)) // reading all of the file reports the error
		line, _, _ := strings.Cut(string(head), "\n")
		if server, ok := strings.CutPrefix(line, undoOf); ok && !strings.EqualFold(server, client.BaseURL()) {
			return shell.Usagef("%s takes back what was done to %s, and this is %s; nothing was done", path, server, client.BaseURL())
		}
	}
	return a.dictApply(c)
}

// undoable runs what changes tables. Before the first change it writes beside the
// checkpoint how they are now. If nothing was changed the file is again as it was.
func undoable(ctx context.Context, cmp *comparison, opts *restdict.Options, checkpoint string, run func() error) error {
	path := filepath.Join(filepath.Dir(checkpoint), defaultUndo)
	var before []byte
	begun := false
	opts.Begin = func() (err error) {
		if before, err = os.ReadFile(path); err == nil || errors.Is(err, fs.ErrNotExist) {
			err = writeUndo(ctx, cmp, path)
		}
		if err != nil {
			return fmt.Errorf("nothing was done: %w", err)
		}
		begun = true
		return nil
	}
	err := run()
	var stopped *restdict.RunError
	if !begun || !errors.As(err, &stopped) || stopped.Changed {
		return err
	}
	if before == nil {
		return errors.Join(err, os.RemoveAll(path)) // it may never have been written
	}
	return errors.Join(err, atomicfile.Write(path, before, 0o600))
}

// writeUndo writes the tables that a comparison changes as they are now.
func writeUndo(ctx context.Context, cmp *comparison, path string) error {
	tables, err := diff.Former(ctx, cmp.reg, cmp.result)
	if err != nil || len(tables) == 0 {
		return err
	}
	definitions, err := tablefile.Marshal(tables...)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s\n# on %s. To carry it out: erphub dict undo\n", undoOf, cmp.client.BaseURL(), time.Now().UTC().Format(time.RFC3339))
	b.Write(definitions)
	if err := atomicfile.Write(path, b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("writing what takes it back: %w", err)
	}
	return nil
}
