package registry

import "time"

// SetClock gives a cache another clock.
func SetClock(c *Cache, now func() time.Time) { c.now = now }
