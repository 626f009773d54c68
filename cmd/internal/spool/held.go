package spool

import (
	"context"
	"errors"

	"github.com/erphub/erphub/cmd/internal/outbox"
	"github.com/erphub/erphub/erp"
)

// hold notes that a file cannot be read, so that the later calls of its run wait.
func (d *delivery) hold(f *outbox.Entry, err error) {
	if d.held == nil {
		d.held = map[string]*FileError{}
	}
	why := &FileError{File: f.Path, Run: f.Key, Err: err}
	if d.held[f.Key] == nil {
		d.held[f.Key] = why
	}
	d.warn(why)
}

// heldBy is the file that holds a call back, nil for none.
func (d *delivery) heldBy(ctx context.Context, e *entry) (*FileError, error) {
	for run, why := range d.held {
		if run == "" {
			return why, nil
		}
		if same, err := d.sameRun(ctx, run, e.Key); same || err != nil {
			return why, err
		}
	}
	return nil, nil
}

// sameRun reports whether two names are those of one run, which may go by its
// number here and by its UUID there.
func (d *delivery) sameRun(ctx context.Context, a, b string) (bool, error) {
	if a == b {
		return true, nil
	}
	first, err := d.uuidOf(ctx, a)
	if err != nil {
		return false, err
	}
	second, err := d.uuidOf(ctx, b)
	return first == second, err
}

// uuidOf is the UUID of a run as the ERP has it; what the ERP does not know
// stays as it is.
func (d *delivery) uuidOf(ctx context.Context, run string) (string, error) {
	if uuid, ok := d.uuids[run]; ok {
		return uuid, nil
	}
	id, err := erp.ParseID(run)
	if err != nil {
		return run, nil //nolint:nilerr // no run at all
	}
	found, err := d.log.Get(ctx, d.resolve(id))
	uuid := run
	switch {
	case err == nil && found.UUID != "":
		uuid = runKey(erp.UUID(found.UUID))
	case err != nil && !errors.Is(err, erp.ErrNotFound):
		return "", err
	}
	if d.uuids == nil {
		d.uuids = map[string]string{}
	}
	d.uuids[run] = uuid
	return uuid, nil
}
