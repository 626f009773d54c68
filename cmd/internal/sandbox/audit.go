package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/cmd/internal/services"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// installSandboxAudit brings the table of the audit into a sandbox as into any
// ERP: through its dictionary, by its REST API. A sandbox that keeps its data has
// it already when it is started again, unless the first time was cut off.
func installSandboxAudit(ctx context.Context, srv *erptest.Server, url string, s *services.AI) (err error) {
	_, err = s.Cache.Table(ctx, aiquery.AuditTableName)
	if err != nil && !errors.Is(err, registry.ErrNotFound) {
		return err
	}
	made := err == nil && s.Engine.Health(ctx).Audit == "up"
	defer func() {
		if err != nil {
			err = fmt.Errorf("make the table %s: %w", aiquery.AuditTableName, err)
		}
	}()
	// Whoever requested it first may go away; the table is for all.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	plan, err := aiquery.AuditPlan()
	if err != nil {
		return err
	}
	const system = 0 // tenant, role and organization
	token, err := srv.APIToken(ctx, "SuperUser", system, system, system, 5*time.Minute)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.BlockAPIToken(ctx, token)) }()
	client, err := erp.New(url, erp.WithTokenSource(erp.StaticToken(token)))
	if err != nil {
		return err
	}
	if made {
		if made, err = hasRecords(ctx, client, plan, "AD_TableValRule"); made || err != nil {
			return err
		}
	}
	if _, err := restdict.Run(ctx, client, plan, nil); err != nil {
		return err
	}
	s.Engine.Invalidate()
	_, err = s.Cache.Refresh(ctx)
	return err
}

// hasRecords reports whether the ERP has all records that the plan makes in a
// table, active or not.
func hasRecords(ctx context.Context, client *erp.Client, plan *dict.Plan, table string) (bool, error) {
	for _, step := range plan.Steps() {
		r, ok := step.(*dict.RecordStep)
		if !ok || r.Table != table {
			continue
		}
		_, err := client.Get(ctx, table, erp.UUID(string(r.UUID)), nil)
		if errors.Is(err, erp.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}
