package twin

import (
	"context"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/sqlquote"
)

// plan is how a table is copied.
type plan struct {
	t       *store.Table
	part    Part
	table   *Table
	columns []Column // read from the source
	targets []target // written
	insert  string
	key     int // of the targets: the one column of the key that is a number, -1 without
	tenant  int // of the targets: AD_Client_ID, -1 without
	tenants []int64
	mask    *mask.Masker
	row     map[string]any // for mask
}

type target struct {
	c        *store.Column
	from     int // of the columns, -1 for none
	must     bool
	setting  bool // AD_SysConfig.Name or .Value
	typ      ValueType
	fallback any
}

// tableOf describes a table to sources.
func tableOf(t *store.Table) *Table {
	out := &Table{Name: t.Name}
	if c := t.KeyColumn(); c != nil && !c.IsVirtual() && c.Kind() == store.KindInteger {
		out.Key = c.Name
	} else {
		for _, c := range t.KeyColumns() {
			out.Order = append(out.Order, c.Name)
		}
	}
	if c := t.UUColumn(); c != nil && !c.IsVirtual() {
		out.UUID = c.Name
	}
	if c, ok := t.Column("IsActive"); ok && !c.IsVirtual() {
		out.HasActive = true
	}
	if c, ok := t.Column("Updated"); ok && !c.IsVirtual() {
		out.HasUpdated = true
	}
	if c, ok := t.Column("AD_Client_ID"); ok && !c.IsVirtual() {
		out.HasTenant = true
	}
	return out
}

// planOf decides which columns of a table are read and how they are written; why
// says of the others why they are not.
func (c *clone) planOf(ctx context.Context, tx *store.Tx, t *store.Table, part Part) (p *plan, why map[string]string, err error) {
	p = &plan{t: t, part: part, table: tableOf(t), key: -1, tenant: -1, tenants: c.tenants, mask: c.mask}
	why = map[string]string{}
	have, err := tx.PhysicalColumns(ctx, t.Name)
	if err != nil {
		return nil, nil, err
	}
	physical := map[string]bool{}
	for _, h := range have {
		physical[strings.ToUpper(h.Name)] = true
	}
	key := t.KeyColumns()
	for _, col := range t.Columns {
		if col.IsVirtual() || !physical[strings.ToUpper(col.Name)] {
			continue
		}
		out := target{c: col, from: -1, must: col.Mandatory || col.Ref == displaytype.YesNo, typ: valueType(col)}
		if out.must {
			out.fallback = neutral(col)
		}
		desc := Column{Name: col.Name, Type: out.typ, Display: col.Ref, Length: col.Length}
		if col.Ref == displaytype.Button && !foundationTable(t.Name) {
			desc.Codes = codesOf(ctx, tx, col)
		}
		isKey := slices.Contains(key, col)
		switch {
		case isSecret(col) && !isKey:
			why[col.Name] = "secret"
		case out.typ == Binary && !c.opts.Binary && !isKey:
			why[col.Name] = "binary"
		default:
			if reason := c.src.Hides(p.table, &desc); reason != "" {
				why[col.Name] = reason
				break
			}
			out.from = len(p.columns)
			p.columns = append(p.columns, desc)
		}
		out.setting = strings.EqualFold(t.Name, "AD_SysConfig") && (strings.EqualFold(col.Name, "Name") || strings.EqualFold(col.Name, "Value"))
		if isKey && len(key) == 1 && out.typ == Integer {
			p.key = len(p.targets)
		}
		if strings.EqualFold(col.Name, "AD_Client_ID") {
			p.tenant = len(p.targets)
		}
		p.targets = append(p.targets, out)
	}
	names, marks := make([]string, len(p.targets)), make([]string, len(p.targets))
	for i, t := range p.targets {
		names[i], marks[i] = sqlquote.Name(t.c.Name), "?"
	}
	p.insert = "INSERT OR IGNORE INTO " + sqlquote.Name(t.Name) + " (" + strings.Join(names, ",") + ") VALUES (" + strings.Join(marks, ",") + ")"
	if p.mask != nil {
		p.row = make(map[string]any, len(p.targets))
	}
	return p, why, nil
}

// codesOf are the values of a column's list, those out of use included; nil: it has
// none that can be read.
func codesOf(ctx context.Context, tx *store.Tx, col *store.Column) (codes []string) {
	if col.RefValue == 0 {
		return nil
	}
	if ref, err := tx.Reference(ctx, col.RefValue); err == nil {
		for _, v := range ref.List {
			codes = append(codes, v.Value)
		}
	}
	return codes
}

func foundationTable(name string) bool {
	return slices.ContainsFunc(foundation, func(f string) bool { return strings.EqualFold(f, name) })
}

// convert turns a row of the source into what is written, nil for a row that is
// left out. Counts go into notes.
func (p *plan) convert(values []any, notes *TableReport) ([]any, error) {
	if len(values) != len(p.columns) {
		return nil, fatalf("the source gave %d values for %d columns of %s", len(values), len(p.columns), p.t.Name)
	}
	out := make([]any, len(p.targets))
	var setting, value string
	for i := range p.targets {
		t := &p.targets[i]
		if t.from >= 0 {
			v, err := stored(t.typ, values[t.from])
			if err != nil {
				count(&notes.Unfit, t.c.Name, 1)
			}
			out[i] = v
		}
		if out[i] == nil && t.must {
			if i == p.key {
				count(&notes.LeftOut, "without key", 1)
				return nil, nil
			}
			if t.from >= 0 {
				count(&notes.Filled, t.c.Name, 1)
			}
			out[i] = t.fallback
		}
		if t.setting {
			s, _ := out[i].(string)
			if strings.EqualFold(t.c.Name, "Name") {
				setting = s
			} else {
				value = s
			}
		}
	}
	if p.key >= 0 && out[p.key] == nil {
		count(&notes.LeftOut, "without key", 1)
		return nil, nil
	}
	if p.tenants != nil && p.tenant >= 0 {
		if id, ok := out[p.tenant].(int64); ok && !slices.Contains(p.tenants, id) {
			return nil, nil // of a source that does not look at the tenants
		}
	}
	if setting != "" && secretSetting(setting, value) {
		count(&notes.LeftOut, "secret setting", 1)
		return nil, nil
	}
	if p.mask == nil {
		return out, nil
	}
	return out, p.masked(out)
}

// masked has the mask change a row.
func (p *plan) masked(out []any) error {
	clear(p.row)
	for i := range p.targets {
		p.row[p.targets[i].c.Name] = out[i]
	}
	if err := p.mask.Row(p.t.Name, p.row); err != nil {
		return fatalf("masking a row of %s: %w", p.t.Name, err)
	}
	for i := range p.targets {
		t := &p.targets[i]
		v := p.row[t.c.Name]
		if v == nil && t.must {
			v = t.fallback
		}
		switch v.(type) {
		case nil, int64, string, []byte:
		default:
			return fatalf("masking a row of %s: the value of %s became a %T; values stay int64, string or []byte", p.t.Name, t.c.Name, v)
		}
		out[i] = v
	}
	return nil
}

// keyOf is the key of a row of the source, by which reading goes on.
func (p *plan) keyOf(row []any) *int64 {
	if p.key < 0 || row == nil {
		return nil
	}
	if n, ok := row[p.key].(int64); ok {
		return &n
	}
	return nil
}
