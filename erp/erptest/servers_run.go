package erptest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// runJobNow runs a processor to its end and writes its log, in the open
// transaction if there is one.
func (s *session) runJobNow(ctx context.Context, in *store.Tx, job serverJob) error {
	if !s.erp.jobs.begin(job.id) {
		return refuse(errFailed, "Server error", "The server job is running: "+job.id)
	}
	begun := time.Now()
	log := jobLog{created: s.erp.now(), summary: "The run broke off", failed: true}
	var next time.Time
	over := false
	defer func() {
		if !over { // also after a panic the job can run again
			s.erp.jobs.end(job.id, log, time.Since(begun), next)
		}
	}()
	var err error
	if job.scheduler == 0 {
		err = s.erp.view(ctx, in, func(tx *store.Tx) (err error) {
			log.summary, err = job.work(ctx, s, tx)
			return err
		})
	} else {
		log.summary, next, err = s.runScheduler(ctx, in, job.scheduler)
	}
	log.failed = err != nil
	if err != nil {
		s.erp.opts.Log.Warn("server job failed", "job", job.id, "error", err)
		log.summary = publicText(err)
	}
	over = true
	run := s.erp.jobs.end(job.id, log, time.Since(begun), next)
	s.erp.opts.Events.Info("server job ran", "job", job.id, "run", run, "failed", log.failed)
	if job.scheduler == 0 {
		return nil
	}
	return s.erp.update(ctx, in, func(tx *store.Tx) error { return s.logScheduler(ctx, tx, job.scheduler, log, run, next) })
}

// runScheduler runs the process of a scheduler as its supervisor and tells
// when it is due again.
func (s *session) runScheduler(ctx context.Context, in *store.Tx, id int64) (summary string, next time.Time, err error) {
	var run *processRun
	var as *session
	err = s.erp.update(ctx, in, func(tx *store.Tx) error {
		row, err := oneRow(ctx, tx, "AD_Scheduler", id)
		if err != nil {
			return err
		}
		if row == nil {
			return plainError(fmt.Sprintf("There is no scheduler %d any more", id))
		}
		schedule, err := oneRow(ctx, tx, "AD_Schedule", row.Int("AD_Schedule_ID"))
		if err != nil {
			return err
		}
		next, _ = nextRun(schedule, s.erp.now().In(s.erp.opts.Location))
		if as, err = s.supervisor(ctx, tx, row); err != nil {
			return err
		}
		if run, err = as.schedulerRun(ctx, tx, row); err != nil {
			return err
		}
		if err := as.startRun(ctx, tx, run, false); err != nil {
			var refused *erpError
			if errors.As(err, &refused) {
				return plainError(refused.title + ": " + refused.detail)
			}
			return err
		}
		return nil
	})
	if run != nil && run.claimed {
		defer s.erp.processes.done(run.instanceID)
	}
	if err != nil {
		return "", next, err
	}
	result, err := as.perform(ctx, in, run)
	if err == nil && result.isError {
		err = plainError(result.summary)
	}
	return result.summary, next, err
}

// supervisor is a session in the name of a scheduler's supervisor, with the first
// role the user has in the scheduler's tenant.
func (s *session) supervisor(ctx context.Context, tx *store.Tx, scheduler store.Row) (*session, error) {
	user, client := scheduler.Int("Supervisor_ID"), scheduler.Int("AD_Client_ID")
	roles, err := lookUp(ctx, tx, `SELECT ur.AD_Role_ID FROM AD_User_Roles ur JOIN AD_Role r ON r.AD_Role_ID=ur.AD_Role_ID
		WHERE ur.AD_User_ID=? AND ur.IsActive='Y' AND r.IsActive='Y' AND r.AD_Client_ID=? ORDER BY ur.AD_Role_ID`, user, client)
	if err != nil {
		return nil, err
	}
	if len(roles) == 0 {
		return nil, plainError(fmt.Sprintf("The supervisor (user %d) has no role in tenant %d", user, client))
	}
	role, err := loadRole(ctx, tx, roles[0], user, s.erp.now())
	if err != nil {
		return nil, err
	}
	who, err := oneRow(ctx, tx, "AD_User", user)
	if err != nil {
		return nil, err
	}
	return &session{
		erp: s.erp, ClientID: client, UserID: user, RoleID: roles[0], OrgID: scheduler.Int("AD_Org_ID"), UserName: who.String("Name"),
		Language: s.Language, role: role,
	}, nil
}

// schedulerRun is the run a scheduler asks for: its process with its
// parameters and its record.
func (s *session) schedulerRun(ctx context.Context, tx *store.Tx, scheduler store.Row) (*processRun, error) {
	process, err := oneRow(ctx, tx, "AD_Process", scheduler.Int("AD_Process_ID"))
	if err != nil {
		return nil, err
	}
	if process == nil || !process.Bool("IsActive") {
		return nil, plainError("The scheduler has no active process")
	}
	if _, write, err := s.processAccess(ctx, tx, process.Int("AD_Process_ID")); err != nil {
		return nil, err
	} else if !write {
		return nil, plainError("The supervisor may not run the process " + process.String("Value"))
	}
	run := &processRun{
		process: process, slug: slug.Of(process.String("Value")), params: map[string]parameter{},
		recordID: scheduler.Int("Record_ID"), tableID: scheduler.Int("AD_Table_ID"),
	}
	if isReport(process) {
		run.reportType = strings.ToUpper(scheduler.String("ReportOutputType"))
	}
	given, err := rowsWhere(ctx, tx, "AD_Scheduler_Para", "", "AD_Scheduler_ID=? AND IsActive='Y'", scheduler.Int("AD_Scheduler_ID"))
	if err != nil {
		return nil, err
	}
	values := map[int64]store.Row{}
	for _, row := range given {
		values[row.Int("AD_Process_Para_ID")] = row
	}
	rows, err := parameterRows(ctx, tx, process.Int("AD_Process_ID"))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		name := row.String("ColumnName")
		col := &store.Column{Name: name, Ref: int(row.Int("AD_Reference_ID")), RefValue: row.Int("AD_Reference_Value_ID")}
		p := parameter{ref: col.Ref}
		value := values[row.Int("AD_Process_Para_ID")]
		for column, into := range map[string]*any{"ParameterDefault": &p.value, "ParameterToDefault": &p.to} {
			text := value.String(column)
			if text == "" {
				continue
			}
			if *into, err = s.toStored(ctx, tx, col, text); err != nil {
				return nil, plainError(fmt.Sprintf("The scheduler's value for parameter %s cannot be used", name))
			}
		}
		run.params[name] = p
	}
	return run, nil
}

// logScheduler writes a line to the log of a scheduler, drops lines that are
// older than it keeps them, and notes when it ran.
func (s *session) logScheduler(ctx context.Context, tx *store.Tx, id int64, log jobLog, run int, next time.Time) error {
	row, err := oneRow(ctx, tx, "AD_Scheduler", id)
	if err != nil || row == nil {
		return err
	}
	runes := []rune(log.summary)
	values := store.Row{
		"AD_Scheduler_ID": id, "Summary": string(runes[:min(len(runes), 2000)]), "Reference": fmt.Sprintf("#%d", run), "IsError": "N",
	}
	if log.failed {
		values["IsError"] = "Y"
	}
	by := stamp{row.Int("AD_Client_ID"), row.Int("AD_Org_ID"), s.UserID}
	if err := s.erp.insertRow(ctx, tx, "AD_SchedulerLog", by, values); err != nil {
		return err
	}
	logs, err := tx.Table(ctx, "AD_SchedulerLog")
	if err != nil {
		return err
	}
	if days := row.Int("KeepLogDays"); days > 0 && days < 100_000 {
		if _, err := tx.Delete(ctx, logs, "AD_Scheduler_ID=? AND Created<?", id, dbTime(log.created.AddDate(0, 0, -int(days)))); err != nil {
			return err
		}
	}
	schedulers, err := tx.Table(ctx, "AD_Scheduler")
	if err != nil {
		return err
	}
	change := store.Row{"DateLastRun": log.created.UTC().Format(storedInstant)}
	if !next.IsZero() {
		change["DateNextRun"] = next.UTC().Format(storedInstant)
	}
	_, err = tx.Set(ctx, schedulers, change, "AD_Scheduler_ID=?", id)
	return err
}
