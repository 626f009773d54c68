package dictionary

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/plans"
	"github.com/erphub/erphub/cmd/internal/review"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/internal/sqlquote"
)

// rehearsal is what a rehearsal tells a machine.
type rehearsal struct {
	Changes []diff.Change  `json:"changes"`
	Tables  []rehearsedRow `json:"tables"`
	// Untried are columns and indexes whose change depends on rows that the twin does
	// not have.
	Untried []string `json:"untried,omitempty"`
	Created int      `json:"created"`
	Changed int      `json:"changed"`
	Ran     int      `json:"ran"`
	Twin    string   `json:"twin"`
}

// rehearsedRow is a table whose definition was changed.
type rehearsedRow struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// checkRehearsal refuses flags that go on with the ERP itself.
func checkRehearsal(c *cli.Context, format *format) error {
	for _, flag := range []string{"resume", "apply"} {
		if c.Bool(flag) {
			return shell.Usagef("--%s goes on with the ERP itself; a rehearsal begins with a fresh copy of the twin", flag)
		}
	}
	if !format.onServer() {
		return shell.Usagef("a rehearsal runs the plan over REST; leave --format out")
	}
	return nil
}

// rehearse carries the changes out on a copy of a twin.
func (a *app) rehearse(c *cli.Context, dir string, format *format, opts *restdict.Options) (err error) {
	if err := checkRehearsal(c, format); err != nil {
		return err
	}
	info, err := twin.Inspect(c.Context, twin.InFolder(dir))
	if err != nil {
		return err
	}
	srv, err := erptest.Start(c.Context, erptest.FromTwin(dir))
	if err != nil {
		return fmt.Errorf("rehearsing on a copy of %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, srv.Close()) }()
	db := srv.Database()
	defer func() { err = errors.Join(err, db.Close()) }()
	cmp, err := a.comparedWith(c, func() (*erp.Client, error) { return administrator(c.Context, srv, db) })
	if err != nil {
		return err
	}
	plan, err := diff.NewPlan(cmp.result, &diff.PlanOptions{SynchroniseAll: c.Bool("sync-all")})
	if err != nil {
		return err
	}
	report := rehearsal{Changes: cmp.result.Changes, Twin: info.Origin + ", " + info.Made.UTC().Format(time.RFC3339)}
	for _, t := range cmp.tables {
		rows, err := rowsOf(c.Context, db, t.Name)
		if err != nil {
			return err
		}
		report.Tables = append(report.Tables, rehearsedRow{t.Name, rows})
	}
	content := &twinContent{Content: review.Database(db, ""), db: db, info: info}
	findings, err := review.Check(c.Context, cmp.result, cmp.tables, &review.Options{Content: content, Registry: cmp.reg})
	if err != nil {
		return err
	}
	if !c.Bool("json") {
		if err := a.showChanges(cmp.result, findings); err != nil {
			return err
		}
	}
	opts.Checkpoint = "" // there is nothing to go on with
	if plan.Len() > 0 {
		result, err := plans.Run(c.Context, a.Shell, cmp.client, plan, opts)
		if err != nil {
			return fmt.Errorf("the rehearsal on a copy of %s failed, and the ERP would refuse it, too: %w%s", dir, err, withRows(report.Tables))
		}
		report.Created, report.Changed, report.Ran = result.Count(restdict.Created), result.Count(restdict.Changed), result.Count(restdict.Ran)
	}
	return a.reportRehearsal(c, report, content.untried(findings))
}

// reportRehearsal prints what came of a rehearsal. One that could not try everything
// is an error.
func (a *app) reportRehearsal(c *cli.Context, report rehearsal, untried []review.Finding) error {
	tables := map[string]bool{}
	for _, f := range untried {
		tables[f.Over.Table] = true
		report.Untried = append(report.Untried, f.Where)
	}
	if c.Bool("json") {
		if err := a.PrintJSON(report); err != nil {
			return err
		}
		return notTried(tables, report.Untried)
	}
	_, err := fmt.Fprintf(a.Streams.Out, "Rehearsed on a copy of the twin of %s: %s created, %d changed; %s ran%s. The ERP is as it was.\n",
		shell.Printable(report.Twin), shell.Count(report.Created, "record", "records"), report.Changed, shell.Count(report.Ran, "process", "processes"), withRows(report.Tables))
	return errors.Join(err, notTried(tables, report.Untried))
}

// notTried is the error of a rehearsal that could not try everything.
func notTried(tables map[string]bool, what []string) error {
	if len(what) == 0 {
		return nil
	}
	names := strings.Join(slices.Sorted(maps.Keys(tables)), ",")
	return fmt.Errorf("the rehearsal proves nothing about %s: the twin has no rows of %s, which were not cloned; clone them with `erphub sandbox clone --tables %[2]s`",
		strings.Join(what, ", "), names)
}

// twinContent counts rows of a twin. Of a table that was not cloned it cannot say how
// many there are.
type twinContent struct {
	review.Content
	db     *sql.DB
	info   *twin.Info
	absent map[string]bool // tables without rows that were not cloned, in lower case
}

// Count implements [review.Content].
func (t *twinContent) Count(ctx context.Context, q review.Question) (review.Count, error) {
	rows, err := rowsOf(ctx, t.db, q.Table)
	cloned := slices.ContainsFunc(t.info.Report.Tables, func(r twin.TableReport) bool {
		return strings.EqualFold(r.Table, q.Table) && r.Skipped == "" && r.Unreadable == "" && r.Source.Rows == 0
	})
	switch {
	case err != nil:
		return review.Count{}, err
	case rows == 0 && !cloned:
		if t.absent == nil {
			t.absent = map[string]bool{}
		}
		t.absent[strings.ToLower(q.Table)] = true
		return review.Count{}, review.ErrUnknown
	}
	return t.Content.Count(ctx, q)
}

// untried are the findings about rows of tables that were not cloned.
func (t *twinContent) untried(findings []review.Finding) []review.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f review.Finding) bool {
		return f.Over == nil || !t.absent[strings.ToLower(f.Over.Table)]
	})
}

// administrator is a client with a login of the role that keeps the dictionary.
func administrator(ctx context.Context, srv *erptest.Server, db *sql.DB) (*erp.Client, error) {
	var user string
	err := db.QueryRowContext(ctx, `SELECT u.Name FROM AD_User u JOIN AD_User_Roles r ON r.AD_User_ID=u.AD_User_ID
		WHERE r.AD_Role_ID=0 AND r.IsActive='Y' AND u.IsActive='Y' ORDER BY u.AD_User_ID DESC LIMIT 1`).Scan(&user)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errors.New("no user of the twin has the role System Administrator (AD_Role_ID 0): clone it with a login that sees tenant System")
	}
	if err != nil {
		return nil, err
	}
	token, err := srv.APIToken(ctx, user, 0, 0, 0, time.Hour)
	if err != nil {
		return nil, fmt.Errorf("logging in to the copy of the twin: %w", err)
	}
	return erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
}

// rowsOf counts the rows of a table, 0 for one that there is not.
func rowsOf(ctx context.Context, db *sql.DB, table string) (rows int64, err error) {
	var columns int
	err = db.QueryRowContext(ctx, `SELECT COUNT(*) FROM pragma_table_info(?)`, table).Scan(&columns)
	if err != nil || columns == 0 {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+sqlquote.Name(table)).Scan(&rows)
	return rows, err
}

// withRows names the tables that have rows.
func withRows(tables []rehearsedRow) string {
	var parts []string
	for _, t := range tables {
		if t.Rows > 0 {
			parts = append(parts, t.Table+" "+strconv.FormatInt(t.Rows, 10))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (rows: " + strings.Join(parts, ", ") + ")"
}
