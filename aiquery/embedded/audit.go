package embedded

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/dict"
)

// AuditReady implements run.Runner.
func (d *database) AuditReady(ctx context.Context, columns []string) error {
	c, err := d.Catalog(ctx)
	if err != nil {
		return err
	}
	table := c.Relations[strings.ToLower(run.AuditTableName)]
	if table == nil {
		return run.ErrNoAudit
	}
	for _, column := range columns {
		if !table.Has(strings.ToLower(column)) {
			return run.NoAuditColumn(column)
		}
	}
	return nil
}

// AuditPatience is longer than a statement may run: one that reads keeps the
// ERP's database from being written to.
func (d *database) AuditPatience() time.Duration { return 30 * time.Second }

// AuditInsert implements run.Runner.
func (d *database) AuditInsert(ctx context.Context, r *run.Record) error {
	return d.writeRecord(ctx, func(tx *sql.Tx) error { return insertRecord(ctx, tx, r) })
}

// AuditComplete implements run.Runner.
func (d *database) AuditComplete(ctx context.Context, r *run.Record) error {
	return d.writeRecord(ctx, func(tx *sql.Tx) error {
		var sets []string
		var args []any
		for _, c := range r.Final {
			sets, args = append(sets, c.Name+" = ?"), append(args, recordValue(c))
		}
		done, err := tx.ExecContext(ctx, "UPDATE "+run.AuditTableName+" SET "+strings.Join(sets, ", ")+" WHERE "+run.AuditTableName+"_UU = ?", append(args, r.ID)...)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return insertRecord(ctx, tx, r)
	})
}

func (d *database) writeRecord(ctx context.Context, write func(*sql.Tx) error) error {
	err := d.srv.Write(ctx, write, run.AuditTableName)
	if err != nil && strings.Contains(err.Error(), "no such table") {
		return errors.Join(run.ErrNoAudit, err)
	}
	return err
}

func insertRecord(ctx context.Context, tx *sql.Tx, r *run.Record) error {
	names, places, args := []string{run.AuditTableName + "_ID"}, []string{"(SELECT COALESCE(MAX(" + run.AuditTableName + "_ID), 999999) + 1 FROM " + run.AuditTableName + ")"}, []any{}
	for _, c := range r.Columns {
		names, places, args = append(names, c.Name), append(places, "?"), append(args, recordValue(c))
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO "+run.AuditTableName+" ("+strings.Join(names, ", ")+") SELECT "+strings.Join(places, ", ")+
		" WHERE NOT EXISTS (SELECT 1 FROM "+run.AuditTableName+" WHERE "+run.AuditTableName+"_UU = ?)", append(slices.Clip(args), r.ID)...)
	return err
}

func recordValue(c run.RecordColumn) any {
	if c.Value == nil {
		return nil
	}
	return *c.Value // columns of numbers convert it
}

// AuditInstall implements run.Runner.
func (d *database) AuditInstall(ctx context.Context, plan *dict.Plan) error {
	return d.srv.Write(ctx, func(tx *sql.Tx) error {
		for _, table := range run.Tables(plan) {
			columns := make([]string, len(table.Columns))
			for i, c := range table.Columns {
				columns[i] = c.Name + " TEXT"
				switch {
				case c.Key:
					columns[i] = c.Name + " INTEGER PRIMARY KEY"
				case c.UUID:
					columns[i] += " UNIQUE"
				case c.Type.IsID(), c.Type.IsNumeric():
					columns[i] = c.Name + " INTEGER"
				}
			}
			if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+table.Table+" ("+strings.Join(columns, ", ")+")"); err != nil {
				return err
			}
		}
		return nil
	}, run.AuditTableName)
}
