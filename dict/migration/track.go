package migration

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/sqlquote"
	"github.com/erphub/erphub/internal/text"
)

// States of a row of AD_MigrationScript.
const (
	statusRunning = "IP"
	statusDone    = "CO"
	statusFailed  = "ER"
)

// maxDescription is how much of an error the tracking row holds.
const maxDescription = 2000

// tracked is the row that a run keeps account in.
type tracked struct {
	id      int64
	retried bool
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// bind writes the n-th parameter of a statement.
func (a *application) bind(n int) string {
	if a.dialect == dict.Oracle {
		return ":" + strconv.Itoa(n)
	}
	return "$" + strconv.Itoa(n)
}

// prepare makes the ERP's schema the one that names are looked for in.
func (a *application) prepare(ctx context.Context, db execer) error {
	schema := sqlquote.Name(a.opts.Schema)
	var err error
	if a.dialect == dict.Oracle {
		_, err = db.ExecContext(ctx, "ALTER SESSION SET CURRENT_SCHEMA="+strings.ToUpper(schema))
	} else {
		_, err = db.ExecContext(ctx, "SELECT pg_catalog.set_config('search_path', $1, true)", schema+", public")
	}
	if err != nil {
		return fmt.Errorf("apply migration script %s: use the schema %s: %w", a.source.Name, a.opts.Schema, err)
	}
	return nil
}

// begin writes that the script is being applied, or finds that it may not be.
func (a *application) begin(ctx context.Context, db *sql.DB) (t tracked, err error) {
	wrap := func(err error) error {
		return fmt.Errorf("keep account of migration script %s: %w", a.source.Name, err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return t, wrap(err)
	}
	defer func() {
		if err != nil {
			if end := tx.Rollback(); end != nil && !errors.Is(end, sql.ErrTxDone) && ctx.Err() == nil {
				err = errors.Join(err, end)
			}
		}
	}()
	if err := a.prepare(ctx, tx); err != nil {
		return t, err
	}
	if err := a.ready(ctx, tx); err != nil {
		return t, err
	}
	// Two that begin the same script wait for each other here, so that there is
	// one row.
	lock, key := "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", any("AD_MigrationScript "+a.source.Name)
	if a.dialect == dict.Oracle {
		lock, key = "LOCK TABLE AD_MigrationScript IN EXCLUSIVE MODE", nil
	}
	if err := exec(ctx, tx, lock, key); err != nil {
		return t, wrap(err)
	}
	var id sql.NullInt64
	if err := tx.QueryRowContext(ctx, "SELECT MAX(AD_MigrationScript_ID) FROM AD_MigrationScript WHERE Name="+a.bind(1), a.source.Name).Scan(&id); err != nil {
		return t, wrap(err)
	}
	if !id.Valid {
		t.id, err = a.insert(ctx, tx)
	} else {
		t.id, t.retried = id.Int64, true
		if err = a.claim(ctx, tx, t.id); err == nil {
			err = a.restart(ctx, tx, &t)
		}
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil && !errors.Is(err, ErrApplied) && !errors.Is(err, ErrRunning) {
		err = wrap(err)
	}
	return t, err
}

func exec(ctx context.Context, db execer, query string, arg any) error {
	var err error
	if arg == nil {
		_, err = db.ExecContext(ctx, query)
	} else {
		_, err = db.ExecContext(ctx, query, arg)
	}
	return err
}

// ready finds out whether the database has what scripts need.
func (a *application) ready(ctx context.Context, db execer) error {
	if a.dialect == dict.Oracle {
		return nil // what is missing shows in the first statement
	}
	var table, function, dual bool
	err := db.QueryRowContext(ctx, `SELECT to_regclass('ad_migrationscript') IS NOT NULL,
		EXISTS (SELECT 1 FROM pg_catalog.pg_proc WHERE proname = 'register_migration_script'), to_regclass('dual') IS NOT NULL`).Scan(&table, &function, &dual)
	if err != nil {
		return fmt.Errorf("look at the database for migration scripts: %w", err)
	}
	var missing []string
	for _, m := range []struct {
		there bool
		name  string
	}{{table, "table AD_MigrationScript"}, {function, "function register_migration_script"}, {dual, "view dual"}} {
		if !m.there {
			missing = append(missing, m.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: there is no %s in schema %s; is this the ERP's database?", ErrNotReady, strings.Join(missing, ", no "), a.opts.Schema)
	}
	return nil
}

// insert makes the row.
func (a *application) insert(ctx context.Context, db execer) (int64, error) {
	cast := ""
	if a.dialect == dict.PostgreSQL {
		cast = "::integer"
	}
	from := ""
	if a.dialect == dict.Oracle {
		from = " FROM dual"
	}
	var id sql.NullInt64
	err := db.QueryRowContext(ctx, "SELECT nextidfunc((SELECT AD_Sequence_ID FROM AD_Sequence WHERE Name='AD_MigrationScript' AND IsTableID='Y')"+
		cast+",'N')"+from).Scan(&id)
	if err != nil {
		return 0, err
	}
	if !id.Valid {
		return 0, fmt.Errorf("%w: AD_Sequence has no row for AD_MigrationScript", ErrNotReady)
	}
	user := strconv.Itoa(a.opts.User)
	release := a.bind(5)
	args := []any{id.Int64, a.source.Name, string(a.dialect) + "/" + a.source.Name, a.opts.Project}
	if a.opts.Release == "" {
		release = "(SELECT MAX(ReleaseNo) FROM AD_System)"
	} else {
		args = append(args, a.opts.Release)
	}
	args = append(args, []byte(a.source.Text), string(dict.NewUUID()))
	// isApply is N: the ERP's own process would take a row with Y and IP for one
	// that waits for it.
	_, err = db.ExecContext(ctx, "INSERT INTO AD_MigrationScript (AD_MigrationScript_ID,AD_Client_ID,AD_Org_ID,IsActive,Created,CreatedBy,Updated,UpdatedBy,"+
		"Name,FileName,ProjectName,ReleaseNo,Script,Status,isApply,ScriptRoll,AD_MigrationScript_UU) VALUES ("+
		a.bind(1)+",0,0,'Y',"+a.now()+","+user+","+a.now()+","+user+","+a.bind(2)+","+a.bind(3)+","+a.bind(4)+","+release+","+
		a.bind(len(args)-1)+",'"+statusRunning+"','N','N',"+a.bind(len(args))+")", args...)
	return id.Int64, err
}

func (a *application) now() string {
	if a.dialect == dict.Oracle {
		return "SYSDATE"
	}
	return "LOCALTIMESTAMP(0)"
}

// claim locks the row until the transaction ends, unless somebody else has it or
// the script is completed.
func (a *application) claim(ctx context.Context, db execer, id int64) error {
	var status string
	var updated time.Time
	err := db.QueryRowContext(ctx, "SELECT Status, Updated FROM AD_MigrationScript WHERE AD_MigrationScript_ID="+a.bind(1)+" FOR UPDATE NOWAIT", id).
		Scan(&status, &updated)
	switch {
	case err != nil && locked(err):
		return fmt.Errorf("%w (%s); wait for it to end", ErrRunning, a.source.Name)
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("its row in AD_MigrationScript was deleted meanwhile; apply it again")
	case err != nil:
		return err
	case status == statusDone:
		return &AppliedError{Name: a.source.Name, When: updated}
	}
	return nil
}

// locked reports whether the row is locked, by what the databases call it.
func locked(err error) bool {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		return state.SQLState() == "55P03"
	}
	return strings.Contains(err.Error(), "ORA-00054")
}

// restart makes the row of a run that did not end well one that is running.
func (a *application) restart(ctx context.Context, db execer, t *tracked) error {
	_, err := db.ExecContext(ctx, "UPDATE AD_MigrationScript SET Status='"+statusRunning+"', isApply='N', Script="+a.bind(1)+", Updated="+a.now()+
		", UpdatedBy="+strconv.Itoa(a.opts.User)+" WHERE AD_MigrationScript_ID="+a.bind(2), []byte(a.source.Text), t.id)
	return err
}

// complete writes that the script was applied. Description is emptied: it held
// the error of an earlier run, or that the registration, which finds our row,
// took it for one.
func (a *application) complete(ctx context.Context, db execer, t tracked) error {
	result, err := db.ExecContext(ctx, "UPDATE AD_MigrationScript SET Status='"+statusDone+"', isApply='N', Description=NULL, Updated="+a.now()+
		", UpdatedBy="+strconv.Itoa(a.opts.User)+" WHERE AD_MigrationScript_ID="+a.bind(1), t.id)
	if err != nil {
		return fmt.Errorf("complete migration script %s: %w", a.source.Name, err)
	}
	if n, err := result.RowsAffected(); err == nil && n != 1 {
		return fmt.Errorf("complete migration script %s: its row in AD_MigrationScript is gone", a.source.Name)
	}
	return nil
}

// settle writes down why a run failed. When the response to the last step was
// lost, it finds out what became of it first.
func (a *application) settle(ctx context.Context, db *sql.DB, t tracked, cause error) (err error) {
	note := func(err error) error {
		return errors.Join(cause, fmt.Errorf("its row in AD_MigrationScript still says %s, because it could not be changed: %w", statusRunning, err))
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return note(err)
	}
	finish := func(err error) error {
		if end := tx.Rollback(); end != nil && !errors.Is(end, sql.ErrTxDone) {
			return errors.Join(err, end)
		}
		return err
	}
	if err := a.prepare(ctx, tx); err != nil {
		return finish(note(err))
	}
	switch err := a.waitAndClaim(ctx, tx, t.id); {
	case errors.Is(err, ErrApplied):
		return finish(nil) // the transaction was completed, only its response was lost
	case err != nil:
		return finish(note(err))
	}
	why := text.Shorten(text.Storable(cause.Error()), maxDescription)
	_, err = tx.ExecContext(ctx, "UPDATE AD_MigrationScript SET Status='"+statusFailed+"', isApply='N', Description="+a.bind(1)+", Updated="+a.now()+
		" WHERE AD_MigrationScript_ID="+a.bind(2), why, t.id)
	if err != nil {
		return finish(note(err))
	}
	if err := tx.Commit(); err != nil {
		return note(err)
	}
	return cause
}

// waitAndClaim claims the row, and waits for a transaction of ours whose
// connection broke to be undone.
func (a *application) waitAndClaim(ctx context.Context, tx *sql.Tx, id int64) error {
	var n int
	err := tx.QueryRowContext(ctx, "SELECT 1 FROM AD_MigrationScript WHERE AD_MigrationScript_ID="+a.bind(1)+" FOR UPDATE", id).Scan(&n)
	if err != nil {
		return err
	}
	return a.claim(ctx, tx, id)
}
