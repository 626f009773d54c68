//go:build !race

package erp_test

const raceDetector = false
