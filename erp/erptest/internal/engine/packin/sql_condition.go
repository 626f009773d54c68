package packin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/sqlstep"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/sqlquote"
)

// sqlRows are the rows in reach that a condition finds.
func (p *packIn) sqlRows(ctx context.Context, t *store.Table, condition sqlstep.Condition) ([]store.Row, error) {
	where, args, err := p.rowsInReach(ctx, t, condition)
	if err != nil {
		return nil, err
	}
	return p.tx.Select(ctx, t, store.Selection{Where: where, Args: args})
}

// ownRows is the condition for the rows in reach: all for the System, its own for
// a tenant, also where the ERP would let it have others.
func (p *packIn) ownRows(ctx context.Context, t *store.Table) (where string, args []any, err error) {
	if p.s.ClientID == 0 {
		return "1=1", nil, nil
	}
	tenants, err := engine.HasPhysicalColumn(ctx, p.tx, t.Name, "AD_Client_ID")
	if err == nil && !tenants {
		err = engine.PublicError("the rows of table " + t.Name + " are of no tenant")
	}
	return sqlquote.Name(t.Name) + `."AD_Client_ID"=?`, []any{p.s.ClientID}, err
}

// hasNone reports whether a step would find no rows, whatever its condition: a
// tenant has none in the dictionary.
func (p *packIn) hasNone(ctx context.Context, t *store.Table) (bool, error) {
	where, args, err := p.ownRows(ctx, t)
	if err != nil {
		return false, err
	}
	n, err := p.tx.Count(ctx, t, where, args...)
	return n == 0, err
}

func (p *packIn) rowsInReach(ctx context.Context, t *store.Table, condition sqlstep.Condition) (where string, args []any, err error) {
	where, args, err = p.ownRows(ctx, t)
	if err != nil {
		return "", nil, err
	}
	if condition != nil {
		text, more, err := p.condition(ctx, t, condition)
		if err != nil {
			return "", nil, err
		}
		where, args = where+" AND ("+text+")", append(args, more...)
	}
	return where, args, nil
}

// condition writes a condition for the database.
func (p *packIn) condition(ctx context.Context, t *store.Table, c sqlstep.Condition) (text string, args []any, err error) {
	switch c := c.(type) {
	case sqlstep.Logic:
		var parts []string
		for _, part := range c.Parts {
			text, more, err := p.condition(ctx, t, part)
			if err != nil {
				return "", nil, err
			}
			parts, args = append(parts, "("+text+")"), append(args, more...)
		}
		if c.Op == "NOT" {
			return "NOT " + parts[0], args, nil
		}
		return strings.Join(parts, " "+c.Op+" "), args, nil
	case sqlstep.Compare:
		col, err := p.sqlColumn(t, c.Column, p.s.Role.CanSeeColumn)
		if err != nil || c.Op == "IS" || c.Op == "IS NOT" {
			return column(t, col) + " " + c.Op + " NULL", nil, err
		}
		v, err := p.comparable(col, c.Value)
		return column(t, col) + c.Op + "?", []any{v}, err
	case sqlstep.In:
		return p.inCondition(ctx, t, c)
	}
	return "", nil, fmt.Errorf("a condition of type %T", c)
}

func (p *packIn) inCondition(ctx context.Context, t *store.Table, c sqlstep.In) (text string, args []any, err error) {
	col, err := p.sqlColumn(t, c.Column, p.s.Role.CanSeeColumn)
	if err != nil {
		return "", nil, err
	}
	op := " IN ("
	if c.Not {
		op = " NOT IN ("
	}
	if c.Query == nil {
		for _, value := range c.Values {
			v, err := p.comparable(col, value)
			if err != nil {
				return "", nil, err
			}
			args = append(args, v)
		}
		return column(t, col) + op + strings.TrimPrefix(strings.Repeat(",?", len(args)), ",") + ")", args, nil
	}
	from, err := p.sqlTable(ctx, c.Query.Table)
	if err != nil {
		return "", nil, err
	}
	if !p.s.Role.CanRead(from) {
		return "", nil, engine.PublicError("the role may not read table " + from.Name)
	}
	selected, err := p.sqlColumn(from, c.Query.Column, p.s.Role.CanSeeColumn)
	if err != nil {
		return "", nil, err
	}
	where, args, err := p.rowsInReach(ctx, from, c.Query.Where)
	return column(t, col) + op + "SELECT " + column(from, selected) + " FROM " + sqlquote.Name(from.Name) + " WHERE " + where + ")", args, err
}

// column names a column with its table; nil is for conditions that failed.
func column(t *store.Table, col *store.Column) string {
	if col == nil {
		return ""
	}
	return sqlquote.Name(t.Name) + "." + sqlquote.Name(col.Name)
}

// comparable is a constant that a column is compared with.
func (p *packIn) comparable(col *store.Column, v sqlstep.Value) (any, error) {
	switch col.Kind() {
	case store.KindInteger, store.KindBool, store.KindText, store.KindUUID:
	default:
		return nil, notRun("columns like %s cannot be compared", col.Name)
	}
	if v.Kind == "null" {
		return nil, nil
	}
	if v.Kind == "text" && col.Kind() != store.KindInteger {
		return v.Text, nil // also one that the column cannot hold
	}
	return p.constant(col, v)
}

// constant is what a column stores of a constant; nil is NULL.
func (p *packIn) constant(col *store.Column, v sqlstep.Value) (any, error) {
	bad := engine.PublicError("column " + col.Name + " cannot hold " + v.Kind + " " + engine.JSONOf(clipRunes(v.Text, 60)))
	text := v.Text
	switch v.Kind {
	case "null":
		return nil, nil
	case "uuid":
		text = store.NewUUID()
	case "now":
		text = p.s.StoredNow()
	}
	switch kind := col.Kind(); kind {
	case store.KindInteger:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, bad
		}
		return n, nil
	case store.KindDecimal:
		if s, ok := engine.PlainDecimal(text); ok {
			return s, nil
		}
	case store.KindBool:
		if text == "Y" || text == "N" {
			return text, nil
		}
	case store.KindDate, store.KindDateTime, store.KindInstant, store.KindTime:
		if moment, ok := p.s.StoredMoment(kind, text); ok {
			return moment, nil
		}
	case store.KindUUID:
		if engine.IsUUID(text) {
			return text, nil
		}
	case store.KindText, store.KindJSON:
		if col.Length <= 0 || utf8.RuneCountInString(text) <= max(col.Length, 1) || col.Ref == displaytype.TextLong || col.Ref == displaytype.JSON {
			return text, nil
		}
	}
	return nil, bad
}
