//go:build race

package tokens_test

// raceDetector tells that everything takes ten times as long.
const raceDetector = true
