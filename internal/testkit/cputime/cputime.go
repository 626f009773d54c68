// Package cputime tells benchmarks how much of the processors this process used,
// which a machine that is busy with something else changes less than the time.
package cputime
