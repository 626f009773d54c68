// Package testclock is a clock that a test sets.
package testclock

import (
	"sync/atomic"
	"time"
)

// Clock stands still until it is moved. It is safe for concurrent use.
type Clock struct{ at atomic.Pointer[time.Time] }

// New makes a clock that shows a time.
func New(at time.Time) *Clock {
	c := &Clock{}
	c.at.Store(&at)
	return c
}

// Now is what the clock shows.
func (c *Clock) Now() time.Time { return *c.at.Load() }

// Advance moves the clock, back where d is negative.
func (c *Clock) Advance(d time.Duration) {
	for {
		before := c.at.Load()
		after := before.Add(d)
		if c.at.CompareAndSwap(before, &after) {
			return
		}
	}
}
