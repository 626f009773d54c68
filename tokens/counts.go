package tokens

import "sync/atomic"

// Counts say how often a manager asked its ERP for tokens since it was made. A
// service shows them among its metrics: a token lives for an hour at most, so
// refreshes that stop, or that fail, are seen there before requests fail.
type Counts struct {
	// Refreshes brought a new token, which was stored. A token that another
	// process had stored is taken without one.
	Refreshes int64
	// RefreshesFailed brought none, or one that could not be stored. Attempts
	// that were not made, because the last one had just failed, do not count.
	RefreshesFailed int64
	// Logins and LoginsFailed are the same of logins, the manager's own and those
	// of [Manager.Login]; a login in steps counts with its last one.
	Logins       int64
	LoginsFailed int64
}

// Counts returns the counts until now. It never waits for a refresh under way.
func (m *Manager) Counts() Counts {
	return Counts{
		Refreshes: m.refreshes.ok.Load(), RefreshesFailed: m.refreshes.failed.Load(),
		Logins: m.logins.ok.Load(), LoginsFailed: m.logins.failed.Load(),
	}
}

// outcomes counts attempts.
type outcomes struct{ ok, failed atomic.Int64 }

func (o *outcomes) add(err error) {
	if err != nil {
		o.failed.Add(1)
		return
	}
	o.ok.Add(1)
}
