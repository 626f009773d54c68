package doctor

import (
	"context"
	"strings"

	"github.com/erphub/erphub/erp"
)

// auditTable is where package aiquery writes a record of each governed query.
const auditTable = "AIG_QueryLog"

// auditRule examines whether the ERP keeps the records of governed queries from
// those who are not administrators. The ERP reads such a rule once: one that came
// later has no effect until its caches are reset.
func (r *run) auditRule(ctx context.Context, client *erp.Client, roleID int) {
	r.check(ctx, "audit of queries", func(ctx context.Context) (string, error) {
		one := func(table string, filter erp.Filter, columns ...string) (erp.Record, bool, error) {
			rows, err := client.Query(ctx, table, &erp.Query{Filter: filter, Select: columns, Top: 1})
			if err != nil || len(rows.Records) == 0 {
				return erp.Record{}, false, err
			}
			return rows.Records[0], true, nil
		}
		table, found, err := one("AD_Table", erp.Eq("TableName", auditTable), "AD_Table_ID")
		if err != nil || !found {
			return "the ERP has no table " + auditTable + " that this role sees", errSkip
		}
		number, _ := table.ID().Int()
		_, found, err = one("AD_TableValRule", erp.And(erp.Eq("AD_Table_ID", number), erp.Eq("IsActive", true)), "AD_Table_ID")
		switch {
		case err != nil:
			return "this role may not read AD_TableValRule", errSkip
		case !found:
			return "no rule says who may read " + auditTable, errWarn
		}
		_, readable, err := one(auditTable, erp.Filter{}, auditTable+"_ID")
		if err != nil || !readable {
			return "a rule says who may read " + auditTable, nil //nolint:nilerr // what cannot be read is kept
		}
		role, found, err := one("AD_Role", erp.Eq("AD_Role_ID", roleID), "IsClientAdministrator", "UserLevel")
		if err != nil || !found {
			return "this role reads " + auditTable + ", and cannot read what it is itself", errSkip
		}
		administers, _ := role.Bool("IsClientAdministrator")
		level, _ := role.Code("UserLevel")
		if !administers && !strings.Contains(level, "S") {
			return "this role is no administrator's and reads " + auditTable + ", so the ERP has not read the rule yet", errWarn
		}
		return "a rule says who may read " + auditTable, nil
	}, "run `erphub server api --install` for the rule, and `erphub cache reset-all` so that the ERP reads it")
}
