//go:build !race

package restdict_test

const raceEnabled = false
