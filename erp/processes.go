package erp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"
)

// Process is a process or report.
type Process struct {
	ID          int64  `json:"id"`
	UUID        string `json:"uid"`
	Slug        string `json:"slug"`  // address of the process, made from Value
	Value       string `json:"Value"` // search key
	Name        string `json:"Name"`
	Description string `json:"Description"`
	Help        string `json:"Help"`
	EntityType  Ref    `json:"EntityType"`
	IsReport    bool   `json:"IsReport"`
	// Parameters is filled by Client.Process only.
	Parameters []ProcessParameter `json:"parameters"`
	// Record has all members, as the server sent them.
	Record Record `json:"-"`
}

// UnmarshalJSON reads a process as the server sends it.
func (p *Process) UnmarshalJSON(data []byte) error {
	type fields Process
	return decodeBeside(data, (*fields)(p), &p.Record)
}

// ProcessParameter is a parameter of a process.
type ProcessParameter struct {
	ID          int64  `json:"id"`
	UUID        string `json:"uid"`
	Parameter   string `json:"parameterName"` // key in ProcessParams.Values
	Name        string `json:"Name"`
	Description string `json:"Description"`
	SeqNo       int    `json:"SeqNo"`
	Type        Ref    `json:"AD_Reference_ID"`
	IsMandatory bool   `json:"IsMandatory"` // not checked by the server
	IsRange     bool   `json:"IsRange"`     // upper bound under the name with _to
	Default     string `json:"DefaultValue"`
	// Record has all members, as the server sent them: also the list or table that
	// the values are from (AD_Reference_Value_ID), limits and logic.
	Record Record `json:"-"`
}

// UnmarshalJSON reads a parameter as the server sends it.
func (p *ProcessParameter) UnmarshalJSON(data []byte) error {
	type fields ProcessParameter
	return decodeBeside(data, (*fields)(p), &p.Record)
}

// decodeBeside reads an object into the fields of a struct and as a record.
func decodeBeside(data []byte, fields any, record *Record) error {
	if err := decodeJSON(data, fields); err != nil {
		return err
	}
	return record.UnmarshalJSON(data)
}

// ReportType is the format of a report.
type ReportType string

// Report formats.
const (
	ReportPDF  ReportType = "PDF" // the default
	ReportHTML ReportType = "HTML"
	ReportCSV  ReportType = "CSV"
	ReportXLS  ReportType = "XLS"
	ReportXLSX ReportType = "XLSX"
)

func (t ReportType) check() error {
	switch t {
	case "", ReportPDF, ReportHTML, ReportCSV, ReportXLS, ReportXLSX:
		return nil
	}
	return invalid("%s is not a report format; use PDF, HTML, CSV, XLS or XLSX", quote(string(t)))
}

// ProcessParams are the settings for a run of a process. nil and the zero value run it
// without parameters.
type ProcessParams struct {
	// Values are the parameters by ProcessParameter.Parameter, as columns are
	// written in Create. The server ignores names it does not know and does
	// not check mandatory ones.
	Values map[string]any
	// RecordID, with Table or TableID, is the record the process works on. The
	// server takes ids above 0.
	RecordID int64
	Table    string
	TableID  int64
	// ReportType, Summary and PrintFormat are for reports.
	ReportType  ReportType
	Summary     bool
	PrintFormat ID
	// Timeout replaces the response time-out of the client for this run: the
	// server says nothing while a process runs. Below 0 a run has no time-out.
	Timeout time.Duration
	// Notify says how the user is notified of a background job; StartJob only.
	Notify Notification
}

// Notification is the way the user is notified that a background job is done.
type Notification string

// Notifications.
const (
	NotifyBoth   Notification = "B" // the default
	NotifyEMail  Notification = "E"
	NotifyNotice Notification = "N"
)

// ProcessResult is the result of a process.
type ProcessResult struct {
	InstanceID int64           `json:"AD_PInstance_ID"`
	Process    string          `json:"process"` // the slug
	Summary    string          `json:"summary"`
	IsError    bool            `json:"isError"`
	Data       json.RawMessage `json:"data"`
	Logs       []ProcessLog    `json:"logs"`
	NodeID     string          `json:"nodeId"` // in a cluster
	// ReportFile is a report in PDF.
	ReportFile     []byte `json:"reportFile"`
	ReportFileName string `json:"reportFileName"`
	// ExportFile is a report in another format, or a file the process made. A
	// file with the extension json comes as JSON text.
	ExportFile     FileData `json:"exportFile"`
	ExportFileName string   `json:"exportFileName"`
}

// File returns the file that came with the result, whichever member it was in.
func (r *ProcessResult) File() (name string, data []byte, ok bool) {
	switch {
	case r.ReportFileName != "" || len(r.ReportFile) > 0:
		return r.ReportFileName, r.ReportFile, true
	case r.ExportFileName != "" || len(r.ExportFile) > 0:
		return r.ExportFileName, r.ExportFile, true
	}
	return "", nil, false
}

// FileData is the content of a file, base64 on the wire, or JSON as it is.
type FileData []byte

// UnmarshalJSON decodes text as base64 and keeps anything else.
func (d *FileData) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && (raw[0] == '"' || raw[0] == 'n') {
		return json.Unmarshal(raw, (*[]byte)(d))
	}
	*d = append(FileData(nil), raw...)
	return nil
}

// ProcessLog is a line of a process log. Date is in the server's locale.
type ProcessLog struct {
	Date    string  `json:"date"`
	Number  Decimal `json:"number"`
	Data    string  `json:"data"`
	Message string  `json:"msg"`
}

// ProcessError is a process that ran and reported failure. The server responds
// 200 in that case. It matches ErrProcessFailed.
type ProcessError struct {
	Slug   string
	Result *ProcessResult
}

// Error gives the summary of the process.
func (e *ProcessError) Error() string {
	summary := cmp.Or(cleanText(e.Result.Summary, maxErrorText), "no reason given")
	return fmt.Sprintf("process %s failed: %s (instance %d)", e.Slug, summary, e.Result.InstanceID)
}

// Is reports whether target is ErrProcessFailed.
func (e *ProcessError) Is(target error) bool { return target == ErrProcessFailed }

// Processes lists the processes and reports the role may run, ordered by
// Value. The filter is on columns of AD_Process.
func (c *Client) Processes(ctx context.Context, filter Filter) ([]Process, error) {
	var out struct {
		Processes *[]Process `json:"processes"`
	}
	if err := c.list(ctx, []string{"processes"}, filter, &out); err != nil {
		return nil, err
	}
	return listed(out.Processes, "processes")
}

// Process returns a process with its parameters. It is addressed by slug: the
// search key in small letters with - for blanks and punctuation; see Slug.
func (c *Client) Process(ctx context.Context, slug string) (*Process, error) {
	var p Process
	if err := c.into(ctx, &request{method: http.MethodGet, path: []string{"processes", slug}}, &p); err != nil {
		return nil, err
	}
	return &p, nil
}

// RunProcess runs a process or report and waits for it. A run that failed
// gives both the result and a *ProcessError. A number is sent as it is, which
// works on servers that address processes by number; the ERP's own REST plugin
// knows slugs only. A run is never retried once it was sent.
func (c *Client) RunProcess(ctx context.Context, slug string, params *ProcessParams) (*ProcessResult, error) {
	r, err := processRequest(params, "processes", slug)
	if err != nil {
		return nil, fmt.Errorf("run process %s: %w", quote(slug), err)
	}
	return c.processResult(ctx, r, slug)
}

func (c *Client) processResult(ctx context.Context, r *request, slug string) (*ProcessResult, error) {
	var result ProcessResult
	if err := c.into(ctx, r, &result); err != nil {
		return nil, err
	}
	if result.IsError {
		return &result, &ProcessError{Slug: slug, Result: &result}
	}
	return &result, nil
}

// Print prints a record through the print process of its window. An empty format
// is PDF.
func (c *Client) Print(ctx context.Context, table string, id ID, format ReportType) (*ProcessResult, error) {
	if err := format.check(); err != nil {
		return nil, err
	}
	path, err := c.address(table, id, "print")
	if err != nil {
		return nil, err
	}
	r := &request{method: http.MethodGet, path: path}
	r.query.addText("$report_type", string(format))
	return c.processResult(ctx, r, "print")
}

// processRequest writes the body of a run: parameters and control members.
func processRequest(params *ProcessParams, path ...string) (*request, error) {
	body := map[string]any{}
	r := &request{method: http.MethodPost, path: path}
	if params != nil {
		maps.Copy(body, params.Values)
		if err := params.ReportType.check(); err != nil {
			return nil, err
		}
		if params.RecordID < 0 || params.TableID < 0 {
			return nil, invalid("RecordID and TableID must not be negative")
		}
		if params.RecordID > 0 {
			body["record-id"] = params.RecordID
		}
		if params.TableID > 0 {
			body["table-id"] = params.TableID
		} else if params.Table != "" {
			body["model-name"] = params.Table
		}
		if params.ReportType != "" {
			body["report-type"] = params.ReportType
		}
		if params.Summary {
			body["is-summary"] = true
		}
		if !params.PrintFormat.IsZero() {
			body["print-format-id"] = params.PrintFormat
		}
		r.silence = params.Timeout
	}
	var err error
	r.body, err = jsonObject(body)
	return r, err
}
