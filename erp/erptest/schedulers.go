package erptest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/jobs"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func schedulersRoutes() []route {
	const scheduler = "v1/servers/schedulers/{id}"
	return []route{
		{method: http.MethodGet, pattern: scheduler, handle: getScheduler},
		{method: http.MethodPost, pattern: scheduler, handle: addScheduler},
		{method: http.MethodDelete, pattern: scheduler, handle: removeScheduler},
	}
}

// getScheduler handles GET /servers/schedulers/{id}.
func getScheduler(c *call) error {
	if id, err := strconv.ParseInt(c.param("id"), 10, 32); err == nil && !c.session.IsAdministrator() {
		return serverDenied("get scheduler", engine.FormatID(id))
	}
	return c.withScheduler("get scheduler", func(context.Context, *store.Tx, jobs.Job) (int, error) { return http.StatusOK, nil })
}

// addScheduler handles POST /servers/schedulers/{id}: it registers the
// scheduler. One that is registered is refused with the scheduler itself.
func addScheduler(c *call) error {
	return c.withScheduler("add scheduler", func(_ context.Context, _ *store.Tx, job jobs.Job) (int, error) {
		if !c.srv.jobs.Add(&job) {
			return http.StatusConflict, nil
		}
		c.srv.events.Info("scheduler added", "job", job.ID)
		return http.StatusCreated, nil
	})
}

// removeScheduler handles DELETE /servers/schedulers/{id}: the scheduler is no
// longer registered; its record stays.
func removeScheduler(c *call) error {
	return c.withScheduler("remove scheduler", func(_ context.Context, _ *store.Tx, job jobs.Job) (int, error) {
		c.srv.jobs.Remove(job.ID)
		c.srv.events.Info("scheduler removed", "job", job.ID)
		return http.StatusOK, nil
	})
}

// withScheduler does something with the scheduler in the path and responds with
// its record and state. Administrators of the system reach every scheduler,
// others those of their tenant.
func (c *call) withScheduler(request string, do func(context.Context, *store.Tx, jobs.Job) (status int, err error)) error {
	id, err := strconv.ParseInt(c.param("id"), 10, 32)
	if err != nil {
		return page(http.StatusNotFound)
	}
	if id <= 0 {
		return fail(http.StatusBadRequest, "Invalid scheduler id", "Invalid scheduler id: "+engine.FormatID(id))
	}
	var status int
	var response *wire.Object
	err = c.view(c.ctx(), func(tx *store.Tx) error {
		row, err := engine.OneRow(c.ctx(), tx, "AD_Scheduler", id)
		if err != nil {
			return err
		}
		client := row.Int("AD_Client_ID")
		hidden := c.session.IsAdministrator() && c.session.ClientID != 0 && client != 0 && client != c.session.ClientID
		if row == nil || hidden {
			return fail(http.StatusNotFound, "Invalid scheduler Id", "No match found for scheduler id: "+engine.FormatID(id))
		}
		job, err := c.srv.jobs.Scheduler(c.ctx(), tx, row)
		if err != nil {
			return err
		}
		if err := c.mayManage(c.ctx(), tx, *job, serverDenied(request, job.ID)); err != nil {
			return err
		}
		if status, err = do(c.ctx(), tx, *job); err != nil {
			return err
		}
		response, err = c.schedulerObject(c.ctx(), tx, row)
		return err
	})
	if err != nil {
		return orTitled("Server error", err)
	}
	c.json(status, response)
	return nil
}

func (c *call) schedulerObject(ctx context.Context, tx *store.Tx, row store.Row) (*wire.Object, error) {
	t, err := tx.Table(ctx, "AD_Scheduler")
	if err != nil {
		return nil, err
	}
	o, err := c.recordObject(ctx, tx, t, row, nil)
	if err != nil {
		return nil, err
	}
	job, registered := c.srv.jobs.Find(jobs.SchedulerID(row.Int("AD_Scheduler_ID")))
	value, text := "SchedulerNotSchedule", "Not Schedule"
	switch {
	case registered && job.Started:
		value, text = "SchedulerStarted", "Scheduler Started"
	case registered:
		value, text = "SchedulerStopped", "Scheduler Stopped"
	}
	if text, err = engine.Message(ctx, tx, value, c.session.Language, text); err != nil {
		return nil, err
	}
	o.Set("server-id", jobs.SchedulerID(row.Int("AD_Scheduler_ID")))
	o.Set("scheduler-state", text)
	return o, nil
}
