package erptest

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/displaytype"
)

// runProcess handles POST /processes/{slug}: 200 whenever the process ran, with
// isError telling whether it failed.
func runProcess(c *call) error {
	run, err := c.prepareRun(false)
	if err != nil {
		return err
	}
	return c.execute(run)
}

// execute runs a prepared process to its end and responds with its result.
func (c *call) execute(run *process.Run) error {
	defer c.srv.processes.Done(run.InstanceID)
	result, err := c.srv.processes.Perform(c.ctx(), c.session, c.tx, run)
	if err != nil {
		return orTitled("Server error", err)
	}
	c.json(http.StatusOK, resultObject(run, result))
	return nil
}

// prepareRun reads a request to run a process and records the instance. A
// process that must not run twice at once is refused while it does.
func (c *call) prepareRun(job bool) (*process.Run, error) {
	v, bodyErr := c.bodyValue()
	var run *process.Run
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
		if job {
			run.Notification = notificationType(body)
		}
		return c.srv.processes.Begin(c.ctx(), c.session, tx, run, job)
	})
	if err != nil {
		if run != nil && run.Claimed {
			c.srv.processes.Done(run.InstanceID)
		}
		return nil, orTitled("Server error", err)
	}
	return run, nil
}

// notificationType is how the end of a job is announced.
func notificationType(body *wire.Object) string {
	switch t := engine.ScalarMember(body, "notification-type"); t {
	case "E", "N":
		return t
	}
	return "B"
}

// readRun reads parameters and control members. Values of a wrong type escape
// the guards of the real server.
func (c *call) readRun(ctx context.Context, tx *store.Tx, proc store.Row, body *wire.Object) (*process.Run, error) {
	run := &process.Run{Process: proc, Slug: c.param("slug"), Params: map[string]process.Parameter{}}
	rows, err := process.ParameterRows(ctx, tx, proc.Int("AD_Process_ID"))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		name := row.String("ColumnName")
		col := &store.Column{Name: name, Ref: int(row.Int("AD_Reference_ID")), RefValue: row.Int("AD_Reference_Value_ID")}
		p := process.Parameter{Ref: col.Ref}
		if v, ok := engine.Member(body, name); ok {
			if err := c.readParameter(ctx, tx, col, v, &p); err != nil {
				return nil, err
			}
		}
		if row.Bool("IsRange") {
			v, ok := body.Get(engine.PropertyName(name) + "_to")
			if !ok {
				v, ok = body.Get(name + "_to")
			}
			if ok {
				if p.To, err = c.parameterValue(ctx, tx, col, v); err != nil {
					return nil, err
				}
			}
		}
		run.Params[name] = p
	}
	if run.RecordID, err = controlNumber(body, "record-id"); err != nil {
		return nil, err
	}
	if run.RecordID > 0 {
		if run.TableID, err = controlNumber(body, "table-id"); err != nil {
			return nil, err
		}
		if run.TableID == 0 {
			if t, err := tx.Table(ctx, engine.ScalarMember(body, "model-name")); err == nil {
				run.TableID = t.ID
			}
		}
	} else {
		run.RecordID = 0
	}
	if process.IsReport(proc) {
		run.ReportType = strings.ToUpper(engine.ScalarMember(body, "report-type"))
		run.Summary = strings.EqualFold(engine.ScalarMember(body, "is-summary"), "true")
	}
	return run, nil
}

// readParameter reads a parameter; files may come with the request.
func (c *call) readParameter(ctx context.Context, tx *store.Tx, col *store.Column, v any, p *process.Parameter) error {
	o, ok := v.(*wire.Object)
	if col.Ref != displaytype.FileName || !ok {
		var err error
		p.Value, err = c.parameterValue(ctx, tx, col, v)
		return err
	}
	data, err := engine.DecodeBase64(engine.ScalarMember(o, "fileContent"))
	if err != nil || len(data) == 0 {
		return page(http.StatusInternalServerError)
	}
	p.File, p.Value = data, engine.ScalarMember(o, "fileName")
	p.Value = cmp.Or(p.Value, "RESTUploadedFile.bin")
	return nil
}

func (c *call) parameterValue(ctx context.Context, tx *store.Tx, col *store.Column, v any) (any, error) {
	stored, err := c.session.ToStored(ctx, tx, col, v)
	if err != nil {
		var public engine.PublicError
		var api *apiError
		if errors.As(err, &public) || asAPI(err, &api) {
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
		n, err := engine.Integer(engine.Field{Name: name}, v)
		if err != nil {
			return 0, page(http.StatusInternalServerError)
		}
		return n.(int64), nil
	case bool:
		return 0, page(http.StatusInternalServerError)
	}
	return 0, nil
}

// resultObject is the result of a run as the API writes it.
func resultObject(run *process.Run, p process.Result) *wire.Object {
	o := wire.NewObject("AD_PInstance_ID", run.InstanceID, "process", run.Slug, "summary", nil)
	if p.Summary != "" {
		o.Set("summary", p.Summary)
	}
	if p.Data != nil {
		o.Set("data", p.Data)
	}
	o.Set("isError", p.IsError)
	for _, f := range []struct {
		name string
		file *process.File
	}{{"reportFile", p.Report}, {"exportFile", p.Export}} {
		if f.file == nil {
			continue
		}
		if strings.HasSuffix(f.file.Name, ".json") && json.Valid(f.file.Data) {
			o.Set(f.name, json.RawMessage(f.file.Data))
		} else {
			o.Set(f.name, base64.StdEncoding.EncodeToString(f.file.Data))
		}
		o.Set(f.name+"Name", f.file.Name)
		o.Set(f.name+"Length", len(f.file.Data))
	}
	if len(p.Logs) > 0 {
		logs := make([]any, 0, len(p.Logs))
		for _, log := range p.Logs {
			line := wire.NewObject()
			if !log.Date.IsZero() {
				line.Set("date", log.Date.Format("01/02/2006"))
			}
			if log.Number != "" {
				line.Set("number", wire.Decimal(log.Number))
			}
			if log.Message != "" {
				line.Set("msg", log.Message)
			}
			logs = append(logs, line)
		}
		o.Set("logs", logs)
	}
	return o
}
