package erptest

import (
	"context"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// processResult is what a process reports when it has run.
type processResult struct {
	summary string
	isError bool
	logs    []processLog
	data    any          // JSON data of the process itself, nil if none
	report  *processFile // reportFile, reportFileName, reportFileLength
	export  *processFile // exportFile, exportFileName, exportFileLength
	// after is run when the outcome is recorded, which happens also when what the
	// process did is undone because it failed; nil for nothing.
	after func(ctx context.Context, tx *store.Tx, result processResult) error
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

// implementation is the last part of a process's class name, by which the
// server knows what to run.
func implementation(row store.Row) string {
	name := row.String("Classname")
	return name[strings.LastIndexByte(name, '.')+1:]
}

func parameterRows(ctx context.Context, tx *store.Tx, processID int64) ([]store.Row, error) {
	return rowsWhere(ctx, tx, "AD_Process_Para", "SeqNo, AD_Process_Para_ID", "AD_Process_ID=? AND IsActive='Y'", processID)
}
