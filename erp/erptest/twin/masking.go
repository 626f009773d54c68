package twin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// makeMask has the mask made for the dictionary that was read.
func (c *clone) makeMask(ctx context.Context, tables []*store.Table) error {
	if c.opts.NewMask == nil {
		return nil
	}
	d, err := c.describe(ctx, tables)
	if err != nil {
		return fmt.Errorf("describing the dictionary to the mask: %w", err)
	}
	if c.opts.Mask, err = c.opts.NewMask(d); err != nil {
		return fmt.Errorf("making the mask: %w", err)
	}
	if c.opts.Mask == nil {
		return errors.New("making the mask: there is none")
	}
	return nil
}

func (c *clone) describe(ctx context.Context, tables []*store.Table) (d Described, err error) {
	err = c.work.View(ctx, func(tx *store.Tx) error {
		for _, t := range tables {
			out := DescribedTable{Name: t.Name, AccessLevel: t.AccessLevel, EntityType: t.EntityType}
			uuid := t.UUColumn()
			for _, col := range t.Columns {
				if col.IsVirtual() {
					continue
				}
				target, err := tx.TargetTable(ctx, col)
				if err != nil {
					return err
				}
				out.Columns = append(out.Columns, DescribedColumn{
					Name: col.Name, ElementName: col.Label, Display: col.Ref, Length: col.Length, RefTable: target,
					Key: slices.Contains(t.KeyColumns(), col), Secure: col.Secure, Encrypted: col.Encrypted, Identifier: col.Identifier,
					Unique: col == uuid, Mandatory: col.Mandatory,
				})
			}
			d.Tables = append(d.Tables, out)
		}
		return nil
	})
	if err != nil {
		return d, err
	}
	for _, name := range []string{"AD_Client", "AD_Org"} {
		i := slices.IndexFunc(tables, func(t *store.Table) bool { return strings.EqualFold(t.Name, name) })
		if i < 0 {
			continue
		}
		if err := c.ownNames(ctx, tables[i], &d); err != nil {
			return d, err
		}
	}
	return d, nil
}

// ownNames reads the names of tenants or organizations.
func (c *clone) ownNames(ctx context.Context, t *store.Table, d *Described) error {
	q := &Query{Table: tableOf(t)}
	for _, name := range []string{"AD_Client_ID", "Name", "Value"} {
		col, ok := t.Column(name)
		if !ok || col.IsVirtual() {
			return nil
		}
		q.Columns = append(q.Columns, Column{Name: col.Name, Type: valueType(col), Display: col.Ref, Length: col.Length})
	}
	return c.retry(ctx, "the table "+t.Name, func() (bool, error) {
		return false, c.src.Rows(ctx, q, func(values []any) error {
			tenant, err := stored(Integer, values[0])
			if err != nil || tenant == int64(0) || tenant == nil {
				return nil // System, whose names everybody knows
			}
			for _, v := range values[1:] {
				if s, ok := v.(string); ok && s != "" && !slices.Contains(d.Own, s) {
					d.Own = append(d.Own, s)
				}
			}
			return nil
		})
	})
}
