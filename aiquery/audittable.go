package aiquery

import (
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/dict"
)

// AuditTableName is AIG_QueryLog, the table of the audit records. Its columns are
// those of the specification and a few more.
const AuditTableName = run.AuditTableName

// AuditTable describes the table of the audit records: one record per query,
// written by this package alone. Who may read them is up to the row rule that
// [AuditPlan] makes with the table.
func AuditTable() dict.Table {
	status := dict.List("AIG_QueryStatus",
		dict.ListValue{Value: StatusSuccess, Name: "Success", Description: "The query returned a result"},
		dict.ListValue{Value: StatusError, Name: "Error", Description: "The query failed, or did not finish"},
		dict.ListValue{Value: StatusDenied, Name: "Permission Denied", Description: "The query was refused because a permission was missing"},
	)
	return dict.NewTable(AuditTableName).
		WithLabel("AI Query Log").
		WithDescription("Queries of AI assistants, one record each").
		WithHelp("Records are made before a query runs and completed afterwards. A record that stays at \"not finished\" is a query that was cut off.").
		WithAccessLevel(dict.AccessSystemClient).
		With(dict.Standard).
		Column(
			dict.Column{Name: "AIG_Provider_ID", Label: "AI Provider", Type: dict.TypeInteger, NotUpdateable: true},
			dict.Column{Name: "AD_User_ID", Label: "AI User", Type: dict.TypeTableDir, ForeignKey: dict.FKNone, NotUpdateable: true, Selection: true},
			// A role that does not exist is recorded, too.
			dict.Column{Name: "AD_Role_ID", Type: dict.TypeTableDir, ForeignKey: dict.FKNone, NotUpdateable: true, Selection: true},
			dict.Column{Name: "AIG_QuerySQL", Label: "Query", Description: "As it was received", Type: dict.TypeTextLong, Mandatory: true, NotUpdateable: true},
			dict.Column{Name: "AIG_SecuredSQL", Label: "Secured Query", Description: "As it was run", Type: dict.TypeTextLong},
			dict.Column{Name: "AIG_QueryStatus", Label: "Query Status", Type: dict.TypeList, Reference: status, Length: 20, Mandatory: true, Selection: true},
			dict.Column{Name: "AIG_ErrorMessage", Label: "Error Message", Type: dict.TypeText, Length: maxAuditText},
			dict.Column{Name: "AIG_RowCount", Label: "Rows", Type: dict.TypeInteger},
			dict.Column{Name: "AIG_ExecutionTimeMs", Label: "Execution Time (ms)", Type: dict.TypeInteger},
			dict.Column{Name: "AIG_TablesAccessed", Label: "Tables", Type: dict.TypeText, Length: maxAuditNames},
			dict.Column{Name: "AIG_RequestID", Label: "Request", Type: dict.TypeString, Length: 100, NotUpdateable: true, Identifier: true},
			dict.Column{Name: "AIG_Parameters", Label: "Parameters", Description: "Number, kind and length", Type: dict.TypeText, Length: maxAuditText, NotUpdateable: true},
			dict.Column{Name: "AIG_PolicyVersion", Label: "Policy", Type: dict.TypeString, Length: 40},
		)
}

// auditRule is the condition under which the ERP shows records of the audit. To
// read a table the ERP checks no access level, so without a rule every role of
// the tenant would see the queries of others, with the constants in it; and every
// tenant sees rows of the tenant System. The ERP writes the alias of the table in
// the place of its name.
const auditRule = "EXISTS (SELECT 1 FROM AD_Role r WHERE r.AD_Role_ID=@#AD_Role_ID@ AND r.AD_Client_ID=" + AuditTableName + ".AD_Client_ID " +
	"AND (r.IsClientAdministrator='Y' OR r.UserLevel LIKE 'S%'))"

// AuditPlan is the plan that brings [AuditTable] into an ERP through its
// dictionary: over REST, as a package or as a migration script. It also makes a
// row rule (AD_TableValRule) with which the ERP shows the records to tenant
// administrators (AD_Role.IsClientAdministrator) and to roles of the System level
// alone, wherever they are read: REST API, windows, reports. Each sees the records of its
// own tenant. Excluding the table (AD_Table_Access) keeps it from administrators,
// too; changing or deactivating the rule opens it to others.
func AuditPlan() (*dict.Plan, error) {
	plan, err := dict.NewPlan(&dict.Options{AnyPrefix: true}, AuditTable())
	if err != nil {
		return nil, err
	}
	const rule = "AD_TableValRule"
	uuid := dict.UUIDv5(dict.Namespace, rule+"/"+strings.ToLower(AuditTableName))
	table := dict.Ref(AuditTableName)
	return dict.Assemble(plan.Name(), append(plan.Steps(), &dict.RecordStep{
		Key: dict.Key(rule + "." + AuditTableName), Action: dict.Create, Table: rule, Name: AuditTableName, UUID: uuid,
		Match: []dict.Match{{Column: "AD_Table_ID", Value: table}, {Column: rule + "_UU", Value: dict.Text(uuid)}},
		Values: []dict.ColumnValue{
			{Column: "AD_Table_ID", Value: table},
			{Column: "Description", Value: dict.Text("Queries of AI assistants are shown to tenant administrators and to the System level")},
			{Column: "Code", Value: dict.Text(auditRule)},
		},
	})...)
}

// Install makes the table of the audit records when the database lacks it. On
// a PostgreSQL database that keeps account of migration scripts it goes through
// the dictionary, as a script of [AuditPlan], and a row rule that is missing is
// added; on others the table alone is made, which the ERP does not show.
// The login of the audit must own the schema or may create tables in it; that
// is not what it should run with afterwards.
func Install(ctx context.Context, db Database) error {
	plan, err := AuditPlan()
	if err == nil {
		err = db.Runner().AuditInstall(ctx, plan)
	}
	if err != nil {
		return fmt.Errorf("make the table %s: %w", AuditTableName, err)
	}
	return nil
}
