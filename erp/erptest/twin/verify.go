package twin

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/twinfile"
)

// Errors of twins that cannot be used.
var (
	// ErrVersion is in the error for a twin that another version of this module made.
	ErrVersion = twinfile.ErrVersion
	// ErrDamaged is in the error for a twin whose file is damaged.
	ErrDamaged = twinfile.ErrDamaged
	// ErrNoTwin is in the error for a database that is not a twin.
	ErrNoTwin = errors.New("it is no twin")
)

// Info is what a twin says of itself.
type Info struct {
	Origin string
	Kind   string
	Made   time.Time
	Masked bool
	Rows   int64
	// Digest is over the digests of all tables: it is the same for two clones of the
	// same rows with the same options.
	Digest string
	Report Report
	// Options are those it was made with, as far as they are about its content.
	Options Options
	// Changed are the tables whose rows are no longer those that were cloned: a
	// sandbox that served the twin has written to them, or the file was changed
	// otherwise. Who logged in when, and how far the sequences have counted, does not
	// count.
	Changed []string
}

// Inspect reads what the twin at path (see [InFolder]) says of itself. Of Info,
// Changed is not filled in. The file is not changed.
func Inspect(ctx context.Context, path string) (_ *Info, err error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, fmt.Errorf("inspecting the twin %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	info, _, err := inspect(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("inspecting the twin %s: %w", path, err)
	}
	return info, nil
}

func inspect(ctx context.Context, db *sql.DB) (*Info, []twinfile.Part, error) {
	head, err := twinfile.ReadHead(ctx, db.QueryContext)
	if err != nil {
		if store.Condition(err) == store.ErrDamaged && !errors.Is(err, ErrDamaged) {
			err = errors.Join(ErrDamaged, err)
		}
		return nil, nil, err
	}
	if head == nil {
		return nil, nil, ErrNoTwin
	}
	parts, err := twinfile.ReadParts(ctx, db.QueryContext)
	if err != nil {
		return nil, nil, err
	}
	info := &Info{Origin: head.Origin, Kind: head.Kind, Made: head.Made, Masked: head.Masked, Digest: digestOf(parts)}
	if err := errors.Join(json.Unmarshal(head.Report, &info.Report), json.Unmarshal(head.Options, &info.Options)); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for _, p := range parts {
		info.Rows += p.Rows
	}
	return info, parts, nil
}

// Verify reads all rows of the twin at path (see [InFolder]) and compares them with
// what it says of itself. A file whose structure is damaged, or that another
// version made, is an error; rows that differ are listed in [Info].Changed. The
// file is not changed.
func Verify(ctx context.Context, path string) (*Info, error) {
	fail := func(err error) (*Info, error) { return nil, fmt.Errorf("verifying the twin %s: %w", path, err) }
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return fail(err)
	}
	defer db.Close() //nolint:errcheck // it is only read
	info, parts, err := inspect(ctx, db)
	if err != nil {
		return fail(err)
	}
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return fail(errors.Join(ErrDamaged, err))
	}
	if verdict != "ok" {
		return fail(fmt.Errorf("%w (%s): put back a copy, or clone it again", ErrDamaged, verdict))
	}
	for _, p := range parts {
		rows, digest, err := twinfile.Digest(ctx, db.QueryContext, p.Name)
		if ctx.Err() != nil {
			return fail(ctx.Err())
		}
		if err != nil || rows != p.Rows || digest != p.Digest {
			info.Changed = append(info.Changed, p.Name)
		}
	}
	return info, nil
}

// digestOf sums up what the tables of a twin say of their rows.
func digestOf(parts []twinfile.Part) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%s %d %s\n", p.Name, p.Rows, p.Digest)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// InFolder is the path of the twin in a folder.
func InFolder(dir string) string { return filepath.Join(dir, twinfile.FileName) }
