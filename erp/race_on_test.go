//go:build race

package erp_test

// raceDetector tells that everything takes ten times as long.
const raceDetector = true
