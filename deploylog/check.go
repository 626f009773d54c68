package deploylog

import (
	"fmt"

	"github.com/erphub/erphub/internal/text"
)

// Check looks for what is wrong with calls without making them; nil ones are
// left out. The error matches ErrInvalid. What the transition table says is only
// known when a call is made.
func (l *Log) Check(n *NewRun, u *Update, c *Completion, r *Rollback) error {
	if n != nil {
		run := *n
		if _, err := l.startBody(&run); err != nil {
			return err
		}
	}
	if u != nil {
		if _, err := l.updateBody(u); err != nil {
			return err
		}
		if err := u.check(); err != nil {
			return err
		}
	}
	if c != nil {
		if err := c.check(); err != nil {
			return err
		}
	}
	if r != nil {
		if _, err := l.limits.exact("VersionPrevious", "the version that is running again", r.Version); err != nil {
			return err
		}
	}
	return nil
}

// check looks at the state an update moves to.
func (u *Update) check() error {
	switch u.Status {
	case "", Deploying:
		return nil
	case Success, Failed:
		return fmt.Errorf("%w: a run becomes %s by Complete, not by Update", ErrInvalid, u.Status)
	case RolledBack:
		return fmt.Errorf("%w: a run becomes %s by Rollback, not by Update", ErrInvalid, u.Status)
	}
	return fmt.Errorf("%w: an update may move a run to %s, not to %s", ErrInvalid, Deploying, text.Quote(string(u.Status)))
}

// check looks at the state a run ends in.
func (c *Completion) check() error {
	switch {
	case c.Status != Success && c.Status != Failed:
		return fmt.Errorf("%w: a run is completed with %s or %s, not with %s", ErrInvalid, Success, Failed, text.Quote(string(c.Status)))
	case c.Status == Success && c.ErrorMessage != "":
		return fmt.Errorf("%w: a run that ended in %s has no error message", ErrInvalid, Success)
	}
	return nil
}
