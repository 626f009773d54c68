// Package testproc starts the servers that tests run against: real programs,
// found on this machine, stopped when the test ends and, on Linux, when the
// test binary dies.
package testproc
