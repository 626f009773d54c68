package twin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/twinfile"
)

// previous is the twin whose rows a refresh uses again.
type previous struct {
	db     *sql.DB
	source *Database
	report map[string]*TableReport // by name in upper case
	parts  map[string]twinfile.Part
}

// Refresh brings the twin in a folder up to date with its ERP: it is cloned again
// with the options it was made with, but rows of tables that have as many rows and
// the same newest change as then are taken from the twin, unless somebody changed
// them there. Of opts, what says how to clone counts, not what; a masked twin needs
// its key and rules. What users of the twin wrote into it is gone afterwards, and they get a
// new password.
func Refresh(ctx context.Context, src Source, dir string, opts Options) (_ *Report, err error) {
	fail := func(err error) (*Report, error) {
		return nil, fmt.Errorf("refreshing the twin in %s from %s: %w", dir, src.Origin(), err)
	}
	db, err := store.OpenReadOnly(InFolder(dir))
	if err != nil {
		return fail(err)
	}
	defer db.Close() //nolint:errcheck // it is only read
	info, parts, err := inspect(ctx, db)
	if err != nil {
		return fail(err)
	}
	if opts, err = opts.withDefaults().withKey(dir); err != nil {
		return fail(err)
	}
	switch {
	case info.Origin != src.Origin() || info.Kind != src.Kind():
		return fail(fmt.Errorf("it is a twin of %s (read by %s): refresh it from there, or make another one", info.Origin, info.Kind))
	case info.Report.Masking != opts.Masking.Fingerprint():
		return fail(errors.New("it was masked otherwise: give the key and the rules that it was made with, or make another one"))
	}
	p := &previous{db: db, report: map[string]*TableReport{}, parts: map[string]twinfile.Part{}}
	if p.source, err = NewDatabase(db, SQLite, nil); err != nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, p.close()) }() // again does nothing
	for i := range info.Report.Tables {
		t := &info.Report.Tables[i]
		p.report[strings.ToUpper(t.Table)] = t
	}
	for _, part := range parts {
		p.parts[strings.ToUpper(part.Name)] = part
	}
	own := opts
	opts = info.Options
	opts.Masking, opts.Resume, opts.Password, opts.Retries = own.Masking, own.Resume, own.Password, own.Retries
	opts.Backoff, opts.Progress, opts.Clock, opts.Logger = own.Backoff, own.Progress, own.Clock, own.Logger
	opts.previous = p
	return Clone(ctx, src, dir, opts)
}

// close gives the file up, so that it can be replaced.
func (p *previous) close() error {
	if p == nil {
		return nil
	}
	return errors.Join(p.source.Close(), p.db.Close())
}

// usable reports whether the rows of a table can be taken from the former twin.
// Those that a clone changes after it has read them are read again, and those with
// columns that do not count in digests.
func (p *previous) usable(ctx context.Context, t *store.Table, part Part, now Stamp) (bool, error) {
	if p == nil || foundationTable(t.Name) || strings.EqualFold(t.Name, "AD_Sequence") || strings.EqualFold(t.Name, "AD_User") {
		return false, nil
	}
	was, there := p.report[strings.ToUpper(t.Name)]
	content, written := p.parts[strings.ToUpper(t.Name)]
	if !there || !written || was.Part != part || part == Referenced || was.Unreadable != "" || len(was.Emptied)+len(was.LeftOut) > 0 || !was.Source.Equal(now) {
		return false, nil
	}
	rows, digest, err := twinfile.Digest(ctx, p.db.QueryContext, t.Name)
	if err != nil {
		return false, ctx.Err() // a table that is damaged, or gone, is read again
	}
	if rows != content.Rows || digest != content.Digest {
		return false, nil
	}
	return p.hasColumns(ctx, t) // it may have got others since
}

func (p *previous) hasColumns(ctx context.Context, t *store.Table) (bool, error) {
	var columns int
	if err := p.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM pragma_table_info(?)`, t.Name).Scan(&columns); err != nil {
		return false, err
	}
	stored := 0
	for _, c := range t.Columns {
		if !c.IsVirtual() {
			stored++
		}
	}
	return columns == stored, nil
}
