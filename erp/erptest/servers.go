package erptest

import (
	"context"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/jobs"
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

// listServers handles GET /servers.
func listServers(c *call) error {
	if err := c.mustAdminister("server"); err != nil {
		return err
	}
	c.json(http.StatusOK, c.srv.serverList())
	return nil
}

func (s *Server) serverList() *wire.Object {
	list := []*wire.Object{}
	for _, job := range s.jobs.All() {
		list = append(list, wire.NewObject("id", job.ID, "name", job.Name, "started", job.Started))
	}
	return wire.NewObject("servers", list)
}

// reloadServers handles POST /servers/reload.
func reloadServers(c *call) error {
	if err := c.mustAdminister("server"); err != nil {
		return err
	}
	err := c.view(c.ctx(), func(tx *store.Tx) error { return c.srv.jobs.Reload(c.ctx(), tx) })
	if err != nil {
		return orTitled("Server error", err)
	}
	c.srv.events.Info("server jobs reloaded")
	c.json(http.StatusOK, c.srv.serverList())
	return nil
}

// getServer handles GET /servers/{id}.
func getServer(c *call) error { return c.sendServer(http.StatusOK) }

// sendServer responds with the processor in the path, to administrators only.
func (c *call) sendServer(status int) error {
	if err := c.mustAdminister("server"); err != nil {
		return err
	}
	job, ok := c.srv.jobs.Find(c.param("id"))
	if !ok {
		return noServer(c.param("id"))
	}
	o := wire.NewObject("id", job.ID, "name", job.Name)
	for _, m := range []struct{ name, value string }{
		{"description", job.Description}, {"lastRun", c.session.LocaleTime(job.LastRun)}, {"info", job.Info()},
		{"nextRun", c.session.LocaleTime(job.NextRun)}, {"statistics", job.Statistics()},
	} {
		if m.value != "" {
			o.Set(m.name, m.value)
		}
	}
	o.Set("started", job.Started)
	o.Set("sleeping", job.Started && !job.Running)
	o.Set("interruptd", job.Interrupted)
	c.json(status, o)
	return nil
}

func noServer(id string) error {
	return fail(http.StatusNotFound, "Invalid server Id", "No match found for server id: "+id)
}

// mayManage lets administrators through, and those who may open the window of
// schedulers to the schedulers of their own tenant.
func (c *call) mayManage(ctx context.Context, tx *store.Tx, clientID int64, scheduler bool) error {
	if c.session.IsAdministrator() {
		return nil
	}
	if scheduler && clientID == c.session.ClientID {
		if read, _, err := c.session.WindowAccess(ctx, tx, schedulerWindow); err != nil || read {
			return err
		}
	}
	return fail(http.StatusForbidden, "Access denied", "Access denied for server request")
}

// managed is the processor in the path, for those who may manage it. To others
// the processors of other tenants do not exist.
func (c *call) managed() (jobs.Job, error) {
	job, ok := c.srv.jobs.Find(c.param("id"))
	if !ok || !c.session.IsAdministrator() && job.Client != 0 && job.Client != c.session.ClientID {
		return job, noServer(c.param("id"))
	}
	err := c.view(c.ctx(), func(tx *store.Tx) error { return c.mayManage(c.ctx(), tx, job.Client, job.Scheduler > 0) })
	return job, orTitled("Server error", err)
}

// toggleServer handles POST /servers/{id}/state. Who is no administrator is
// refused the response, after the processor changed its state.
func toggleServer(c *call) error {
	job, err := c.managed()
	if err != nil {
		return err
	}
	if !c.srv.jobs.Toggle(job.ID) {
		return noServer(job.ID)
	}
	c.srv.events.Info("server job toggled", "job", job.ID, "started", !job.Started)
	return c.sendServer(http.StatusOK)
}

// runServer handles POST /servers/{id}/run, when the run is over. Who is no
// administrator is refused the response, not the run.
func runServer(c *call) error {
	job, err := c.managed()
	if err != nil {
		return err
	}
	if err := c.srv.jobs.Run(c.ctx(), c.session, c.tx, job); err != nil {
		return orTitled("Server error", err)
	}
	return c.sendServer(http.StatusOK)
}

// listServerLogs handles GET /servers/{id}/logs, newest first.
func listServerLogs(c *call) error {
	if err := c.mustAdminister("server"); err != nil {
		return err
	}
	job, ok := c.srv.jobs.Find(c.param("id"))
	if !ok {
		return noServer(c.param("id"))
	}
	if job.Scheduler > 0 {
		err := c.view(c.ctx(), func(tx *store.Tx) error {
			rows, err := engine.RowsWhere(c.ctx(), tx, "AD_SchedulerLog", "Created, AD_SchedulerLog_ID", "AD_Scheduler_ID=?", job.Scheduler)
			for _, row := range rows {
				job.Logs = append(job.Logs, jobs.LogLine{
					Created: engine.StoredTimeOf(row.String("Created")), Summary: row.String("Summary"), Description: row.String("Description"),
					Reference: row.String("Reference"), Text: row.String("TextMsg"), Failed: row.Bool("IsError"),
				})
			}
			return err
		})
		if err != nil {
			return orTitled("Server error", err)
		}
	}
	list := []*wire.Object{}
	for i := len(job.Logs) - 1; i >= 0; i-- {
		log := job.Logs[i]
		o := wire.NewObject("created", c.session.LocaleTime(log.Created))
		for _, m := range []struct{ name, value string }{
			{"summary", log.Summary}, {"description", log.Description}, {"reference", log.Reference}, {"textMessage", log.Text},
		} {
			if m.value != "" {
				o.Set(m.name, m.value)
			}
		}
		o.Set("error", log.Failed)
		list = append(list, o)
	}
	c.json(http.StatusOK, wire.NewObject("logs", list))
	return nil
}
