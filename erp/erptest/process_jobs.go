package erptest

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// jobDelay is how long after the request a job begins.
const jobDelay = time.Second

// runJob handles POST /processes/jobs/{slug}: the process begins a second
// later.
func runJob(c *call) error {
	run, err := c.prepareRun(true)
	if err != nil {
		return err
	}
	started := c.srv.processes.Go(func(ctx context.Context) {
		defer c.srv.processes.Done(run.InstanceID)
		select {
		case <-ctx.Done():
			return
		case <-time.After(jobDelay):
		}
		limited, cancel := context.WithTimeout(ctx, c.srv.opts.RequestTimeout)
		defer cancel()
		if _, err := c.srv.processes.Perform(limited, c.session, nil, run); err != nil {
			c.srv.log.Warn("job failed", "process", run.Process.String("Value"), "error", err)
		}
	})
	if !started {
		c.srv.processes.Done(run.InstanceID)
		return page(http.StatusServiceUnavailable)
	}
	var response *wire.Object
	err = c.view(c.ctx(), func(tx *store.Tx) error {
		instance, err := engine.OneRow(c.ctx(), tx, "AD_PInstance", run.InstanceID)
		if err != nil {
			return err
		}
		response, err = c.jobObject(c.ctx(), tx, instance)
		return err
	})
	if err != nil {
		return orTitled("Server error", err)
	}
	c.json(http.StatusOK, response)
	return nil
}

// listJobs handles GET /processes/jobs: the tenant's jobs that have not ended.
func listJobs(ctx context.Context, rd *reader) (any, error) {
	list := []*wire.Object{}
	for _, id := range rd.c.srv.processes.Jobs(rd.c.session.ClientID) {
		instance, err := engine.OneRow(ctx, rd.tx, "AD_PInstance", id)
		if err != nil {
			return nil, err
		}
		if instance == nil {
			continue // it is about to begin
		}
		o, err := rd.c.jobObject(ctx, rd.tx, instance)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return wire.NewObject("jobs", list), nil
}

// getJob handles GET /processes/jobs/{id}.
func getJob(ctx context.Context, rd *reader) (any, error) {
	id, err := strconv.ParseInt(rd.c.param("id"), 10, 32)
	if err != nil {
		return nil, page(http.StatusNotFound)
	}
	rows, err := engine.RowsWhere(ctx, rd.tx, "AD_PInstance", "",
		"IsRunAsJob='Y' AND AD_PInstance_ID=? AND AD_Client_ID=?", id, rd.c.session.ClientID)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, failf(http.StatusNotFound, "Job not found", "No job found matching id %d", id)
	}
	return rd.c.jobObject(ctx, rd.tx, rows[0])
}

func (c *call) jobObject(ctx context.Context, tx *store.Tx, instance store.Row) (*wire.Object, error) {
	id, names := instance.Int("AD_PInstance_ID"), map[string]string{}
	for table, key := range map[string]int64{
		"AD_Client": instance.Int("AD_Client_ID"), "AD_User": instance.Int("CreatedBy"), "AD_Process": instance.Int("AD_Process_ID"),
	} {
		row, err := engine.OneRow(ctx, tx, table, key)
		if err != nil {
			return nil, err
		}
		names[table] = row.String("Name")
		if table == "AD_Process" {
			names[table] = slug.Of(row.String("Value"))
		}
	}
	since := ""
	if t, err := time.Parse(engine.StoredDateTime, instance.String("Created")); err == nil {
		since = t.In(c.srv.opts.Location).Format("01/02/2006 03:04:05 PM")
	}
	return wire.NewObject("id", id, "client", names["AD_Client"], "user", names["AD_User"], "process", names["AD_Process"],
		"since", since, "processing", slices.Contains(c.srv.processes.Jobs(c.session.ClientID), id)), nil
}
