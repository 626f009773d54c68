package process

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Run is one run of a process.
type Run struct {
	Process    store.Row
	Slug       string // as the caller wrote it
	InstanceID int64  // AD_PInstance_ID
	RecordID   int64  // 0 for none
	TableID    int64
	Params     map[string]Parameter
	ReportType string // PDF, HTML, CSV, XLS or XLSX; "" when not asked for
	Summary    bool
	Claimed    bool // the process is marked as running
	// Notification is how the end of a job is announced: E by mail, N by a notice,
	// B by both. Other runs have none.
	Notification string
}

// Parameter is the value of a parameter, stored form; nil for none.
type Parameter struct {
	Value, To any
	File      []byte // the content of a file given with the request
	Ref       int
}

// Text is the parameter as text.
func (r *Run) Text(name string) string { return store.Row{"": r.Params[name].Value}.String("") }

// id is the parameter as a number.
func (r *Run) id(name string) int64 { return store.Row{"": r.Params[name].Value}.Int("") }

// flag reports whether the parameter is yes; def counts when it was not given.
func (r *Run) flag(name string, def bool) bool {
	if r.Params[name].Value == nil {
		return def
	}
	return r.Text(name) == "Y"
}

// Begin records the instance of a run and claims the process, which the caller
// ends with [Manager.Done].
func (t *Manager) Begin(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run, job bool) error {
	values := store.Row{
		"AD_Process_ID": run.Process.Int("AD_Process_ID"), "Record_ID": run.RecordID, "AD_User_ID": s.UserID,
		"IsProcessing": "Y", "IsRunAsJob": "N", "Name": nil,
	}
	if run.TableID > 0 {
		values["AD_Table_ID"] = run.TableID
	}
	if s.SessionID > 0 {
		values["AD_Session_ID"] = s.SessionID
	}
	if s.TraceID != "" {
		values["ExternalTraceId"] = s.TraceID
	}
	if job {
		values["IsRunAsJob"], values["NotificationType"] = "Y", run.Notification
	}
	if run.ReportType != "" && len(run.ReportType) <= 5 {
		values["ReportType"] = run.ReportType
	}
	instance, err := s.InsertRow(ctx, tx, "AD_PInstance", values)
	if err != nil {
		return err
	}
	run.InstanceID = instance.ID()
	if err := saveParameters(ctx, s, tx, run); err != nil {
		return err
	}
	if run.Claimed = t.claim(run, s.ClientID, job); !run.Claimed {
		return engine.Refuse(engine.Conflict, engine.MsgAlreadyRunning, run.Slug)
	}
	return nil
}

func saveParameters(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) error {
	rows, err := ParameterRows(ctx, tx, run.Process.Int("AD_Process_ID"))
	if err != nil {
		return err
	}
	for i, row := range rows {
		p := run.Params[row.String("ColumnName")]
		if p.Value == nil && p.To == nil {
			continue
		}
		values := store.Row{
			"AD_PInstance_ID": run.InstanceID, "SeqNo": int64((i + 1) * 10), "ParameterName": row.String("ColumnName"),
		}
		for suffix, v := range map[string]any{"": p.Value, "_To": p.To} {
			switch v := v.(type) {
			case nil:
			case int64:
				values["P_Number"+suffix] = strconv.FormatInt(v, 10)
			case string:
				kind := (&store.Column{Name: row.String("ColumnName"), Ref: p.Ref}).Kind()
				switch kind {
				case store.KindDecimal:
					values["P_Number"+suffix] = v
				case store.KindDate, store.KindDateTime, store.KindInstant, store.KindTime:
					values["P_Date"+suffix] = v[:min(len(v), len(engine.StoredDateTime))]
				default:
					values["P_String"+suffix] = v
				}
			}
		}
		if _, err := s.InsertRow(ctx, tx, "AD_PInstance_Para", values); err != nil {
			return err
		}
	}
	return nil
}

// errProcessFailed undoes what a process did before it reported an error.
var errProcessFailed = errors.New("the process failed")

// Perform runs the process in a transaction of its own, or under a savepoint of
// the one that is open, which is undone when it fails, and records the outcome.
func (t *Manager) Perform(ctx context.Context, s *engine.Session, in *store.Tx, run *Run) (Result, error) {
	var result Result
	err := s.ERP.Update(ctx, in, func(tx *store.Tx) error {
		var err error
		result, err = t.implement(ctx, s, tx, run)
		if err == nil && result.IsError {
			return errProcessFailed
		}
		return err
	})
	if err != nil && !errors.Is(err, errProcessFailed) {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		s.ERP.Options.Log.Warn("process failed", "process", run.Process.String("Value"), "error", err)
		var api *engine.Error
		summary := engine.PublicText(err)
		if errors.As(err, &api) {
			summary = api.Detail
		}
		result = Result{Summary: summary, IsError: true}
	}
	for _, f := range []*File{result.Report, result.Export} {
		if f != nil {
			s.ERP.Files.Leave(f.Name, f.Data)
		}
	}
	finish := ctx
	if ctx.Err() != nil { // the outcome is recorded also when the caller has gone
		var cancel context.CancelFunc
		finish, cancel = context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
	}
	err = s.ERP.Update(finish, in, func(tx *store.Tx) error { return finishRun(finish, s, tx, run, result) })
	return result, err
}

// finishRun records the outcome of a run and, for a job, leaves its notice in
// the same transaction: whoever sees that the job is over finds the notice.
func finishRun(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run, result Result) error {
	t, err := tx.Table(ctx, "AD_PInstance")
	if err != nil {
		return err
	}
	change := store.Row{"IsProcessing": "N", "Result": int64(1), "Updated": s.StoredNow()}
	text := result.Summary
	if result.IsError {
		change["Result"] = int64(0)
	}
	if runes := []rune(text); len(runes) > 2000 {
		text = string(runes[:2000])
	}
	change["ErrorMsg"] = text
	if _, err := tx.Set(ctx, t, change.Of(t), "AD_PInstance_ID=?", run.InstanceID); err != nil {
		return err
	}
	if result.After != nil {
		if err := result.After(ctx, tx, result); err != nil {
			return err
		}
	}
	for i, log := range result.Logs {
		if err := writeLogLine(ctx, tx, run, i, log); err != nil {
			return err
		}
	}
	return leaveNotice(ctx, s, tx, run, result)
}

func writeLogLine(ctx context.Context, tx *store.Tx, run *Run, i int, log LogLine) error {
	values := store.Row{"AD_PInstance_ID": run.InstanceID, "Log_ID": int64(i + 1), "PInstanceLogType": "R"}
	if log.Message != "" {
		runes := []rune(log.Message)
		values["P_Msg"] = string(runes[:min(len(runes), 4000)])
	}
	if log.Number != "" {
		values["P_Number"] = log.Number
	}
	if !log.Date.IsZero() {
		values["P_Date"] = log.Date.UTC().Format(engine.StoredDateTime)
	}
	logs, err := tx.Table(ctx, "AD_PInstance_Log")
	if err != nil {
		return err
	}
	if uu := logs.UUColumn(); uu != nil {
		values[uu.Name] = store.NewUUID()
	}
	return tx.Insert(ctx, logs, values)
}
