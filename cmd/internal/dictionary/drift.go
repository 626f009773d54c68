package dictionary

import (
	"bytes"
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
)

// unfinishedRun is a run of dict apply that did not come to its end.
type unfinishedRun struct {
	Checkpoint string    `json:"checkpoint"`
	Plan       string    `json:"plan"`
	Steps      int       `json:"steps"`
	Done       int       `json:"done"`
	Failed     int       `json:"failed"`
	Updated    time.Time `json:"updated"`
}

// tableDrift is what the database needs to be as the dictionary says.
type tableDrift struct {
	Table      string   `json:"table"`
	Statements []string `json:"statements"`
}

// dictDiff compares definitions, dictionary and, where it may, the database.
func (a *app) dictDiff(c *cli.Context) error {
	cmp, err := a.compared(c)
	if err != nil {
		return err
	}
	r := newChangesReport(cmp.result)
	if r.Unfinished, err = a.unfinished(c, cmp.client); err != nil {
		return err
	}
	if r.Database, err = a.databaseDrift(c, cmp); err != nil {
		return err
	}
	if err := a.showDrift(c, cmp.result, r); err != nil {
		return err
	}
	if !cmp.result.Empty() || r.Unfinished != nil || len(r.Database) > 0 {
		return shell.ErrDrift
	}
	return nil
}

// unfinished is the run whose checkpoint is there, nil for none. A run on another
// ERP says nothing about this one.
func (a *app) unfinished(c *cli.Context, client *erp.Client) (*unfinishedRun, error) {
	path := cmp.Or(c.String("checkpoint"), defaultCheckpoint)
	cp, err := restdict.ReadCheckpoint(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("looking for an unfinished run: %w", err)
	case !strings.EqualFold(cp.Server, client.BaseURL()):
		a.Note("%s is of an unfinished run on %s and says nothing about %s", path, cp.Server, client.BaseURL())
		return nil, nil
	}
	return &unfinishedRun{Checkpoint: path, Plan: cp.Plan.Name(), Steps: cp.Plan.Len(), Done: cp.Done, Failed: cp.Failed, Updated: cp.Updated}, nil
}

// databaseDrift compares the tables of the definitions, as the dictionary has
// them, with the database that --database names.
func (a *app) databaseDrift(c *cli.Context, compared *comparison) ([]tableDrift, error) {
	url, err := a.databaseURL(c)
	if err != nil || url == "" {
		return nil, err
	}
	var drift []tableDrift
	err = a.withDatabase(c.Context, url, func(db *sql.DB) error {
		for _, t := range compared.tables {
			statements, err := ddl.Drift(c.Context, compared.reg, db, a.Schema(c), t.Name)
			var view *ddl.ViewError
			switch {
			case errors.Is(err, registry.ErrNotFound), errors.As(err, &view):
				continue // missing in the dictionary, which is shown; or made by the ERP
			case err != nil:
				return err
			case len(statements) == 0:
				continue
			}
			found := tableDrift{Table: t.Name}
			for _, s := range statements {
				found.Statements = append(found.Statements, s.Text)
			}
			drift = append(drift, found)
		}
		return nil
	})
	return drift, err
}

// showDrift writes what differs.
func (a *app) showDrift(c *cli.Context, result *diff.Result, r changesReport) error {
	var b bytes.Buffer
	if !result.Empty() || r.Unfinished == nil && len(r.Database) == 0 {
		if err := result.WriteText(&b); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(&b, "The dictionary is as the definitions say.")
	}
	for _, t := range r.Database {
		fmt.Fprintf(&b, "\nTable %[1]s of the database differs from the dictionary; `erphub sync table %[1]s` would do:\n", shell.Printable(t.Table))
		for _, s := range t.Statements {
			fmt.Fprintf(&b, "  %s;\n", shell.Printable(s))
		}
	}
	if u := r.Unfinished; u != nil {
		fmt.Fprintf(&b, "\nAn unfinished run of dict apply is in %[1]s: %[2]d of %[3]d steps done, %[4]d failed (%[5]s).\n"+
			"Continue with `erphub dict apply --resume`, or delete %[1]s to start over.\n",
			shell.Printable(u.Checkpoint), u.Done, u.Steps, u.Failed, u.Updated.Format(time.RFC3339))
	}
	return a.Print(c, r, output.Table{List: "changes", Below: a.PaintChanges(b.String())})
}
