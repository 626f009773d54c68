package erptest

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
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
		result, err := c.srv.processes.Perform(limited, c.session, nil, run)
		if err == nil {
			err = process.Notify(limited, c.session, run, run.Notification, result)
		}
		if err != nil {
			c.srv.log.Warn("job failed", "process", run.Process.String("Value"), "error", err)
		}
	})
	if !started {
		c.srv.processes.Done(run.InstanceID)
		return page(http.StatusServiceUnavailable)
	}
	var response *wire.Object
	err = c.view(c.ctx(), func(tx *store.Tx) (err error) {
		response, err = c.jobObject(c.ctx(), tx, run.InstanceID)
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
	rows, err := engine.RowsWhere(ctx, rd.tx, "AD_PInstance", "AD_PInstance_ID",
		"IsRunAsJob='Y' AND IsProcessing='Y' AND IsActive='Y' AND AD_Client_ID=?", rd.c.session.ClientID)
	if err != nil {
		return nil, err
	}
	list := []*wire.Object{}
	for _, row := range rows {
		if !rd.c.srv.processes.Has(row.Int("AD_PInstance_ID")) {
			continue // left over from a server that ended before the job
		}
		o, err := rd.c.jobObject(ctx, rd.tx, row.Int("AD_PInstance_ID"))
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
	return rd.c.jobObject(ctx, rd.tx, id)
}

func (c *call) jobObject(ctx context.Context, tx *store.Tx, id int64) (*wire.Object, error) {
	instance, err := engine.OneRow(ctx, tx, "AD_PInstance", id)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
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
		"since", since, "processing", instance.Bool("IsProcessing") && c.srv.processes.Has(id)), nil
}
