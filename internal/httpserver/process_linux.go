package httpserver

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
)

// ticks is the unit of times in /proc, a second's hundredth on every
// architecture Go runs on.
const ticks = 100

// readProcess reads the figures from /proc.
func readProcess() (*processFigures, error) {
	f := &processFigures{}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return nil, err
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return nil, fmt.Errorf("/proc/self/statm has %d fields", len(fields))
	}
	pages, err := strconv.ParseFloat(string(fields[1]), 64)
	if err != nil {
		return nil, err
	}
	f.resident = pages * float64(os.Getpagesize())
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, err
	}
	f.openFiles = float64(len(files) - 1) // reading the folder opened one
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return nil, err
	}
	f.cpuSeconds = float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
	f.started, err = processStart()
	return f, err
}

// processStart is when this process started; it is read once.
var processStart = sync.OnceValues(func() (float64, error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, err
	}
	// The second field is the program's name in parentheses, which may hold
	// anything. The start is field 22, in ticks after the boot.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return 0, fmt.Errorf("/proc/self/stat has %d fields after the name", len(fields))
	}
	after, err := strconv.ParseFloat(string(fields[19]), 64)
	if err != nil {
		return 0, err
	}
	system, err := os.Open("/proc/stat")
	if err != nil {
		return 0, err
	}
	defer system.Close()
	for lines := bufio.NewScanner(system); lines.Scan(); {
		var boot float64
		if _, err := fmt.Sscanf(lines.Text(), "btime %f", &boot); err == nil {
			return boot + after/ticks, nil
		}
	}
	return 0, fmt.Errorf("/proc/stat does not tell the time of the boot")
})
