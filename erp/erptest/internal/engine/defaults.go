package engine

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Variables are what @Name@ in a default stands for: what the request gives, or
// else the record has so far, and the session.
type Variables struct {
	Session *Session
	Record  *Record
	Given   store.Row // of a request; nil counts the record
	login   *loginContext
}

// FillDefaults completes a record the server makes itself: with what the table's
// program sets, and the dictionary's defaults.
func (s *Session) FillDefaults(ctx context.Context, tx *store.Tx, r *Record) error {
	if !r.Has("AD_Client_ID") {
		r.Set("AD_Client_ID", s.ClientID)
	}
	vars := Variables{Session: s, Record: r}
	for _, col := range r.Table.Columns {
		if r.Has(col.Name) || !takesDefault(r.Table, col) {
			continue
		}
		v, err := s.dictionaryDefault(ctx, tx, vars, col)
		if err != nil {
			return err
		}
		if v != nil {
			r.Set(col.Name, v)
		}
	}
	if !r.Has("AD_Org_ID") {
		org := s.OrgID
		if r.Row.Int("AD_Client_ID") == 0 {
			org = 0
		}
		r.Set("AD_Org_ID", org)
	}
	if rules := rulesOf(r.Table); rules.defaults != nil {
		if err := rules.defaults(ctx, s, tx, r); err != nil {
			return err
		}
	}
	if err := s.construct(ctx, tx, r); err != nil {
		return err
	}
	programDefaults(r)
	return nil
}

// takesDefault reports whether a column can have a default at all.
func takesDefault(t *store.Table, col *store.Column) bool {
	if uu := t.UUColumn(); uu != nil && uu.Name == col.Name {
		return false
	}
	return !col.IsVirtual() && !col.Key
}

// programDefaults are values without which the database would refuse a record the
// server makes itself: flags are off, buttons N, and in the ERP's own tables
// mandatory amounts and quantities are zero.
func programDefaults(r *Record) {
	own := r.Table.EntityType == "D"
	for _, col := range r.Table.Columns {
		if r.Has(col.Name) || col.IsVirtual() || col.Key {
			continue
		}
		switch {
		case col.Ref == displaytype.YesNo,
			col.Ref == displaytype.Button && col.Mandatory && col.Kind() == store.KindText:
			r.Set(col.Name, "N")
		case own && col.Mandatory && col.Kind() == store.KindDecimal:
			r.Set(col.Name, "0")
		}
	}
}

// setDefault gives a column that the request leaves out its default: the
// dictionary's, else what the user prefers, else what the log-in has of that name,
// else what the display type begins with. Values the table's program has set are
// replaced, as in the ERP.
func (s *Session) setDefault(ctx context.Context, tx *store.Tx, vars Variables, col *store.Column) error {
	r := vars.Record
	if !takesDefault(r.Table, col) || col.Name == "Created" || col.Name == "Updated" ||
		slices.Contains([]int{displaytype.RowID, displaytype.Binary, displaytype.TextLong}, col.Ref) {
		return nil
	}
	if col.Name == "IsActive" {
		return s.assign(ctx, tx, r, col, "Y")
	}
	v, err := s.dictionaryDefault(ctx, tx, vars, col)
	if err != nil {
		return err
	}
	if v == nil && strings.EqualFold(strings.TrimSpace(col.Default), "NULL") {
		return nil
	}
	for _, find := range []func(context.Context, *store.Tx, string) (string, error){vars.login.preference, vars.login.value} {
		if v != nil {
			break
		}
		text, err := find(ctx, tx, col.Name)
		if err != nil {
			return err
		}
		v = s.defaultOf(col, text)
	}
	if v == nil {
		v = emptyDefault(col)
	}
	if v == nil {
		return nil
	}
	return s.assign(ctx, tx, r, col, v)
}

// emptyDefault is what columns without any other default begin with, nil for
// nothing.
func emptyDefault(col *store.Column) any {
	id := strings.HasSuffix(col.Name, "_ID")
	switch col.Ref {
	case displaytype.YesNo:
		return "N"
	case displaytype.Button:
		if !id {
			return "N"
		}
	case displaytype.Integer:
		if !id {
			return int64(0)
		}
	case displaytype.Amount, displaytype.Number, displaytype.Quantity, displaytype.CostPrice:
		if !id {
			return "0"
		}
	}
	return nil
}

// defaultOf makes a value of the text of a default, nil for none. Ids that are no
// numbers become 0, as in the ERP.
func (s *Session) defaultOf(col *store.Column, text string) any {
	if text == "" || strings.EqualFold(text, "NULL") {
		return nil
	}
	if col.Kind() == store.KindInteger && (strings.HasSuffix(col.Name, "_ID") || strings.HasSuffix(col.Name, "atedBy")) {
		n, err := strconv.ParseInt(text, 10, 32)
		switch {
		case err != nil:
			return int64(0)
		case n < 0:
			return nil
		}
		return n
	}
	if v, ok := s.storedText(col, text); ok {
		return v
	}
	return nil
}

// dictionaryDefault is what the dictionary says a column holds when nothing was
// given, nil for nothing.
func (s *Session) dictionaryDefault(ctx context.Context, tx *store.Tx, vars Variables, col *store.Column) (any, error) {
	text := strings.TrimSpace(col.Default)
	if text == "" {
		return nil, nil
	}
	if col.Name == "EntityType" && strings.HasPrefix(text, "@SQL=") {
		return s.Sysconfig(ctx, tx, "DEFAULT_ENTITYTYPE", "U"), nil
	}
	if sql, ok := strings.CutPrefix(text, "@SQL="); ok {
		return s.sqlDefault(ctx, tx, vars, col, sql)
	}
	for token := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' }) {
		token = strings.TrimSpace(token)
		value, ok, err := s.DefaultToken(ctx, tx, vars, token)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if stored := s.defaultOf(col, value); stored != nil {
			return stored, nil
		}
	}
	return nil, nil
}

// DefaultToken evaluates one alternative of a default to text.
func (s *Session) DefaultToken(ctx context.Context, tx *store.Tx, vars Variables, token string) (string, bool, error) {
	switch {
	case token == "", strings.EqualFold(token, "NULL"):
		return "", false, nil
	case strings.EqualFold(token, "SYSDATE"), strings.EqualFold(token, "getDate()"), strings.EqualFold(token, "@SysDate@"),
		strings.EqualFold(token, "@#SysDate@"):
		return s.StoredNow(), true, nil
	case len(token) >= 2 && token[0] == '\'' && token[len(token)-1] == '\'':
		text := strings.ReplaceAll(token[1:len(token)-1], "''", "'")
		return text, text != "", nil
	case strings.HasPrefix(token, "@"):
		return vars.Lookup(ctx, tx, strings.Trim(token, "@"))
	}
	return token, true, nil
}

// storedText converts the text of a default into the column's storage form.
func (s *Session) storedText(col *store.Column, text string) (any, bool) {
	switch col.Kind() {
	case store.KindInteger:
		n, err := strconv.ParseInt(text, 10, 32)
		return n, err == nil && (n >= 0 || col.Ref == displaytype.Integer)
	case store.KindDecimal:
		return PlainDecimal(text)
	case store.KindBool:
		return YesNo(text), true
	case store.KindDate, store.KindDateTime, store.KindInstant, store.KindTime:
		return s.StoredMoment(col.Kind(), text)
	case store.KindBytes:
		return nil, false
	}
	return text, true
}

// Lookup is the value of a context variable. Names with # or $ are the
// session's; others the request's, and the session's when it says nothing.
func (v Variables) Lookup(ctx context.Context, tx *store.Tx, name string) (string, bool, error) {
	name, fallback, _ := strings.Cut(name, ":")
	if !strings.HasPrefix(name, "#") && !strings.HasPrefix(name, "$") {
		row := v.Given
		if row == nil {
			row = v.Record.Row
		}
		if s := row.String(name); s != "" {
			return s, true, nil
		}
	}
	login := v.login
	if login == nil {
		login = &loginContext{s: v.Session}
	}
	name = strings.TrimLeft(name, "#$")
	text, ok := login.window[name]
	if !ok {
		var err error
		if text, err = login.value(ctx, tx, name); err != nil {
			return "", false, err
		}
	}
	text = cmp.Or(text, fallback)
	return text, text != "", nil
}

// Defaults of the kind @SQL= are evaluated in two forms only, recognised by
// their whole text; what they name must be in the dictionary.
var (
	nextNumberSQL = lazyregexp.New(`(?i)^\s*SELECT\s+(?:COALESCE|NVL)\s*\(\s*MAX\s*\(\s*(\w+)\s*\)\s*,\s*(\d{1,9})\s*\)\s*\+\s*(\d{1,9})` +
		`(?:\s+(?:AS\s+)?\w+)?\s+FROM\s+(\w+)(?:\s+WHERE\s+(.*?))?\s*$`)
	oneColumnSQL    = lazyregexp.New(`(?i)^\s*SELECT\s+(?:\w+\.)?(\w+)(?:\s+(?:AS\s+)?\w+)?\s+FROM\s+(\w+)(?:\s+\w+)??\s+WHERE\s+(.*?)\s*$`)
	sqlConditionAnd = lazyregexp.New(`(?i)\s+AND\s+`)
	sqlCondition    = lazyregexp.New(`^\s*(?:\w+\.)?(\w+)\s*=\s*(?:@([#$]?\w+)@|'([^'@]*)'|(\d{1,9}))\s*$`)
)

// sqlDefault evaluates SELECT COALESCE(MAX(Column),0)+10 FROM Table WHERE …
// and SELECT Column FROM Table WHERE …, with conditions that compare columns
// with variables or constants. Any other statement gives no default.
func (s *Session) sqlDefault(ctx context.Context, tx *store.Tx, vars Variables, col *store.Column, sql string) (any, error) {
	var column, table, conditions string
	var floor, step int64
	m := nextNumberSQL().FindStringSubmatch(sql)
	if m != nil {
		column, table, conditions = m[1], m[4], m[5]
		floor, _ = strconv.ParseInt(m[2], 10, 64)
		step, _ = strconv.ParseInt(m[3], 10, 64)
	} else if m := oneColumnSQL().FindStringSubmatch(sql); m != nil {
		column, table, conditions = m[1], m[2], m[3]
	} else {
		return nil, nil
	}
	t, err := tx.Table(ctx, table)
	if err != nil {
		return nil, nil //nolint:nilerr // the statement names nothing we know
	}
	wanted, ok := t.Column(column)
	if !ok || wanted.IsVirtual() {
		return nil, nil
	}
	where, args, err := vars.conditions(ctx, tx, t, conditions)
	if err != nil || where == "" && conditions != "" {
		return nil, err
	}
	if m != nil {
		query := "SELECT COALESCE(MAX(CAST(" + sqlquote.Name(wanted.Name) + " AS INTEGER)),?)+? FROM " + sqlquote.Name(t.Name)
		if where != "" {
			query += " WHERE " + where
		}
		var n int64
		if err := tx.QueryRow(ctx, query, append([]any{floor, step}, args...)...).Scan(&n); err != nil {
			return nil, err
		}
		if col.Kind() == store.KindDecimal {
			return strconv.FormatInt(n, 10), nil
		}
		return n, nil
	}
	rows, err := tx.Select(ctx, t, store.Selection{Columns: []*store.Column{wanted}, Where: where, Args: args, Limit: 1})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0][wanted.Name], nil
}

// conditions turns A=@B@ AND C='Y' into SQL with parameters; "" when a part
// is of another form or a variable has no value.
func (v Variables) conditions(ctx context.Context, tx *store.Tx, t *store.Table, text string) (string, []any, error) {
	if text == "" {
		return "", nil, nil
	}
	var parts []string
	var args []any
	for _, part := range sqlConditionAnd().Split(text, -1) {
		m := sqlCondition().FindStringSubmatch(part)
		if m == nil {
			return "", nil, nil
		}
		col, ok := t.Column(m[1])
		if !ok || col.IsVirtual() {
			return "", nil, nil
		}
		value := m[3] + m[4]
		if m[2] != "" {
			var err error
			if value, ok, err = v.Lookup(ctx, tx, m[2]); err != nil || !ok {
				return "", nil, err
			}
		}
		stored, ok := v.Session.storedText(col, value)
		if !ok {
			return "", nil, nil
		}
		parts, args = append(parts, store.Expr(t, col)+"=?"), append(args, stored)
	}
	return strings.Join(parts, " AND "), args, nil
}
