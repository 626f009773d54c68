package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/internal/sqlquote"
)

// auditTable is what is known of the audit's table.
type auditTable struct {
	mu sync.Mutex // guards id
	id string     // the expression for a new key; "" when it has a default; unknown as long as known is false

	known bool
}

func (d *database) auditName() string {
	return d.opts.Schema + "." + strings.ToLower(run.AuditTableName)
}

func (d *database) auditSequence() string {
	return d.opts.Schema + "." + strings.ToLower(run.AuditTableName) + "_sq"
}

// withRecords runs do with a connection of the audit, and once more with the
// next one when the server has given the connection up: what do does, it may do
// twice.
func (d *database) withRecords(ctx context.Context, do func(*pgconn.PgConn) error) error {
	for attempt := 0; ; attempt++ {
		conn, err := d.records.Acquire(ctx)
		if err != nil {
			return run.Unavailable(err)
		}
		err = do(conn.Conn().PgConn())
		lost := conn.Conn().PgConn().IsClosed()
		conn.Release()
		if err == nil || !lost || ctx.Err() != nil || attempt >= d.opts.AuditConnections {
			return err
		}
	}
}

// AuditReady implements run.Runner.
func (d *database) AuditReady(ctx context.Context, columns []string) error {
	return d.withRecords(ctx, func(conn *pgconn.PgConn) error {
		name := sqlquote.Text(d.auditName())
		rows, err := query(ctx, conn, `SELECT CASE WHEN pg_catalog.to_regclass(`+name+`) IS NULL THEN false
			ELSE pg_catalog.has_table_privilege(pg_catalog.to_regclass(`+name+`), 'INSERT')
				AND pg_catalog.has_table_privilege(pg_catalog.to_regclass(`+name+`), 'UPDATE') END`)
		if err != nil {
			return err
		}
		if len(rows) != 1 || rows[0][0].String != "t" {
			return run.ErrNoAudit
		}
		have, err := query(ctx, conn, `SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = pg_catalog.to_regclass(`+name+`)
			AND a.attnum > 0 AND NOT a.attisdropped`)
		if err != nil {
			return err
		}
		for _, column := range columns {
			if !slices.ContainsFunc(have, func(row run.Cells) bool { return row[0].String == strings.ToLower(column) }) {
				return run.NoAuditColumn(column)
			}
		}
		_, err = d.newKey(ctx, conn)
		return err
	})
}

// newKey is the expression that numbers a record: the column's default, the
// table's own sequence, or the ERP's.
func (d *database) newKey(ctx context.Context, conn *pgconn.PgConn) (string, error) {
	d.audit.mu.Lock()
	defer d.audit.mu.Unlock()
	if d.audit.known {
		return d.audit.id, nil
	}
	name, key := sqlquote.Text(d.auditName()), sqlquote.Text(strings.ToLower(run.AuditTableName)+"_id")
	rows, err := query(ctx, conn, `SELECT
		EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a WHERE a.attrelid = pg_catalog.to_regclass(`+name+`) AND a.attname = `+key+` AND a.atthasdef),
		pg_catalog.to_regclass(`+sqlquote.Text(d.auditSequence())+`) IS NOT NULL,
		pg_catalog.to_regclass(`+sqlquote.Text(d.opts.Schema+".ad_sequence")+`) IS NOT NULL AND EXISTS (SELECT 1 FROM pg_catalog.pg_proc f
			JOIN pg_catalog.pg_namespace n ON n.oid = f.pronamespace WHERE n.nspname = `+sqlquote.Text(d.opts.Schema)+` AND f.proname = 'nextidfunc')`)
	if err != nil {
		return "", err
	}
	switch row := rows[0]; {
	case row[0].String == "t":
		d.audit.id = ""
	case row[1].String == "t":
		d.audit.id = "pg_catalog.nextval(" + sqlquote.Text(d.auditSequence()) + ")"
	case row[2].String == "t":
		d.audit.id = d.opts.Schema + ".nextidfunc((SELECT s.ad_sequence_id FROM " + d.opts.Schema + ".ad_sequence s WHERE s.name = " +
			sqlquote.Text(run.AuditTableName) + " AND s.istableid = 'Y')::pg_catalog.int4, 'N')"
	default:
		return "", run.Fail(api.CodeUnavailable, nil, "the audit's table has no sequence for its key").Advise("install it again, which makes one")
	}
	d.audit.known = true
	return d.audit.id, nil
}

// AuditPatience is a little more than the session's own limits.
func (d *database) AuditPatience() time.Duration { return 6 * time.Second }

// AuditInsert implements run.Runner.
func (d *database) AuditInsert(ctx context.Context, r *run.Record) error {
	return d.withRecords(ctx, func(conn *pgconn.PgConn) error { return d.insertRecord(ctx, conn, r) })
}

func (d *database) insertRecord(ctx context.Context, conn *pgconn.PgConn, r *run.Record) error {
	key, err := d.newKey(ctx, conn)
	if err != nil {
		return err
	}
	names, values := recordValues(r.Columns)
	places := make([]string, len(names))
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	if key != "" {
		names, places = append(names, strings.ToLower(run.AuditTableName)+"_id"), append(places, key)
	}
	// A record that was written although its response got lost is the same one.
	_, err = d.writeRecord(ctx, conn, "INSERT INTO "+d.auditName()+" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(places, ", ")+
		") ON CONFLICT ("+strings.ToLower(run.AuditTableName)+"_uu) DO NOTHING", values)
	return err
}

// recordValues are names and values for the server.
func recordValues(columns []run.RecordColumn) (names []string, values [][]byte) {
	for _, c := range columns {
		names = append(names, strings.ToLower(c.Name))
		if c.Value == nil {
			values = append(values, nil)
		} else {
			values = append(values, []byte(*c.Value))
		}
	}
	return names, values
}

// AuditComplete implements run.Runner.
func (d *database) AuditComplete(ctx context.Context, r *run.Record) error {
	return d.withRecords(ctx, func(conn *pgconn.PgConn) error {
		if there, err := d.updateRecord(ctx, conn, r); err != nil || there {
			return err
		}
		if err := d.insertRecord(ctx, conn, r); err != nil {
			return err
		}
		// Should the first writing have arrived in between, it is completed now.
		_, err := d.updateRecord(ctx, conn, r)
		return err
	})
}

func (d *database) updateRecord(ctx context.Context, conn *pgconn.PgConn, r *run.Record) (there bool, err error) {
	names, values := recordValues(r.Final)
	sets := make([]string, len(names))
	for i, name := range names {
		sets[i] = fmt.Sprintf("%s = $%d", name, i+1)
	}
	n, err := d.writeRecord(ctx, conn, fmt.Sprintf("UPDATE %s SET %s WHERE %s_uu = $%d", d.auditName(), strings.Join(sets, ", "),
		strings.ToLower(run.AuditTableName), len(values)+1), append(values, []byte(r.ID)))
	return n > 0, err
}

// writeRecord runs one statement, which is its own transaction, and returns
// how many records it wrote.
func (d *database) writeRecord(ctx context.Context, conn *pgconn.PgConn, text string, values [][]byte) (int64, error) {
	result := conn.ExecParams(ctx, text, values, nil, nil, nil).Read()
	var server *pgconn.PgError
	if errors.As(result.Err, &server) && (server.Code == "42P01" || server.Code == "42501") {
		d.audit.mu.Lock()
		d.audit.known = false // look again once it is fixed
		d.audit.mu.Unlock()
		return 0, errors.Join(run.ErrNoAudit, result.Err)
	}
	return result.CommandTag.RowsAffected(), result.Err
}
