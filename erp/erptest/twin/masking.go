package twin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

// makeMask makes the mask for the dictionary that was read.
func (c *clone) makeMask(ctx context.Context, tables []*store.Table) error {
	o := c.opts.Masking
	if o.Mode == mask.None {
		return nil
	}
	o.Own = slices.Clone(o.Own)
	described, err := c.describe(ctx, tables)
	if err != nil {
		return fmt.Errorf("describing the dictionary to the mask: %w", err)
	}
	for _, name := range []string{"AD_Client", "AD_Org"} {
		i := slices.IndexFunc(tables, func(t *store.Table) bool { return strings.EqualFold(t.Name, name) })
		if i < 0 {
			continue
		}
		if o.Own, err = c.ownNames(ctx, tables[i], o.Own); err != nil {
			return err
		}
	}
	if c.mask, err = mask.New(described, o); err != nil {
		return fmt.Errorf("making the mask: %w", err)
	}
	return nil
}

// describe tells the mask what tables there are.
func (c *clone) describe(ctx context.Context, tables []*store.Table) (described []mask.Table, err error) {
	err = c.work.View(ctx, func(tx *store.Tx) error {
		for _, t := range tables {
			out := mask.Table{Name: t.Name, AccessLevel: t.AccessLevel, EntityType: t.EntityType}
			uuid := t.UUColumn()
			for _, col := range t.Columns {
				if col.IsVirtual() {
					continue
				}
				target, err := tx.TargetTable(ctx, col)
				if err != nil {
					return err
				}
				var codes []string
				if target == "AD_Ref_List" {
					codes = codesOf(ctx, tx, col)
				}
				out.Columns = append(out.Columns, mask.Column{
					Name: col.Name, ElementName: col.Label, DisplayType: col.Ref, Length: col.Length, RefTable: target, Codes: codes,
					Key: slices.Contains(t.KeyColumns(), col), Secure: col.Secure, Encrypted: col.Encrypted, Identifier: col.Identifier,
					Unique: col == uuid, Mandatory: col.Mandatory,
				})
			}
			described = append(described, out)
		}
		return nil
	})
	return described, err
}

// ownNames adds the names of tenants or organizations.
func (c *clone) ownNames(ctx context.Context, t *store.Table, own []string) ([]string, error) {
	q := &Query{Table: tableOf(t), Tenants: c.tenants}
	for _, name := range []string{"AD_Client_ID", "Name", "Value"} {
		col, ok := t.Column(name)
		if !ok || col.IsVirtual() {
			return own, nil
		}
		q.Columns = append(q.Columns, Column{Name: col.Name, Type: valueType(col), Display: col.Ref, Length: col.Length})
	}
	err := c.retry(ctx, "the table "+t.Name, func() (bool, error) {
		return false, c.src.Rows(ctx, q, func(values []any) error {
			tenant, err := stored(Integer, values[0])
			if err != nil || tenant == int64(0) || tenant == nil {
				return nil // System, whose names everybody knows
			}
			for _, v := range values[1:] {
				if s, ok := v.(string); ok && s != "" && !slices.Contains(own, s) {
					own = append(own, s)
				}
			}
			return nil
		})
	})
	return own, err
}
