package erptest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// processRun is one run of a process.
type processRun struct {
	process    store.Row
	slug       string // as the caller wrote it
	instanceID int64  // AD_PInstance_ID
	recordID   int64  // 0 for none
	tableID    int64
	params     map[string]parameter
	reportType string // PDF, HTML, CSV, XLS or XLSX; "" when not asked for
	summary    bool
	claimed    bool // the process is marked as running
	// notification is how the end of a job is announced: E mail, N notice, B both.
	notification string
}

// parameter is the value of a parameter, stored form; nil for none.
type parameter struct {
	value, to any
	file      []byte // the content of a file given with the request
	ref       int
}

// text is the parameter as text.
func (r *processRun) text(name string) string { return store.Row{"": r.params[name].value}.String("") }

// id is the parameter as a number.
func (r *processRun) id(name string) int64 { return store.Row{"": r.params[name].value}.Int("") }

// flag tells whether the parameter is yes; def counts when it was not given.
func (r *processRun) flag(name string, def bool) bool {
	if r.params[name].value == nil {
		return def
	}
	return r.text(name) == "Y"
}

// runProcess answers POST /processes/{slug}: 200 whenever the process ran, with
// isError telling whether it failed.
func runProcess(c *call) error {
	run, err := c.prepareRun(false)
	if err != nil {
		return err
	}
	return c.execute(run)
}

// execute runs a prepared process to its end and answers with its result.
func (c *call) execute(run *processRun) error {
	defer c.srv.processes.done(run.instanceID)
	result, err := c.perform(c.ctx(), run)
	if err != nil {
		return orTitled("Server error", err)
	}
	c.json(http.StatusOK, result.object(run))
	return nil
}

// prepareRun reads a request to run a process and records the instance. A
// process that must not run twice at once is refused while it does.
func (c *call) prepareRun(job bool) (*processRun, error) {
	v, bodyErr := c.bodyValue()
	var run *processRun
	err := c.update(c.ctx(), func(tx *store.Tx) error {
		process, err := c.findProcess(c.ctx(), tx, c.param("slug"), true)
		if err != nil {
			return err
		}
		var unread *pageError // too large, or broken off
		if errors.As(bodyErr, &unread) {
			return bodyErr
		}
		body, ok := v.(*wire.Object)
		if bodyErr != nil || !ok {
			return page(http.StatusInternalServerError)
		}
		run, err = c.readRun(c.ctx(), tx, process, body)
		if err != nil {
			return err
		}
		run.notification = notificationType(body)
		return c.startRun(c.ctx(), tx, run, job)
	})
	if err != nil {
		if run != nil && run.claimed {
			c.srv.processes.done(run.instanceID)
		}
		return nil, orTitled("Server error", err)
	}
	return run, nil
}

// notificationType is how the end of a job is announced.
func notificationType(body *wire.Object) string {
	switch t := scalarMember(body, "notification-type"); t {
	case "E", "N":
		return t
	}
	return "B"
}

// readRun reads parameters and control members. Values of a wrong type escape
// the guards of the real server.
func (c *call) readRun(ctx context.Context, tx *store.Tx, process store.Row, body *wire.Object) (*processRun, error) {
	run := &processRun{process: process, slug: c.param("slug"), params: map[string]parameter{}}
	rows, err := parameterRows(ctx, tx, process.Int("AD_Process_ID"))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		name := row.String("ColumnName")
		col := &store.Column{Name: name, Ref: int(row.Int("AD_Reference_ID")), RefValue: row.Int("AD_Reference_Value_ID")}
		p := parameter{ref: col.Ref}
		if v, ok := member(body, name); ok {
			if err := c.readParameter(ctx, tx, col, v, &p); err != nil {
				return nil, err
			}
		}
		if row.Bool("IsRange") {
			v, ok := body.Get(propertyName(name) + "_to")
			if !ok {
				v, ok = body.Get(name + "_to")
			}
			if ok {
				if p.to, err = c.parameterValue(ctx, tx, col, v); err != nil {
					return nil, err
				}
			}
		}
		run.params[name] = p
	}
	if run.recordID, err = controlNumber(body, "record-id"); err != nil {
		return nil, err
	}
	if run.recordID > 0 {
		if run.tableID, err = controlNumber(body, "table-id"); err != nil {
			return nil, err
		}
		if run.tableID == 0 {
			if t, err := tx.Table(ctx, scalarMember(body, "model-name")); err == nil {
				run.tableID = t.ID
			}
		}
	} else {
		run.recordID = 0
	}
	if isReport(process) {
		run.reportType = strings.ToUpper(scalarMember(body, "report-type"))
		run.summary = strings.EqualFold(scalarMember(body, "is-summary"), "true")
	}
	return run, nil
}

// readParameter reads a parameter; files may come with the request.
func (c *call) readParameter(ctx context.Context, tx *store.Tx, col *store.Column, v any, p *parameter) error {
	o, ok := v.(*wire.Object)
	if col.Ref != store.TypeFileName || !ok {
		var err error
		p.value, err = c.parameterValue(ctx, tx, col, v)
		return err
	}
	data, err := decodeBase64(scalarMember(o, "fileContent"))
	if err != nil || len(data) == 0 {
		return page(http.StatusInternalServerError)
	}
	p.file, p.value = data, scalarMember(o, "fileName")
	if p.value == "" {
		p.value = "RESTUploadedFile.bin"
	}
	return nil
}

func (c *call) parameterValue(ctx context.Context, tx *store.Tx, col *store.Column, v any) (any, error) {
	stored, err := c.toStored(ctx, tx, col, v)
	if err != nil {
		var public plainError
		var api *apiError
		if errors.As(err, &public) || errors.As(err, &api) {
			return nil, page(http.StatusInternalServerError)
		}
		return nil, err
	}
	return stored, nil
}

// controlNumber is a number among the control members, 0 when it is absent.
func controlNumber(body *wire.Object, name string) (int64, error) {
	v, ok := body.Get(name)
	if !ok || v == nil {
		return 0, nil
	}
	switch v.(type) {
	case string, json.Number:
		n, err := integer(field{name: name}, v)
		if err != nil {
			return 0, page(http.StatusInternalServerError)
		}
		return n.(int64), nil
	case bool:
		return 0, page(http.StatusInternalServerError)
	}
	return 0, nil
}

// startRun records the instance and claims the process.
func (c *call) startRun(ctx context.Context, tx *store.Tx, run *processRun, job bool) error {
	values := store.Row{
		"AD_Process_ID": run.process.Int("AD_Process_ID"), "Record_ID": run.recordID, "AD_User_ID": c.session.UserID,
		"IsProcessing": "Y", "IsRunAsJob": "N", "Name": nil,
	}
	if run.tableID > 0 {
		values["AD_Table_ID"] = run.tableID
	}
	if c.session.SessionID > 0 {
		values["AD_Session_ID"] = c.session.SessionID
	}
	if job {
		values["IsRunAsJob"], values["NotificationType"] = "Y", run.notification
	}
	if run.reportType != "" && len(run.reportType) <= 5 {
		values["ReportType"] = run.reportType
	}
	instance, err := c.insertRow(ctx, tx, "AD_PInstance", values)
	if err != nil {
		return err
	}
	run.instanceID = instance.id()
	if err := c.saveParameters(ctx, tx, run); err != nil {
		return err
	}
	if run.claimed = c.srv.processes.claim(run, c.session.ClientID, job); !run.claimed {
		return fail(http.StatusConflict, msgAlreadyRunning, run.slug)
	}
	return nil
}

func (c *call) saveParameters(ctx context.Context, tx *store.Tx, run *processRun) error {
	rows, err := parameterRows(ctx, tx, run.process.Int("AD_Process_ID"))
	if err != nil {
		return err
	}
	for i, row := range rows {
		p := run.params[row.String("ColumnName")]
		if p.value == nil && p.to == nil {
			continue
		}
		values := store.Row{
			"AD_PInstance_ID": run.instanceID, "SeqNo": int64((i + 1) * 10), "ParameterName": row.String("ColumnName"),
		}
		for suffix, v := range map[string]any{"": p.value, "_To": p.to} {
			switch v := v.(type) {
			case nil:
			case int64:
				values["P_Number"+suffix] = strconv.FormatInt(v, 10)
			case string:
				kind := (&store.Column{Name: row.String("ColumnName"), Ref: p.ref}).Kind()
				switch kind {
				case store.KindDecimal:
					values["P_Number"+suffix] = v
				case store.KindDate, store.KindDateTime, store.KindInstant, store.KindTime:
					values["P_Date"+suffix] = v[:min(len(v), len(storedDateTime))]
				default:
					values["P_String"+suffix] = v
				}
			}
		}
		if _, err := c.insertRow(ctx, tx, "AD_PInstance_Para", values); err != nil {
			return err
		}
	}
	return nil
}

// errProcessFailed undoes what a process did before it reported an error.
var errProcessFailed = errors.New("the process failed")

// perform runs the process in a transaction of its own, which is undone when
// it fails, and records the outcome.
func (c *call) perform(ctx context.Context, run *processRun) (processResult, error) {
	var result processResult
	err := c.update(ctx, func(tx *store.Tx) error {
		var err error
		result, err = c.runImplementation(ctx, tx, run)
		if err == nil && result.isError {
			return errProcessFailed
		}
		return err
	})
	if err != nil && !errors.Is(err, errProcessFailed) {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		c.srv.log.Warn("process failed", "process", run.process.String("Value"), "error", err)
		var api *apiError
		summary := publicText(err)
		if errors.As(err, &api) {
			summary = api.detail
		}
		result = processResult{summary: summary, isError: true}
	}
	c.srv.files.leave(result)
	finish := ctx
	if ctx.Err() != nil { // the outcome is recorded also when the caller has gone
		var cancel context.CancelFunc
		finish, cancel = context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
	}
	err = c.update(finish, func(tx *store.Tx) error { return c.finishRun(finish, tx, run, result) })
	return result, err
}

// finishRun records the outcome of a run.
func (c *call) finishRun(ctx context.Context, tx *store.Tx, run *processRun, result processResult) error {
	t, err := tx.Table(ctx, "AD_PInstance")
	if err != nil {
		return err
	}
	change := store.Row{"IsProcessing": "N", "Result": int64(1), "Updated": c.storedNow()}
	text := result.summary
	if result.isError {
		change["Result"] = int64(0)
	}
	if runes := []rune(text); len(runes) > 2000 {
		text = string(runes[:2000])
	}
	change["ErrorMsg"] = text
	for name := range change {
		if _, ok := t.Column(name); !ok {
			delete(change, name)
		}
	}
	if _, err := tx.Set(ctx, t, change, "AD_PInstance_ID=?", run.instanceID); err != nil {
		return err
	}
	if result.after != nil {
		if err := result.after(ctx, tx, result); err != nil {
			return err
		}
	}
	for i, log := range result.logs {
		values := store.Row{"AD_PInstance_ID": run.instanceID, "Log_ID": int64(i + 1), "PInstanceLogType": "R"}
		if log.message != "" {
			runes := []rune(log.message)
			values["P_Msg"] = string(runes[:min(len(runes), 4000)])
		}
		if log.number != "" {
			values["P_Number"] = log.number
		}
		if !log.date.IsZero() {
			values["P_Date"] = log.date.UTC().Format(storedDateTime)
		}
		logs, err := tx.Table(ctx, "AD_PInstance_Log")
		if err != nil {
			return err
		}
		if uu := logs.UUColumn(); uu != nil {
			values[uu.Name] = store.NewUUID()
		}
		if err := tx.Insert(ctx, logs, values); err != nil {
			return err
		}
	}
	return nil
}

// object is the result as the API writes it.
func (p processResult) object(run *processRun) *wire.Object {
	o := wire.NewObject("AD_PInstance_ID", run.instanceID, "process", run.slug, "summary", nil)
	if p.summary != "" {
		o.Set("summary", p.summary)
	}
	if p.data != nil {
		o.Set("data", p.data)
	}
	o.Set("isError", p.isError)
	for _, f := range []struct {
		name string
		file *processFile
	}{{"reportFile", p.report}, {"exportFile", p.export}} {
		if f.file == nil {
			continue
		}
		if strings.HasSuffix(f.file.name, ".json") && json.Valid(f.file.data) {
			o.Set(f.name, json.RawMessage(f.file.data))
		} else {
			o.Set(f.name, base64.StdEncoding.EncodeToString(f.file.data))
		}
		o.Set(f.name+"Name", f.file.name)
		o.Set(f.name+"Length", len(f.file.data))
	}
	if len(p.logs) > 0 {
		logs := make([]any, 0, len(p.logs))
		for _, log := range p.logs {
			line := wire.NewObject()
			if !log.date.IsZero() {
				line.Set("date", log.date.Format("01/02/2006"))
			}
			if log.number != "" {
				line.Set("number", wire.Decimal(log.number))
			}
			if log.message != "" {
				line.Set("msg", log.message)
			}
			logs = append(logs, line)
		}
		o.Set("logs", logs)
	}
	return o
}
