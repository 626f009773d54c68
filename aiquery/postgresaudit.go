package aiquery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/migration"
)

// auditTable is what is known of the audit's table.
type auditTable struct {
	mu sync.Mutex // guards id
	id string     // the expression for a new key; "" when it has a default; unknown as long as known is false

	known bool
}

func (p *postgres) auditName() string { return p.opts.Schema + "." + strings.ToLower(AuditTableName) }

func (p *postgres) auditSequence() string {
	return p.opts.Schema + "." + strings.ToLower(AuditTableName) + "_sq"
}

// withRecords runs do with a connection of the audit, and once more with the
// next one when the server has given the connection up: what do does, it may do
// twice.
func (p *postgres) withRecords(ctx context.Context, do func(*pgconn.PgConn) error) error {
	for attempt := 0; ; attempt++ {
		conn, err := p.records.Acquire(ctx)
		if err != nil {
			return unavailable(err)
		}
		err = do(conn.Conn().PgConn())
		lost := conn.Conn().PgConn().IsClosed()
		conn.Release()
		if err == nil || !lost || ctx.Err() != nil || attempt >= p.opts.AuditConnections {
			return err
		}
	}
}

var errNoAudit = fail(CodeUnavailable, nil, "the audit's table is missing or cannot be written").
	hint("install the table " + AuditTableName + " and grant INSERT, UPDATE and SELECT on it")

// auditReady implements database.
func (p *postgres) auditReady(ctx context.Context) error {
	return p.withRecords(ctx, func(conn *pgconn.PgConn) error {
		name := literal(p.auditName())
		rows, err := query(ctx, conn, `SELECT CASE WHEN pg_catalog.to_regclass(`+name+`) IS NULL THEN false
			ELSE pg_catalog.has_table_privilege(pg_catalog.to_regclass(`+name+`), 'INSERT')
				AND pg_catalog.has_table_privilege(pg_catalog.to_regclass(`+name+`), 'UPDATE') END`)
		if err != nil {
			return err
		}
		if len(rows) != 1 || rows[0][0].String != "t" {
			return errNoAudit
		}
		have, err := query(ctx, conn, `SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = pg_catalog.to_regclass(`+name+`)
			AND a.attnum > 0 AND NOT a.attisdropped`)
		if err != nil {
			return err
		}
		for _, c := range newRecord(Caller{}, Request{}, time.Time{}).columns(true, time.Time{}) {
			if !slices.ContainsFunc(have, func(row cells) bool { return row[0].String == strings.ToLower(c.name) }) {
				return fail(CodeUnavailable, nil, "the audit's table has no column %s", c.name).hint("synchronize the table " + AuditTableName)
			}
		}
		_, err = p.newKey(ctx, conn)
		return err
	})
}

// newKey is the expression that numbers a record: the column's default, the
// table's own sequence, or the ERP's.
func (p *postgres) newKey(ctx context.Context, conn *pgconn.PgConn) (string, error) {
	p.audit.mu.Lock()
	defer p.audit.mu.Unlock()
	if p.audit.known {
		return p.audit.id, nil
	}
	name, key := literal(p.auditName()), literal(strings.ToLower(AuditTableName)+"_id")
	rows, err := query(ctx, conn, `SELECT
		EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a WHERE a.attrelid = pg_catalog.to_regclass(`+name+`) AND a.attname = `+key+` AND a.atthasdef),
		pg_catalog.to_regclass(`+literal(p.auditSequence())+`) IS NOT NULL,
		pg_catalog.to_regclass(`+literal(p.opts.Schema+".ad_sequence")+`) IS NOT NULL AND EXISTS (SELECT 1 FROM pg_catalog.pg_proc f
			JOIN pg_catalog.pg_namespace n ON n.oid = f.pronamespace WHERE n.nspname = `+literal(p.opts.Schema)+` AND f.proname = 'nextidfunc')`)
	if err != nil {
		return "", err
	}
	switch row := rows[0]; {
	case row[0].String == "t":
		p.audit.id = ""
	case row[1].String == "t":
		p.audit.id = "pg_catalog.nextval(" + literal(p.auditSequence()) + ")"
	case row[2].String == "t":
		p.audit.id = p.opts.Schema + ".nextidfunc((SELECT s.ad_sequence_id FROM " + p.opts.Schema + ".ad_sequence s WHERE s.name = " +
			literal(AuditTableName) + " AND s.istableid = 'Y')::pg_catalog.int4, 'N')"
	default:
		return "", fail(CodeUnavailable, nil, "the audit's table has no sequence for its key").hint("install it again, which makes one")
	}
	p.audit.known = true
	return p.audit.id, nil
}

// auditPatience is a little more than the session's own limits.
func (p *postgres) auditPatience() time.Duration { return 6 * time.Second }

// auditInsert implements database.
func (p *postgres) auditInsert(ctx context.Context, r *record) error {
	return p.withRecords(ctx, func(conn *pgconn.PgConn) error { return p.insertRecord(ctx, conn, r) })
}

func (p *postgres) insertRecord(ctx context.Context, conn *pgconn.PgConn, r *record) error {
	key, err := p.newKey(ctx, conn)
	if err != nil {
		return err
	}
	columns := r.columns(true, time.Now())
	names, values := recordValues(columns)
	places := make([]string, len(names))
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	if key != "" {
		names, places = append(names, strings.ToLower(AuditTableName)+"_id"), append(places, key)
	}
	// A record that was written although its answer got lost is the same one.
	_, err = p.writeRecord(ctx, conn, "INSERT INTO "+p.auditName()+" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(places, ", ")+
		") ON CONFLICT ("+strings.ToLower(AuditTableName)+"_uu) DO NOTHING", values)
	return err
}

// recordValues are names and values for the server.
func recordValues(columns []auditColumn) (names []string, values [][]byte) {
	for _, c := range columns {
		names = append(names, strings.ToLower(c.name))
		if c.value == nil {
			values = append(values, nil)
		} else {
			values = append(values, []byte(*c.value))
		}
	}
	return names, values
}

// auditComplete implements database.
func (p *postgres) auditComplete(ctx context.Context, r *record) error {
	return p.withRecords(ctx, func(conn *pgconn.PgConn) error {
		if there, err := p.updateRecord(ctx, conn, r); err != nil || there {
			return err
		}
		if err := p.insertRecord(ctx, conn, r); err != nil {
			return err
		}
		// Should the first writing have arrived in between, it is completed now.
		_, err := p.updateRecord(ctx, conn, r)
		return err
	})
}

func (p *postgres) updateRecord(ctx context.Context, conn *pgconn.PgConn, r *record) (there bool, err error) {
	names, values := recordValues(r.columns(false, time.Now()))
	sets := make([]string, len(names))
	for i, name := range names {
		sets[i] = fmt.Sprintf("%s = $%d", name, i+1)
	}
	n, err := p.writeRecord(ctx, conn, fmt.Sprintf("UPDATE %s SET %s WHERE %s_uu = $%d", p.auditName(), strings.Join(sets, ", "),
		strings.ToLower(AuditTableName), len(values)+1), append(values, []byte(r.id)))
	return n > 0, err
}

// writeRecord runs one statement, which is its own transaction, and returns
// how many records it wrote.
func (p *postgres) writeRecord(ctx context.Context, conn *pgconn.PgConn, text string, values [][]byte) (int64, error) {
	result := conn.ExecParams(ctx, text, values, nil, nil, nil).Read()
	var server *pgconn.PgError
	if errors.As(result.Err, &server) && (server.Code == "42P01" || server.Code == "42501") {
		p.audit.mu.Lock()
		p.audit.known = false // look again once it is mended
		p.audit.mu.Unlock()
		return 0, errors.Join(errNoAudit, result.Err)
	}
	return result.CommandTag.RowsAffected(), result.Err
}

// auditInstall implements database.
func (p *postgres) auditInstall(ctx context.Context) error {
	present, scripts := false, false
	if err := p.withRecords(ctx, func(conn *pgconn.PgConn) error {
		rows, err := query(ctx, conn, `SELECT pg_catalog.to_regclass(`+literal(p.auditName())+`) IS NOT NULL,
			pg_catalog.to_regclass(`+literal(p.opts.Schema+".ad_migrationscript")+`) IS NOT NULL AND pg_catalog.to_regclass(`+literal(p.opts.Schema+".dual")+`) IS NOT NULL
			AND (SELECT pg_catalog.count(DISTINCT f.proname) FROM pg_catalog.pg_proc f JOIN pg_catalog.pg_namespace n ON n.oid = f.pronamespace
				WHERE n.nspname = `+literal(p.opts.Schema)+` AND f.proname IN ('register_migration_script', 'nextidfunc')) = 2`)
		if err != nil {
			return err
		}
		present, scripts = rows[0][0].String == "t", rows[0][1].String == "t"
		return nil
	}); err != nil {
		return err
	}
	plan, err := AuditPlan()
	if err != nil {
		return err
	}
	if !present && scripts {
		if err := p.installScript(ctx, plan); err != nil {
			return err
		}
		present = true
	}
	var statements []string
	if !present {
		for _, step := range plan.Steps() {
			if process, ok := step.(*dict.Process); ok && process.Physical != nil {
				statements = append(statements, bareTable(process.Physical))
			}
		}
	}
	key := strings.ToLower(AuditTableName) + "_id"
	statements = append(statements, "CREATE SEQUENCE IF NOT EXISTS "+p.auditSequence()+" START WITH 1000000",
		"ALTER TABLE "+p.auditName()+" ALTER COLUMN "+key+" SET DEFAULT pg_catalog.nextval("+literal(p.auditSequence())+")")
	return p.withRecords(ctx, func(conn *pgconn.PgConn) error {
		text := "BEGIN; SET LOCAL search_path = " + p.opts.Schema + ", pg_catalog; " + strings.Join(statements, "; ") + "; COMMIT"
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
func (p *postgres) installScript(ctx context.Context, plan *dict.Plan) error {
	script, err := migration.Build(plan, dict.PostgreSQL, &migration.Options{Time: time.Now()})
	if err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(p.records)
	defer db.Close()
	_, err = migration.Apply(ctx, db, script, &migration.ApplyOptions{Schema: p.opts.Schema})
	return err
}
