//go:build !race

package tokens_test

const raceDetector = false
