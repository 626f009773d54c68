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
)

// AuditInstall implements run.Runner.
func (d *database) AuditInstall(ctx context.Context, plan *dict.Plan) error {
	present, scripts := false, false
	if err := d.withRecords(ctx, func(conn *pgconn.PgConn) error {
		rows, err := query(ctx, conn, `SELECT pg_catalog.to_regclass(`+literal(d.auditName())+`) IS NOT NULL,
			pg_catalog.to_regclass(`+literal(d.opts.Schema+".ad_migrationscript")+`) IS NOT NULL AND pg_catalog.to_regclass(`+literal(d.opts.Schema+".dual")+`) IS NOT NULL
			AND (SELECT pg_catalog.count(DISTINCT f.proname) FROM pg_catalog.pg_proc f JOIN pg_catalog.pg_namespace n ON n.oid = f.pronamespace
				WHERE n.nspname = `+literal(d.opts.Schema)+` AND f.proname IN ('register_migration_script', 'nextidfunc')) = 2`)
		if err != nil {
			return err
		}
		present, scripts = rows[0][0].String == "t", rows[0][1].String == "t"
		return nil
	}); err != nil {
		return err
	}
	if !present && scripts {
		if err := d.installScript(ctx, plan); err != nil {
			return err
		}
		present = true
	}
	var statements []string
	if !present {
		for _, table := range run.Tables(plan) {
			statements = append(statements, bareTable(table))
		}
	}
	key := strings.ToLower(run.AuditTableName) + "_id"
	statements = append(statements, "CREATE SEQUENCE IF NOT EXISTS "+d.auditSequence()+" START WITH 1000000",
		"ALTER TABLE "+d.auditName()+" ALTER COLUMN "+key+" SET DEFAULT pg_catalog.nextval("+literal(d.auditSequence())+")")
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
