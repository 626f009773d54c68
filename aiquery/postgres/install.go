package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/migration"
	"github.com/erphub/erphub/internal/sqlquote"
)

// AuditInstall implements run.Runner.
func (d *database) AuditInstall(ctx context.Context, plan *dict.Plan) error {
	rules := recordsOf(plan, "AD_TableValRule")
	found, err := d.installed(ctx, rules)
	if err != nil || found.table && found.key && found.rules {
		return err
	}
	if found.scripts && !(found.table && found.rules) {
		missing := plan
		if found.table { // made before there were rules
			steps := []dict.Step{}
			for _, r := range append(recordsOf(plan, "AD_Table"), rules...) {
				steps = append(steps, r)
			}
			if missing, err = dict.Assemble(plan.Name()+" rules", steps...); err != nil {
				return err
			}
		}
		if err := d.installScript(ctx, missing); err != nil {
			return err
		}
		found.table = true
	}
	var statements []string
	if !found.table {
		for _, table := range run.Tables(plan) {
			statements = append(statements, bareTable(table))
		}
	}
	key := strings.ToLower(run.AuditTableName) + "_id"
	statements = append(statements, "CREATE SEQUENCE IF NOT EXISTS "+d.auditSequence()+" START WITH 1000000",
		"ALTER TABLE "+d.auditName()+" ALTER COLUMN "+key+" SET DEFAULT pg_catalog.nextval("+sqlquote.Text(d.auditSequence())+")")
	return d.withRecords(ctx, func(conn *pgconn.PgConn) error {
		text := "BEGIN; SET LOCAL search_path = " + d.opts.Schema + ", pg_catalog; " + strings.Join(statements, "; ") + "; COMMIT"
		_, err := conn.Exec(ctx, text).ReadAll()
		if err != nil {
			_, rollback := conn.Exec(ctx, "ROLLBACK").ReadAll()
			return errors.Join(err, rollback)
		}
		return nil
	})
}

// installation is what a database has of the audit.
type installation struct {
	table, key bool // the table, and something that numbers its records
	scripts    bool // it keeps account of migration scripts
	rules      bool // the row rules are there, or this login or release knows of none
}

func (d *database) installed(ctx context.Context, rules []*dict.RecordStep) (found installation, err error) {
	ruleTable := sqlquote.Text(d.opts.Schema + ".ad_tablevalrule")
	err = d.withRecords(ctx, func(conn *pgconn.PgConn) error {
		rows, err := query(ctx, conn, `SELECT pg_catalog.to_regclass(`+sqlquote.Text(d.auditName())+`) IS NOT NULL,
			pg_catalog.to_regclass(`+sqlquote.Text(d.opts.Schema+".ad_migrationscript")+`) IS NOT NULL AND pg_catalog.to_regclass(`+sqlquote.Text(d.opts.Schema+".dual")+`) IS NOT NULL
			AND (SELECT pg_catalog.count(DISTINCT f.proname) FROM pg_catalog.pg_proc f JOIN pg_catalog.pg_namespace n ON n.oid = f.pronamespace
				WHERE n.nspname = `+sqlquote.Text(d.opts.Schema)+` AND f.proname IN ('register_migration_script', 'nextidfunc')) = 2,
			CASE WHEN pg_catalog.to_regclass(`+ruleTable+`) IS NULL THEN false
				ELSE pg_catalog.has_table_privilege(pg_catalog.to_regclass(`+ruleTable+`), 'SELECT') END`)
		if err != nil {
			return err
		}
		found = installation{table: rows[0][0].String == "t", scripts: rows[0][1].String == "t", rules: true}
		if found.table {
			_, err := d.newKey(ctx, conn)
			found.key = err == nil
		}
		if !found.scripts || rows[0][2].String != "t" {
			return nil
		}
		for _, r := range rules {
			rows, err := query(ctx, conn, `SELECT 1 FROM `+d.opts.Schema+`.ad_tablevalrule r WHERE r.ad_tablevalrule_uu::pg_catalog.text = `+sqlquote.Text(string(r.UUID)))
			if err != nil {
				return err
			}
			found.rules = found.rules && len(rows) > 0
		}
		return nil
	})
	return found, err
}

// recordsOf are the plan's records in one table of the dictionary.
func recordsOf(plan *dict.Plan, table string) (records []*dict.RecordStep) {
	for _, step := range plan.Steps() {
		if r, ok := step.(*dict.RecordStep); ok && r.Table == table {
			records = append(records, r)
		}
	}
	return records
}

// bareTable is the statement that makes the table without the ERP's functions.
func bareTable(physical *dict.Physical) string {
	bare := *physical
	bare.Columns = slices.Clone(physical.Columns)
	for i := range bare.Columns {
		if d := bare.Columns[i].Default; d != "Y" && d != "N" {
			bare.Columns[i].Default = ""
		}
	}
	return ddl.CreateTable(&bare, dict.PostgreSQL, ddl.Native)
}

// installScript brings the table in through the dictionary.
func (d *database) installScript(ctx context.Context, plan *dict.Plan) error {
	script, err := migration.Build(plan, dict.PostgreSQL, &migration.Options{Time: time.Now()})
	if err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(d.records)
	defer db.Close()
	_, err = migration.Apply(ctx, db, script, &migration.ApplyOptions{Schema: d.opts.Schema})
	return err
}
