//go:build race

package main

// raceEnabled leaves out some scripts, which then run without the detector.
const raceEnabled = true
