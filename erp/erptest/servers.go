package erptest

import (
	"context"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func serversRoutes() []route {
	const job = "v1/servers/{id}"
	return []route{
		{method: http.MethodGet, pattern: "v1/servers", handle: listServers},
		{method: http.MethodPost, pattern: "v1/servers/reload", handle: reloadServers},
		{method: http.MethodGet, pattern: job, handle: getServer},
		{method: http.MethodGet, pattern: job + "/logs", handle: listServerLogs},
		{method: http.MethodPost, pattern: job + "/state", handle: toggleServer},
		{method: http.MethodPost, pattern: job + "/run", handle: runServer},
	}
}

// schedulerWindow is the window of schedulers, whose access lets others than
// administrators tell their tenant's schedulers what to do.
const schedulerWindow = 305

// listServers answers GET /servers.
func listServers(c *call) error {
	if err := c.mustAdminister("server"); err != nil {
		return err
	}
	c.json(http.StatusOK, c.srv.serverList())
	return nil
}

func (s *Server) serverList() *wire.Object {
	list := []*wire.Object{}
	for _, job := range s.erp.jobs.all() {
		list = append(list, wire.NewObject("id", job.id, "name", job.name, "started", job.started))
	}
	return wire.NewObject("servers", list)
}

// reloadServers answers POST /servers/reload.
func reloadServers(c *call) error {
	if err := c.mustAdminister("server"); err != nil {
		return err
	}
	err := c.view(c.ctx(), func(tx *store.Tx) error { return c.srv.erp.reloadJobs(c.ctx(), tx) })
	if err != nil {
		return orTitled("Server error", err)
	}
	c.srv.events.Info("server jobs reloaded")
	c.json(http.StatusOK, c.srv.serverList())
	return nil
}

// getServer answers GET /servers/{id}.
func getServer(c *call) error { return c.sendServer(http.StatusOK) }

// sendServer answers with the processor in the path, to administrators only.
func (c *call) sendServer(status int) error {
	if err := c.mustAdminister("server"); err != nil {
		return err
	}
	job, ok := c.srv.erp.jobs.look(c.param("id"))
	if !ok {
		return noServer(c.param("id"))
	}
	o := wire.NewObject("id", job.id, "name", job.name)
	for _, m := range []struct{ name, value string }{
		{"description", job.description}, {"lastRun", c.session.localeTime(job.lastRun)}, {"info", job.info()},
		{"nextRun", c.session.localeTime(job.nextRun)}, {"statistics", job.statistics()},
	} {
		if m.value != "" {
			o.Set(m.name, m.value)
		}
	}
	o.Set("started", job.started)
	o.Set("sleeping", job.started && !job.running)
	o.Set("interruptd", job.interrupted)
	c.json(status, o)
	return nil
}

func noServer(id string) error {
	return fail(http.StatusNotFound, "Invalid server Id", "No match found for server id: "+id)
}

// mayManage lets administrators through, and those who may open the window of
// schedulers to the schedulers of their own tenant.
func (c *call) mayManage(ctx context.Context, tx *store.Tx, clientID int64, scheduler bool) error {
	if c.session.isAdministrator() {
		return nil
	}
	if scheduler && clientID == c.session.ClientID {
		if read, _, err := c.session.windowAccess(ctx, tx, schedulerWindow); err != nil || read {
			return err
		}
	}
	return fail(http.StatusForbidden, "Access denied", "Access denied for server request")
}

// managed is the processor in the path, for those who may manage it. To others
// the processors of other tenants do not exist.
func (c *call) managed() (serverJob, error) {
	job, ok := c.srv.erp.jobs.look(c.param("id"))
	if !ok || !c.session.isAdministrator() && job.client != 0 && job.client != c.session.ClientID {
		return job, noServer(c.param("id"))
	}
	err := c.view(c.ctx(), func(tx *store.Tx) error { return c.mayManage(c.ctx(), tx, job.client, job.scheduler > 0) })
	return job, orTitled("Server error", err)
}

// toggleServer answers POST /servers/{id}/state. Who is no administrator is
// refused the answer, after the processor changed its state.
func toggleServer(c *call) error {
	job, err := c.managed()
	if err != nil {
		return err
	}
	if !c.srv.erp.jobs.toggle(job.id) {
		return noServer(job.id)
	}
	c.srv.events.Info("server job toggled", "job", job.id, "started", !job.started)
	return c.sendServer(http.StatusOK)
}

// runServer answers POST /servers/{id}/run, when the run is over. Who is no
// administrator is refused the answer, not the run.
func runServer(c *call) error {
	job, err := c.managed()
	if err != nil {
		return err
	}
	if err := c.session.runJobNow(c.ctx(), c.tx, job); err != nil {
		return orTitled("Server error", err)
	}
	return c.sendServer(http.StatusOK)
}

// listServerLogs answers GET /servers/{id}/logs, newest first.
func listServerLogs(c *call) error {
	if err := c.mustAdminister("server"); err != nil {
		return err
	}
	job, ok := c.srv.erp.jobs.look(c.param("id"))
	if !ok {
		return noServer(c.param("id"))
	}
	if job.scheduler > 0 {
		err := c.view(c.ctx(), func(tx *store.Tx) error {
			rows, err := rowsWhere(c.ctx(), tx, "AD_SchedulerLog", "Created, AD_SchedulerLog_ID", "AD_Scheduler_ID=?", job.scheduler)
			for _, row := range rows {
				job.logs = append(job.logs, jobLog{
					created: storedTimeOf(row.String("Created")), summary: row.String("Summary"), description: row.String("Description"),
					reference: row.String("Reference"), text: row.String("TextMsg"), failed: row.Bool("IsError"),
				})
			}
			return err
		})
		if err != nil {
			return orTitled("Server error", err)
		}
	}
	list := []*wire.Object{}
	for i := len(job.logs) - 1; i >= 0; i-- {
		log := job.logs[i]
		o := wire.NewObject("created", c.session.localeTime(log.created))
		for _, m := range []struct{ name, value string }{
			{"summary", log.summary}, {"description", log.description}, {"reference", log.reference}, {"textMessage", log.text},
		} {
			if m.value != "" {
				o.Set(m.name, m.value)
			}
		}
		o.Set("error", log.failed)
		list = append(list, o)
	}
	c.json(http.StatusOK, wire.NewObject("logs", list))
	return nil
}
