package erptest

import (
	"time"
)

// processResult is what a process reports when it has run.
type processResult struct {
	summary string
	isError bool
	logs    []processLog
	data    any          // JSON data of the process itself, nil if none
	report  *processFile // reportFile, reportFileName, reportFileLength
	export  *processFile // exportFile, exportFileName, exportFileLength
}

// processLog is one line of a process's log; zero members are left out.
type processLog struct {
	date    time.Time
	number  string // a decimal
	message string
}

// processFile is a file a process made.
type processFile struct {
	name string
	data []byte
}

func processRoutes() []route { return nil }
