package engine

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// Variables are what @Name@ in a default stands for: the scalar members of
// the request, the record so far, and the session.
type Variables struct {
	Session *Session
	Record  *Record
	Body    *wire.Object
}

// FillDefaults gives a new record the dictionary's defaults for the columns
// without a value, then those the ERP's programs have of their own.
func (s *Session) FillDefaults(ctx context.Context, tx *store.Tx, r *Record, body *wire.Object) error {
	if !r.Has("AD_Client_ID") {
		r.Set("AD_Client_ID", s.ClientID)
	}
	vars := Variables{Session: s, Record: r, Body: body}
	for _, col := range r.Table.Columns {
		if r.Has(col.Name) || col.IsVirtual() || col.Key || vars.given(col.Name) {
			continue
		}
		if uu := r.Table.UUColumn(); uu != nil && uu.Name == col.Name {
			continue
		}
		v, err := s.defaultValue(ctx, tx, vars, col)
		if err != nil {
			return err
		}
		if v != nil {
			r.Set(col.Name, v)
		}
	}
	if !r.Has("AD_Org_ID") && !vars.given("AD_Org_ID") {
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
	s.programDefaults(r, vars)
	return nil
}

// given tells whether the request has a value other than null for the column.
func (v Variables) given(column string) bool {
	if v.Body == nil {
		return false
	}
	_, ok := Member(v.Body, column)
	return ok
}

// programDefaults are the values the ERP's programs give to columns for which
// neither request nor dictionary has one: flags are off, buttons N, and in
// its own tables mandatory amounts and quantities are zero.
func (s *Session) programDefaults(r *Record, vars Variables) {
	own := r.Table.EntityType == "D"
	for _, col := range r.Table.Columns {
		if r.Has(col.Name) || col.IsVirtual() || col.Key {
			continue
		}
		switch {
		case col.Ref == store.TypeYesNo && strings.EqualFold(col.Name, "IsActive"):
			r.Set(col.Name, "Y")
		case col.Ref == store.TypeYesNo:
			r.Set(col.Name, "N")
		case col.Ref == store.TypeButton && col.Mandatory && col.Kind() == store.KindText:
			r.Set(col.Name, "N")
		case own && col.Mandatory && col.Kind() == store.KindDecimal && !vars.given(col.Name):
			r.Set(col.Name, "0")
		}
	}
}

// defaultValue is what the dictionary says a column holds when nothing was
// given, nil for nothing.
func (s *Session) defaultValue(ctx context.Context, tx *store.Tx, vars Variables, col *store.Column) (any, error) {
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
		if stored, ok := s.storedText(col, value); ok {
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
		return n, err == nil && (n >= 0 || col.Ref == store.TypeInteger)
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
	if global, ok := strings.CutPrefix(name, "#"); ok {
		return v.global(ctx, tx, global, fallback)
	}
	if acct, ok := strings.CutPrefix(name, "$"); ok {
		return v.global(ctx, tx, acct, fallback)
	}
	if s := v.Record.Row.String(name); s != "" {
		return s, true, nil
	}
	return v.global(ctx, tx, name, fallback)
}

func (v Variables) global(ctx context.Context, tx *store.Tx, name, fallback string) (string, bool, error) {
	s := v.Session
	switch strings.ToUpper(name) {
	case "AD_CLIENT_ID":
		return strconv.FormatInt(s.ClientID, 10), true, nil
	case "AD_ORG_ID":
		return strconv.FormatInt(s.OrgID, 10), true, nil
	case "AD_USER_ID", "SALESREP_ID":
		return strconv.FormatInt(s.UserID, 10), true, nil
	case "AD_ROLE_ID":
		return strconv.FormatInt(s.RoleID, 10), true, nil
	case "AD_SESSION_ID":
		return strconv.FormatInt(s.SessionID, 10), s.SessionID > 0, nil
	case "M_WAREHOUSE_ID":
		return strconv.FormatInt(s.WarehouseID, 10), s.WarehouseID > 0, nil
	case "AD_LANGUAGE":
		return s.Language, s.Language != "", nil
	case "DATE", "SYSDATE":
		return v.Session.ERP.Now().In(v.Session.ERP.Options.Location).Format(storedDate), true, nil
	}
	if id, err := v.defaultRecord(ctx, tx, name); err != nil || id != 0 {
		return strconv.FormatInt(id, 10), err == nil, err
	}
	return fallback, fallback != "", nil
}

// defaultRecord is what the log-in puts into #C_UOM_ID and its like: the
// record flagged as default, the tenant's own before the system's. The
// currency is that of the tenant's accounting.
func (v Variables) defaultRecord(ctx context.Context, tx *store.Tx, name string) (int64, error) {
	client := v.Session.ClientID
	if strings.EqualFold(name, "C_Currency_ID") {
		if id, err := tenantCurrency(ctx, tx, client); err != nil || id != 0 {
			return id, err
		}
	}
	table, ok := strings.CutSuffix(name, "_ID")
	if !ok {
		return 0, nil
	}
	t, err := tx.Table(ctx, table)
	if err != nil {
		return 0, nil //nolint:nilerr // no such table: no such variable
	}
	key := t.KeyColumn()
	if _, ok := t.Column("IsDefault"); !ok || key == nil || t.IsView {
		return 0, nil
	}
	rows, err := tx.Select(ctx, t, store.Selection{
		Columns: []*store.Column{key},
		Where:   "IsDefault='Y' AND IsActive='Y' AND AD_Client_ID IN (0,?)",
		Args:    []any{client},
		OrderBy: "AD_Client_ID DESC, " + store.Quote(key.Name),
		Limit:   1,
	})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0].Int(key.Name), nil
}

// tenantCurrency is the currency of the tenant's first accounting schema, 0 if
// it has none.
func tenantCurrency(ctx context.Context, tx *store.Tx, client int64) (int64, error) {
	schema, err := tx.Table(ctx, "C_AcctSchema")
	if err != nil {
		return 0, nil //nolint:nilerr // an ERP without accounting
	}
	rows, err := tx.Select(ctx, schema, store.Selection{
		Where: "AD_Client_ID=? AND IsActive='Y'", Args: []any{client}, OrderBy: "C_AcctSchema_ID", Limit: 1,
	})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0].Int("C_Currency_ID"), nil
}

// Defaults of the kind @SQL= are evaluated in two forms only, recognised by
// their whole text; what they name must be in the dictionary.
var (
	nextNumberSQL = regexp.MustCompile(`(?i)^\s*SELECT\s+(?:COALESCE|NVL)\s*\(\s*MAX\s*\(\s*(\w+)\s*\)\s*,\s*(\d{1,9})\s*\)\s*\+\s*(\d{1,9})` +
		`(?:\s+(?:AS\s+)?\w+)?\s+FROM\s+(\w+)(?:\s+WHERE\s+(.*?))?\s*$`)
	oneColumnSQL    = regexp.MustCompile(`(?i)^\s*SELECT\s+(?:\w+\.)?(\w+)(?:\s+(?:AS\s+)?\w+)?\s+FROM\s+(\w+)(?:\s+\w+)??\s+WHERE\s+(.*?)\s*$`)
	sqlConditionAnd = regexp.MustCompile(`(?i)\s+AND\s+`)
	sqlCondition    = regexp.MustCompile(`^\s*(?:\w+\.)?(\w+)\s*=\s*(?:@([#$]?\w+)@|'([^'@]*)'|(\d{1,9}))\s*$`)
)

// sqlDefault evaluates SELECT COALESCE(MAX(Column),0)+10 FROM Table WHERE …
// and SELECT Column FROM Table WHERE …, with conditions that compare columns
// with variables or constants. Any other statement gives no default.
func (s *Session) sqlDefault(ctx context.Context, tx *store.Tx, vars Variables, col *store.Column, sql string) (any, error) {
	var column, table, conditions string
	var floor, step int64
	m := nextNumberSQL.FindStringSubmatch(sql)
	if m != nil {
		column, table, conditions = m[1], m[4], m[5]
		floor, _ = strconv.ParseInt(m[2], 10, 64)
		step, _ = strconv.ParseInt(m[3], 10, 64)
	} else if m := oneColumnSQL.FindStringSubmatch(sql); m != nil {
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
		query := "SELECT COALESCE(MAX(CAST(" + store.Quote(wanted.Name) + " AS INTEGER)),?)+? FROM " + store.Quote(t.Name)
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
	for _, part := range sqlConditionAnd.Split(text, -1) {
		m := sqlCondition.FindStringSubmatch(part)
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
