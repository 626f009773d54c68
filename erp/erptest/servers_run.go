package erptest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// runJobNow runs a processor to its end and writes its log.
func (c *call) runJobNow(ctx context.Context, job serverJob) error {
	if !c.srv.jobs.begin(job.id) {
		return refuse(errFailed, "Server error", "The server job is running: "+job.id)
	}
	begun := time.Now()
	log := jobLog{created: c.srv.now(), summary: "The run broke off", failed: true}
	var next time.Time
	over := false
	defer func() {
		if !over { // also after a panic the job can run again
			c.srv.jobs.end(job.id, log, time.Since(begun), next)
		}
	}()
	var err error
	if job.scheduler == 0 {
		err = c.view(ctx, func(tx *store.Tx) (err error) {
			log.summary, err = job.work(ctx, c, tx)
			return err
		})
	} else {
		log.summary, next, err = c.runScheduler(ctx, job.scheduler)
	}
	log.failed = err != nil
	if err != nil {
		c.srv.log.Warn("server job failed", "job", job.id, "error", err)
		log.summary = publicText(err)
	}
	over = true
	run := c.srv.jobs.end(job.id, log, time.Since(begun), next)
	c.srv.events.Info("server job ran", "job", job.id, "run", run, "failed", log.failed)
	if job.scheduler == 0 {
		return nil
	}
	return c.update(ctx, func(tx *store.Tx) error { return c.logScheduler(ctx, tx, job.scheduler, log, run, next) })
}

// runScheduler runs the process of a scheduler as its supervisor and tells
// when it is due again.
func (c *call) runScheduler(ctx context.Context, id int64) (summary string, next time.Time, err error) {
	var run *processRun
	var as *call
	err = c.update(ctx, func(tx *store.Tx) error {
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
		next, _ = nextRun(schedule, c.srv.now().In(c.srv.opts.Location))
		if as, err = c.supervisor(ctx, tx, row); err != nil {
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
		defer c.srv.processes.done(run.instanceID)
	}
	if err != nil {
		return "", next, err
	}
	result, err := as.perform(ctx, run)
	if err == nil && result.isError {
		err = plainError(result.summary)
	}
	return result.summary, next, err
}

// supervisor is a call in the name of a scheduler's supervisor, with the first
// role the user has in the scheduler's tenant.
func (c *call) supervisor(ctx context.Context, tx *store.Tx, scheduler store.Row) (*call, error) {
	user, client := scheduler.Int("Supervisor_ID"), scheduler.Int("AD_Client_ID")
	roles, err := lookUp(ctx, tx, `SELECT ur.AD_Role_ID FROM AD_User_Roles ur JOIN AD_Role r ON r.AD_Role_ID=ur.AD_Role_ID
		WHERE ur.AD_User_ID=? AND ur.IsActive='Y' AND r.IsActive='Y' AND r.AD_Client_ID=? ORDER BY ur.AD_Role_ID`, user, client)
	if err != nil {
		return nil, err
	}
	if len(roles) == 0 {
		return nil, plainError(fmt.Sprintf("The supervisor (user %d) has no role in tenant %d", user, client))
	}
	role, err := loadRole(ctx, tx, roles[0], user, c.srv.now())
	if err != nil {
		return nil, err
	}
	who, err := oneRow(ctx, tx, "AD_User", user)
	if err != nil {
		return nil, err
	}
	return &call{
		srv: c.srv, r: (&http.Request{Header: http.Header{}}).WithContext(ctx), params: map[string]string{}, query: params{}, tx: c.tx,
		session: &session{
			ClientID: client, UserID: user, RoleID: roles[0], OrgID: scheduler.Int("AD_Org_ID"), UserName: who.String("Name"),
			Language: c.session.Language, role: role,
		},
	}, nil
}

// schedulerRun is the run a scheduler asks for: its process with its
// parameters and its record.
func (c *call) schedulerRun(ctx context.Context, tx *store.Tx, scheduler store.Row) (*processRun, error) {
	process, err := oneRow(ctx, tx, "AD_Process", scheduler.Int("AD_Process_ID"))
	if err != nil {
		return nil, err
	}
	if process == nil || !process.Bool("IsActive") {
		return nil, plainError("The scheduler has no active process")
	}
	if _, write, err := c.processAccess(ctx, tx, process.Int("AD_Process_ID")); err != nil {
		return nil, err
	} else if !write {
		return nil, plainError("The supervisor may not run the process " + process.String("Value"))
	}
	run := &processRun{
		process: process, slug: slugify(process.String("Value")), params: map[string]parameter{},
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
			if *into, err = c.toStored(ctx, tx, col, text); err != nil {
				return nil, plainError(fmt.Sprintf("The scheduler's value for parameter %s cannot be used", name))
			}
		}
		run.params[name] = p
	}
	return run, nil
}

// logScheduler writes a line to the log of a scheduler, drops lines that are
// older than it keeps them, and notes when it ran.
func (c *call) logScheduler(ctx context.Context, tx *store.Tx, id int64, log jobLog, run int, next time.Time) error {
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
	by := stamp{row.Int("AD_Client_ID"), row.Int("AD_Org_ID"), c.session.UserID}
	if err := c.srv.insertRow(ctx, tx, "AD_SchedulerLog", by, values); err != nil {
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
