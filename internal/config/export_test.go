package config

import "time"

// LockTimes replaces the times after which somebody who waits for the lock is
// told so, and gives up.
func LockTimes(tell, giveUp time.Duration) Option {
	return func(f *File) { f.tellAfter, f.giveUpAfter = tell, giveUp }
}
