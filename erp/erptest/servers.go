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

// serverDenied refuses a request for a processor, "" for the list of them.
func serverDenied(request, id string) error {
	return fail(http.StatusForbidden, "Access denied", "Access denied for "+request+" request: "+id)
}

// mustAdministerServers refuses everybody but administrators.
func (c *call) mustAdministerServers(request, id string) error {
	if c.session.IsAdministrator() {
		return nil
	}
	return serverDenied(request, id)
}

// listServers handles GET /servers.
func listServers(c *call) error {
	if err := c.mustAdministerServers("get servers", ""); err != nil {
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
	if err := c.mustAdministerServers("reload servers", ""); err != nil {
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
	if err := c.mustAdministerServers("get server", c.param("id")); err != nil {
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

// mayManage lets administrators through to the processors, and to the schedulers of
// their tenant those who may change data in a window with schedulers. denied is the
// refusal of the others.
func (c *call) mayManage(ctx context.Context, tx *store.Tx, job jobs.Job, denied error) error {
	if c.session.IsAdministrator() {
		return nil
	}
	if job.Scheduler == 0 || job.Client != c.session.ClientID || !c.session.Role.OrgAccess(job.Org, true) {
		return denied
	}
	windows, err := engine.RowsWhere(ctx, tx, "AD_Window", "", `IsActive='Y' AND AD_Window_ID IN (SELECT b.AD_Window_ID FROM AD_Tab b
		JOIN AD_Table t ON t.AD_Table_ID=b.AD_Table_ID WHERE b.IsActive='Y' AND t.TableName='AD_Scheduler')`)
	if err != nil {
		return err
	}
	for _, window := range windows {
		if _, write, err := c.session.WindowAccess(ctx, tx, window.Int("AD_Window_ID")); err != nil || write {
			return err
		}
	}
	return denied
}

// managed is the processor in the path, for those who may manage it.
func (c *call) managed(request string) (jobs.Job, error) {
	job, ok := c.srv.jobs.Find(c.param("id"))
	if !ok {
		return job, noServer(c.param("id"))
	}
	err := c.view(c.ctx(), func(tx *store.Tx) error { return c.mayManage(c.ctx(), tx, job, serverDenied(request, job.ID)) })
	return job, orTitled("Server error", err)
}

// toggleServer handles POST /servers/{id}/state. Who is not an administrator is
// refused the response, after the processor changed its state.
func toggleServer(c *call) error {
	job, err := c.managed("change server state")
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
	job, err := c.managed("run now")
	if err != nil {
		return err
	}
	if err := c.srv.jobs.Run(c.ctx(), c.session, c.tx, job); err != nil {
		return titled("Server error", "Server error with exception: ", err)
	}
	return c.sendServer(http.StatusOK)
}

// listServerLogs handles GET /servers/{id}/logs, newest first.
func listServerLogs(c *call) error {
	if err := c.mustAdministerServers("get server logs", c.param("id")); err != nil {
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
