package app

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// releaseStart gives back the pages of the program that only its start needed:
// every package's beginning was touched, spread over the whole file. They are
// clean copies of the file, and come back when they are used.
func releaseStart() {
	self, err := os.Executable()
	if err != nil {
		return // it costs memory, nothing else
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	type span struct{ from, to uint64 }
	var spans []span // the list is read before it changes
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || fields[5] != self || strings.Contains(fields[1], "w") {
			continue
		}
		low, high, _ := strings.Cut(fields[0], "-")
		from, err1 := strconv.ParseUint(low, 16, 64)
		to, err2 := strconv.ParseUint(high, 16, 64)
		if err1 == nil && err2 == nil && from < to {
			spans = append(spans, span{from, to})
		}
	}
	for _, s := range spans {
		// That it did not work costs memory and nothing else.
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(s.from), uintptr(s.to-s.from), unix.MADV_DONTNEED)
	}
}
