package restdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// importTable holds what is to be imported; the archive is attached to it.
const importTable = "AD_Package_Imp_Proc"

// ImportOptions change how a package is imported. Nil and the zero value are the
// defaults.
type ImportOptions struct {
	// Override lets the package change records of the ERP's own dictionary.
	Override bool
	// FileName of the attachment; empty: 2Pack_1.0.0.zip.
	FileName string
	// Process that imports packages, by slug or number; empty: it is found by
	// itself.
	Process string
	// Timeout is the time the server may be silent while it imports; 0: 5
	// minutes, negative: without limit.
	Timeout time.Duration
}

// ImportResult is the outcome of importing a package.
type ImportResult struct {
	ID         int64 // AD_Package_Imp_Proc_ID of the record with the archive
	InstanceID int64 // AD_PInstance_ID of the run; 0 when its response was lost
	Process    *Process
	Summary    string
	// Logs says per element what was done, as far as the server tells.
	Logs []string
	// Took is the time from the first request to the last.
	Took time.Duration
}

// ErrOutcomeUnknown is in the error of an import whose response was lost and of
// which the ERP has no result: it may still be running. Look at the record that
// [ImportResult] names before importing again.
var ErrOutcomeUnknown = errors.New("whether the package was imported is not known")

// ImportPackage has the ERP import a package archive: it creates a record for it
// under the name, attaches the archive and runs the process that imports
// packages. An import is all or nothing; one that the ERP refused is an
// [*erp.ProcessError] with the result beside it. The run is never retried. When
// its response is lost, the result is read from the record; without a result
// the error wraps [ErrOutcomeUnknown].
func ImportPackage(ctx context.Context, c *erp.Client, name string, archive []byte, opts *ImportOptions) (*ImportResult, error) {
	var o ImportOptions
	if opts != nil {
		o = *opts
	}
	o.FileName = cmp.Or(o.FileName, "2Pack_1.0.0.zip")
	if !strings.EqualFold(path.Ext(o.FileName), ".zip") {
		return nil, fmt.Errorf("import package: the ERP reads files whose name ends in .zip, not %q", o.FileName)
	}
	if strings.TrimSpace(name) == "" || len(archive) == 0 {
		return nil, errors.New("import package: a name and an archive are needed")
	}
	start := time.Now()
	process, err := FindProcess(ctx, c, dict.ImportPackage, o.Process)
	if err != nil {
		return nil, err
	}
	rec, err := c.Create(ctx, importTable, map[string]any{
		"Name": name, "AD_Package_Source_Type": "File", "AD_Override_Dict": o.Override,
	})
	if err != nil {
		return nil, fmt.Errorf("import package %s: creating its record: %w", quote(name), err)
	}
	result := &ImportResult{Process: process}
	result.ID, _ = rec.ID().Int()
	defer func() { result.Took = time.Since(start) }()
	if err := c.UploadAttachment(ctx, importTable, rec.ID(), erp.NewAttachment(o.FileName, archive)); err != nil {
		return result, fmt.Errorf("import package %s: attaching the archive to record %d: %w", quote(name), result.ID, err)
	}
	timeout := (&Options{ProcessTimeout: o.Timeout}).withDefaults().ProcessTimeout
	run, err := c.RunProcess(ctx, process.Slug, &erp.ProcessParams{RecordID: result.ID, Table: importTable, Timeout: timeout})
	if run != nil {
		result.InstanceID, result.Summary = run.InstanceID, run.Summary
		for _, l := range run.Logs {
			result.Logs = append(result.Logs, l.Message)
		}
	}
	if err == nil {
		return result, nil
	}
	if run == nil && erp.Retryable(err) && ctx.Err() == nil {
		return result, lostImport(ctx, c, name, result, err)
	}
	return result, fmt.Errorf("import package %s: %w", quote(name), err)
}

// packageDone is what the ERP writes into AD_Package_Imp.PK_Status.
const packageDone = "Completed successfully"

// lostImport finds out how an import ended whose response was lost.
func lostImport(ctx context.Context, c *erp.Client, name string, result *ImportResult, cause error) error {
	unknown := func(err error) error {
		return fmt.Errorf("import package %s, record %d: %w: %w", quote(name), result.ID, ErrOutcomeUnknown, err)
	}
	rec, err := c.Get(ctx, importTable, erp.IntID(result.ID), &erp.GetOptions{Select: []string{"P_Msg", "DateProcessed"}})
	if err != nil {
		return unknown(errors.Join(cause, err))
	}
	message, _ := rec.Text("P_Msg")
	if message == "" {
		return unknown(cause)
	}
	result.Summary = message
	page, err := c.Query(ctx, "AD_Package_Imp", &erp.Query{Filter: erp.Eq("AD_Package_Imp_Proc_ID", result.ID), Select: []string{"PK_Status"}, Top: 1})
	if err != nil {
		return unknown(errors.Join(cause, err))
	}
	if len(page.Records) == 0 {
		return unknown(cause)
	}
	if status, _ := page.Records[0].Text("PK_Status"); status != packageDone {
		return fmt.Errorf("import package %s: %s", quote(name), result.Summary)
	}
	return nil
}
