package erptest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

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
	defer c.srv.erp.processes.done(run.instanceID)
	result, err := c.session.perform(c.ctx(), c.tx, run)
	if err != nil {
		return orTitled("Server error", err)
	}
	c.json(http.StatusOK, resultObject(run, result))
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
		return c.session.startRun(c.ctx(), tx, run, job)
	})
	if err != nil {
		if run != nil && run.claimed {
			c.srv.erp.processes.done(run.instanceID)
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
	stored, err := c.session.toStored(ctx, tx, col, v)
	if err != nil {
		var public plainError
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

// resultObject is the result of a run as the API writes it.
func resultObject(run *processRun, p processResult) *wire.Object {
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
