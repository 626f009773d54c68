//go:build unix

package cputime

import (
	"syscall"
	"testing"
	"time"
)

// Used is the time this process used so far, for itself and in the system.
func Used(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
