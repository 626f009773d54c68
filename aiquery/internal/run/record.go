package run

import "github.com/erphub/erphub/dict"

// AuditTableName is the table of the audit's records.
const AuditTableName = "AIG_QueryLog"

// Record is a record of the audit as a database keeps it.
type Record struct {
	ID      string         // AIG_QueryLog_UU
	Columns []RecordColumn // all but the numeric key
	Final   []RecordColumn // those that completing the record sets
}

// RecordColumn is one column of a record as text.
type RecordColumn struct {
	Name  string
	Value *string // nil is NULL
}

// Tables are the tables that a plan makes in the database.
func Tables(plan *dict.Plan) []*dict.Physical {
	var all []*dict.Physical
	for _, step := range plan.Steps() {
		if process, ok := step.(*dict.RunStep); ok && process.Physical != nil {
			all = append(all, process.Physical)
		}
	}
	return all
}
