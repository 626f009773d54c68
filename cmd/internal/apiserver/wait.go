package apiserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// The times between attempts to open a database.
const (
	firstPause = 200 * time.Millisecond
	mostPause  = 5 * time.Second
)

// awaitDatabase opens a database, again and again while it cannot be reached: it
// may be started together with this program. Anything else that is wrong, such as
// a login that is refused, is returned at once.
func (a *app) awaitDatabase(ctx context.Context, most time.Duration, open func() error) error {
	err := open()
	if err == nil || most <= 0 || !databaseAway(err) {
		return err
	}
	a.Note("%v; waiting for the database, for %v at most", err, most)
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the database: %w (%w)", context.Cause(ctx), err)
		case <-deadline.C:
			return fmt.Errorf("%w; gave up after %v, which --database-wait changes", err, most)
		case <-time.After(pause):
		}
		if err = open(); err == nil || !databaseAway(err) {
			return err
		}
	}
}

// databaseAway reports whether nothing responded, or a server that starts, ends or
// has no connection left just now.
func databaseAway(err error) bool {
	var network net.Error
	var responded interface{ SQLState() string }
	switch {
	case errors.As(err, &responded):
		state := responded.SQLState()
		return state == "53300" || strings.HasPrefix(state, "57P0") || strings.HasPrefix(state, "08")
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return true
	}
	return errors.Is(err, context.DeadlineExceeded)
}
