package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Run runs a processor to its end and writes its log, in the open
// transaction if there is one.
func (m *Manager) Run(ctx context.Context, s *engine.Session, in *store.Tx, job Job) error {
	if !m.begin(job.ID) {
		return engine.Refuse(engine.Failed, "Server error", "The server job is running: "+job.ID)
	}
	begun := time.Now()
	log := LogLine{Created: s.ERP.Now(), Summary: "The run broke off", Failed: true}
	var next time.Time
	over := false
	defer func() {
		if !over { // also after a panic the job can run again
			m.end(job.ID, log, time.Since(begun), next)
		}
	}()
	var err error
	if job.Scheduler == 0 {
		err = s.ERP.View(ctx, in, func(tx *store.Tx) (err error) {
			log.Summary, err = job.work(ctx, s, tx)
			return err
		})
	} else {
		log.Summary, next, err = m.runScheduler(ctx, s, in, job.Scheduler)
	}
	log.Failed = err != nil
	if err != nil {
		s.ERP.Options.Log.Warn("server job failed", "job", job.ID, "error", err)
		log.Summary = engine.PublicText(err)
	}
	over = true
	run := m.end(job.ID, log, time.Since(begun), next)
	s.ERP.Options.Events.Info("server job ran", "job", job.ID, "run", run, "failed", log.Failed)
	if job.Scheduler == 0 {
		return nil
	}
	return s.ERP.Update(ctx, in, func(tx *store.Tx) error { return logScheduler(ctx, s, tx, job.Scheduler, log, run, next) })
}

// runScheduler runs the process of a scheduler as its supervisor and tells
// when it is due again.
func (m *Manager) runScheduler(ctx context.Context, s *engine.Session, in *store.Tx, id int64) (summary string, next time.Time, err error) {
	var run *process.Run
	var as *engine.Session
	err = s.ERP.Update(ctx, in, func(tx *store.Tx) error {
		row, err := engine.OneRow(ctx, tx, "AD_Scheduler", id)
		if err != nil {
			return err
		}
		if row == nil {
			return engine.PublicError(fmt.Sprintf("There is no scheduler %d any more", id))
		}
		schedule, err := engine.OneRow(ctx, tx, "AD_Schedule", row.Int("AD_Schedule_ID"))
		if err != nil {
			return err
		}
		next, _ = nextRun(schedule, s.ERP.Now().In(s.ERP.Options.Location))
		if as, err = supervisor(ctx, s, tx, row); err != nil {
			return err
		}
		if run, err = schedulerRun(ctx, as, tx, row); err != nil {
			return err
		}
		if err := m.processes.Begin(ctx, as, tx, run, false); err != nil {
			var refused *engine.Error
			if errors.As(err, &refused) {
				return engine.PublicError(refused.Title + ": " + refused.Detail)
			}
			return err
		}
		return nil
	})
	if run != nil && run.Claimed {
		defer m.processes.Done(run.InstanceID)
	}
	if err != nil {
		return "", next, err
	}
	result, err := m.processes.Perform(ctx, as, in, run)
	if err == nil && result.IsError {
		err = engine.PublicError(result.Summary)
	}
	return result.Summary, next, err
}

// supervisor is a session in the name of a scheduler's supervisor, with the first
// role the user has in the scheduler's tenant.
func supervisor(ctx context.Context, s *engine.Session, tx *store.Tx, scheduler store.Row) (*engine.Session, error) {
	user, client := scheduler.Int("Supervisor_ID"), scheduler.Int("AD_Client_ID")
	roles, err := engine.LookUpIDs(ctx, tx, `SELECT ur.AD_Role_ID FROM AD_User_Roles ur JOIN AD_Role r ON r.AD_Role_ID=ur.AD_Role_ID
		WHERE ur.AD_User_ID=? AND ur.IsActive='Y' AND r.IsActive='Y' AND r.AD_Client_ID=? ORDER BY ur.AD_Role_ID`, user, client)
	if err != nil {
		return nil, err
	}
	if len(roles) == 0 {
		return nil, engine.PublicError(fmt.Sprintf("The supervisor (user %d) has no role in tenant %d", user, client))
	}
	role, err := s.ERP.Roles.Get(ctx, tx, roles[0], user, s.ERP.Now())
	if err != nil {
		return nil, err
	}
	who, err := engine.OneRow(ctx, tx, "AD_User", user)
	if err != nil {
		return nil, err
	}
	return &engine.Session{
		ERP: s.ERP, ClientID: client, UserID: user, RoleID: roles[0], OrgID: scheduler.Int("AD_Org_ID"), UserName: who.String("Name"),
		Language: s.Language, Role: role,
	}, nil
}

// schedulerRun is the run a scheduler asks for: its process with its
// parameters and its record.
func schedulerRun(ctx context.Context, s *engine.Session, tx *store.Tx, scheduler store.Row) (*process.Run, error) {
	proc, err := engine.OneRow(ctx, tx, "AD_Process", scheduler.Int("AD_Process_ID"))
	if err != nil {
		return nil, err
	}
	if proc == nil || !proc.Bool("IsActive") {
		return nil, engine.PublicError("The scheduler has no active process")
	}
	if _, write, err := s.ProcessAccess(ctx, tx, proc.Int("AD_Process_ID")); err != nil {
		return nil, err
	} else if !write {
		return nil, engine.PublicError("The supervisor may not run the process " + proc.String("Value"))
	}
	run := &process.Run{
		Process: proc, Slug: slug.Of(proc.String("Value")), Params: map[string]process.Parameter{},
		RecordID: scheduler.Int("Record_ID"), TableID: scheduler.Int("AD_Table_ID"),
	}
	if process.IsReport(proc) {
		run.ReportType = strings.ToUpper(scheduler.String("ReportOutputType"))
	}
	given, err := engine.RowsWhere(ctx, tx, "AD_Scheduler_Para", "", "AD_Scheduler_ID=? AND IsActive='Y'", scheduler.Int("AD_Scheduler_ID"))
	if err != nil {
		return nil, err
	}
	values := map[int64]store.Row{}
	for _, row := range given {
		values[row.Int("AD_Process_Para_ID")] = row
	}
	rows, err := process.ParameterRows(ctx, tx, proc.Int("AD_Process_ID"))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		name := row.String("ColumnName")
		col := &store.Column{Name: name, Ref: int(row.Int("AD_Reference_ID")), RefValue: row.Int("AD_Reference_Value_ID")}
		p := process.Parameter{Ref: col.Ref}
		value := values[row.Int("AD_Process_Para_ID")]
		for column, into := range map[string]*any{"ParameterDefault": &p.Value, "ParameterToDefault": &p.To} {
			text := value.String(column)
			if text == "" {
				continue
			}
			if *into, err = s.ToStored(ctx, tx, col, text); err != nil {
				return nil, engine.PublicError(fmt.Sprintf("The scheduler's value for parameter %s cannot be used", name))
			}
		}
		run.Params[name] = p
	}
	return run, nil
}

// logScheduler writes a line to the log of a scheduler, drops lines that are
// older than it keeps them, and notes when it ran.
func logScheduler(ctx context.Context, s *engine.Session, tx *store.Tx, id int64, log LogLine, run int, next time.Time) error {
	row, err := engine.OneRow(ctx, tx, "AD_Scheduler", id)
	if err != nil || row == nil {
		return err
	}
	runes := []rune(log.Summary)
	values := store.Row{
		"AD_Scheduler_ID": id, "Summary": string(runes[:min(len(runes), 2000)]), "Reference": fmt.Sprintf("#%d", run), "IsError": "N",
	}
	if log.Failed {
		values["IsError"] = "Y"
	}
	by := engine.Stamp{ClientID: row.Int("AD_Client_ID"), OrgID: row.Int("AD_Org_ID"), UserID: s.UserID}
	if err := s.ERP.InsertRow(ctx, tx, "AD_SchedulerLog", by, values); err != nil {
		return err
	}
	logs, err := tx.Table(ctx, "AD_SchedulerLog")
	if err != nil {
		return err
	}
	if days := row.Int("KeepLogDays"); days > 0 && days < 100_000 {
		if _, err := tx.Delete(ctx, logs, "AD_Scheduler_ID=? AND Created<?", id, engine.DBTime(log.Created.AddDate(0, 0, -int(days)))); err != nil {
			return err
		}
	}
	schedulers, err := tx.Table(ctx, "AD_Scheduler")
	if err != nil {
		return err
	}
	change := store.Row{"DateLastRun": log.Created.UTC().Format(engine.StoredInstant)}
	if !next.IsZero() {
		change["DateNextRun"] = next.UTC().Format(engine.StoredInstant)
	}
	_, err = tx.Set(ctx, schedulers, change, "AD_Scheduler_ID=?", id)
	return err
}
