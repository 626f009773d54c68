package tools

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/access"
	"github.com/erphub/erphub/mcp"
)

// openTime is how long it is believed that a role may write a table.
const openTime = 5 * time.Minute

// writes are a role and a table that it writes.
type writes struct {
	tenant, role int
	table        string
}

// mayWrite refuses a caller whose role may not write one of the tables, before a plan
// is shown, the user is asked, or half of it is done. What cannot be found out is
// left to the ERP.
func (b *Toolbox) mayWrite(ctx context.Context, c *mcp.Call, tables ...string) error {
	if !c.Caller.Known {
		return nil
	}
	var unknown []string
	for _, t := range tables {
		if _, ok := b.open.get(writes{c.Caller.ClientID, c.Caller.RoleID, t}, b.now()); !ok && !slices.Contains(unknown, t) {
			unknown = append(unknown, t)
		}
	}
	if tables = unknown; len(tables) == 0 {
		return nil
	}
	asks, client, err := b.connect(ctx, c, "read permissions")
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	denied, err := access.WriteDenied(asks, client, c.Caller.RoleID, tables...)
	if err != nil {
		return err
	}
	if len(denied) == 0 {
		for _, t := range tables {
			b.open.keep(writes{c.Caller.ClientID, c.Caller.RoleID, t}, struct{}{}, b.now().Add(openTime))
		}
		return nil
	}
	reasons := make([]string, len(denied))
	dictionary := false
	for i, d := range denied {
		reasons[i] = d.Table + " (" + d.Reason + ")"
		dictionary = dictionary || strings.HasPrefix(d.Table, "AD_")
	}
	hint := "nothing was done; use another role, or ask an administrator"
	if dictionary {
		hint = "nothing was done; the dictionary is changed under a role of the System tenant"
	}
	return fail(mcp.CodePermissionDenied, hint, "the role %d may not write %s", c.Caller.RoleID, strings.Join(reasons, ", "))
}

// planTables are the tables that a plan writes to.
func planTables(plan *dict.Plan) []string {
	var tables []string
	for _, s := range plan.Steps() {
		if rec, ok := s.(*dict.RecordStep); ok && !slices.Contains(tables, rec.Table) {
			tables = append(tables, rec.Table)
		}
	}
	return tables
}

// ownRecord refuses to change a record of another tenant, such as the System's, which
// a role can read and never change.
func ownRecord(c *mcp.Call, table string, record erp.Record) error {
	tenant, ok := record.Ref("AD_Client_ID")
	number, known := tenant.ID.Int()
	if !c.Caller.Known || !ok || !known || number == int64(c.Caller.ClientID) {
		return nil
	}
	return fail(mcp.CodePermissionDenied, "nothing was done; records are changed in their own tenant only",
		"the record %s of %s belongs to the tenant %s, and your role to another", record.ID(), table, cell(tenant.Identifier))
}
