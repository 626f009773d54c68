package process

import (
	"context"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Result is what a process reports when it has run.
type Result struct {
	Summary string
	IsError bool
	Logs    []LogLine
	Data    any   // JSON data of the process itself, nil if none
	Report  *File // reportFile, reportFileName, reportFileLength
	Export  *File // exportFile, exportFileName, exportFileLength
	// after is run when the outcome is recorded, which happens also when what the
	// process did is undone because it failed; nil for nothing.
	After func(ctx context.Context, tx *store.Tx, result Result) error
}

// log adds a line to the log.
func (r *Result) log(message string) { r.Logs = append(r.Logs, LogLine{Message: message}) }

// LogLine is one line of a process's log; zero members are left out.
type LogLine struct {
	Date    time.Time
	Number  string // a decimal
	Message string
}

// File is a file a process made.
type File struct {
	Name string
	Data []byte
}

// implementation is the last part of a process's class name, by which the
// server knows what to run.
func implementation(row store.Row) string {
	name := row.String("Classname")
	return name[strings.LastIndexByte(name, '.')+1:]
}

// ParameterRows are the active parameters of a process in their order.
func ParameterRows(ctx context.Context, tx *store.Tx, processID int64) ([]store.Row, error) {
	return engine.RowsWhere(ctx, tx, "AD_Process_Para", "SeqNo, AD_Process_Para_ID", "AD_Process_ID=? AND IsActive='Y'", processID)
}
