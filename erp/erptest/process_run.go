package erptest

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
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

// startRun records the instance and claims the process.
func (s *session) startRun(ctx context.Context, tx *store.Tx, run *processRun, job bool) error {
	values := store.Row{
		"AD_Process_ID": run.process.Int("AD_Process_ID"), "Record_ID": run.recordID, "AD_User_ID": s.UserID,
		"IsProcessing": "Y", "IsRunAsJob": "N", "Name": nil,
	}
	if run.tableID > 0 {
		values["AD_Table_ID"] = run.tableID
	}
	if s.SessionID > 0 {
		values["AD_Session_ID"] = s.SessionID
	}
	if job {
		values["IsRunAsJob"], values["NotificationType"] = "Y", run.notification
	}
	if run.reportType != "" && len(run.reportType) <= 5 {
		values["ReportType"] = run.reportType
	}
	instance, err := s.insertRow(ctx, tx, "AD_PInstance", values)
	if err != nil {
		return err
	}
	run.instanceID = instance.id()
	if err := s.saveParameters(ctx, tx, run); err != nil {
		return err
	}
	if run.claimed = s.erp.processes.claim(run, s.ClientID, job); !run.claimed {
		return refuse(errConflict, msgAlreadyRunning, run.slug)
	}
	return nil
}

func (s *session) saveParameters(ctx context.Context, tx *store.Tx, run *processRun) error {
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
		if _, err := s.insertRow(ctx, tx, "AD_PInstance_Para", values); err != nil {
			return err
		}
	}
	return nil
}

// errProcessFailed undoes what a process did before it reported an error.
var errProcessFailed = errors.New("the process failed")

// perform runs the process in a transaction of its own, or under a savepoint of
// the one that is open, which is undone when it fails, and records the outcome.
func (s *session) perform(ctx context.Context, in *store.Tx, run *processRun) (processResult, error) {
	var result processResult
	err := s.erp.update(ctx, in, func(tx *store.Tx) error {
		var err error
		result, err = s.runImplementation(ctx, tx, run)
		if err == nil && result.isError {
			return errProcessFailed
		}
		return err
	})
	if err != nil && !errors.Is(err, errProcessFailed) {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		s.erp.opts.Log.Warn("process failed", "process", run.process.String("Value"), "error", err)
		var api *erpError
		summary := publicText(err)
		if errors.As(err, &api) {
			summary = api.detail
		}
		result = processResult{summary: summary, isError: true}
	}
	s.erp.files.leave(result)
	finish := ctx
	if ctx.Err() != nil { // the outcome is recorded also when the caller has gone
		var cancel context.CancelFunc
		finish, cancel = context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
	}
	err = s.erp.update(finish, in, func(tx *store.Tx) error { return s.finishRun(finish, tx, run, result) })
	return result, err
}

// finishRun records the outcome of a run.
func (s *session) finishRun(ctx context.Context, tx *store.Tx, run *processRun, result processResult) error {
	t, err := tx.Table(ctx, "AD_PInstance")
	if err != nil {
		return err
	}
	change := store.Row{"IsProcessing": "N", "Result": int64(1), "Updated": s.storedNow()}
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
