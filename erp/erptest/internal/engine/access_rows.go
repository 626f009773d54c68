package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// condition collects conditions that must all hold.
type condition struct {
	parts []string
	args  []any
}

func (b *condition) and(sql string, args ...any) {
	b.parts = append(b.parts, sql)
	b.args = append(b.args, args...)
}

// in is `column IN (…)`, with the ids as text: they are ours and may be many.
func in(column string, ids []int64) string { return column + " IN (" + JoinIDs(ids) + ")" }

// RowFilter is the condition for the rows the session may read, over the
// unaliased table, with its parameters; "" when there is none. It holds the
// tenant and organization filter, the table, record and private rules and the
// validation rules of the table.
func (s *Session) RowFilter(ctx context.Context, tx *store.Tx, t *store.Table) (where string, args []any, err error) {
	return s.RowFilterOf(ctx, tx, t, func(string) bool { return true })
}

// RowFilterOf is that condition for a statement that mentions only some of the
// columns. Records of other tables that are kept from the role hide those that
// refer to them only where a statement mentions the reference, as in the ERP.
func (s *Session) RowFilterOf(ctx context.Context, tx *store.Tx, t *store.Table, mentions func(column string) bool) (where string, args []any, err error) {
	r := s.Role
	b := &condition{}
	r.tenantFilter(b, t)
	if strings.EqualFold(t.Name, "AD_SysConfig") {
		b.and(column(t, "Name")+`<>?`, TokenSecretKey) // who had it could sign tokens
	}
	if !t.IsView && !strings.HasSuffix(strings.ToUpper(t.Name), "_TRL") {
		if !r.TableAccess(t, false) {
			b.and("1=3")
		} else if key, ok := t.Column(t.Name + "_ID"); ok && !key.IsVirtual() {
			if err := s.recordFilter(ctx, tx, b, t, key); err != nil {
				return "", nil, err
			}
		}
	}
	if err := s.dependentFilter(ctx, tx, b, t, mentions); err != nil {
		return "", nil, err
	}
	return strings.Join(b.parts, " AND "), b.args, nil
}

// column is a column of t in SQL.
func column(t *store.Table, name string) string {
	return sqlquote.Name(t.Name) + "." + sqlquote.Name(name)
}

func (r *Role) tenantFilter(b *condition, t *store.Table) {
	client, hasClient := t.Column("AD_Client_ID")
	org, hasOrg := t.Column("AD_Org_ID")
	if !hasClient || client.IsVirtual() {
		return
	}
	clientSQL := column(t, client.Name)
	if r.AllOrgs {
		if r.clientID == 0 {
			b.and(clientSQL + "=0")
		} else {
			b.and(in(clientSQL, []int64{0, r.clientID}))
		}
		return
	}
	clients, orgs := r.readable()
	b.and(in(clientSQL, clients))
	if hasOrg && !org.IsVirtual() {
		b.and(in(column(t, org.Name), orgs))
	}
}

// recordFilter adds the rules about single records of the table.
func (s *Session) recordFilter(ctx context.Context, tx *store.Tx, b *condition, t *store.Table, key *store.Column) error {
	r := s.Role
	keySQL := column(t, key.Name)
	var include, exclude []int64
	for _, rule := range r.records {
		switch {
		case rule.tableID != t.ID:
		case rule.exclude: // the ERP's filter hides those flagged read-only too
			exclude = append(exclude, rule.recordID)
		default:
			include = append(include, rule.recordID)
		}
	}
	if len(include) > 0 {
		b.and(in(keySQL, include))
	}
	if len(exclude) > 0 {
		b.and("(" + keySQL + " IS NULL OR NOT " + in(keySQL, exclude) + ")")
	}
	if _, err := tx.Table(ctx, "AD_Private_Access"); err == nil && !r.personal {
		b.and("("+keySQL+" IS NULL OR "+keySQL+` NOT IN (SELECT pa.Record_ID FROM AD_Private_Access pa
			WHERE pa.AD_Table_ID=? AND pa.AD_User_ID<>? AND pa.IsActive='Y'))`, t.ID, s.UserID)
	}
	for _, rule := range r.valid {
		if rule.tableID != t.ID {
			continue
		}
		code, err := s.tableValRule(rule.code)
		if err != nil {
			return fmt.Errorf("the validation rule of table %s: %w", t.Name, err)
		}
		b.and("(" + code + ")")
	}
	return nil
}

// dependentFilter adds the record rules that also restrict the tables which refer to
// the records. The table itself, whose key is its own, is one of them. As in the ERP
// the records of one table are not forgotten at the next.
func (s *Session) dependentFilter(ctx context.Context, tx *store.Tx, b *condition, t *store.Table, mentions func(column string) bool) error {
	var include, exclude []int64
	of, sql := int64(0), ""
	end := func() {
		if len(include) > 0 {
			b.and(in(sql, include))
		} else if len(exclude) > 0 {
			b.and("(" + sql + " IS NULL OR NOT " + in(sql, exclude) + ")")
		}
	}
	for _, rule := range s.Role.dependents {
		master, err := tx.TableByID(ctx, rule.tableID)
		if err != nil {
			continue // no longer in the dictionary: nothing refers to it
		}
		name := master.Name + "_ID"
		switch strings.ToUpper(name) {
		case "AD_USER_ID":
			if rule.tableID != t.ID {
				name = "SalesRep_ID"
			}
		case "C_ELEMENTVALUE_ID":
			name = "Account_ID"
		}
		col, ok := t.Column(name)
		if !ok || col.IsVirtual() || !mentions(col.Name) {
			continue
		}
		if of != rule.tableID {
			end()
		}
		of, sql = rule.tableID, column(t, col.Name)
		if rule.exclude {
			exclude = append(exclude, rule.recordID)
		} else {
			include = append(include, rule.recordID)
		}
	}
	end()
	return nil
}

// tableValRule is the SQL of an AD_TableValRule with the session's values in
// the place of its context variables. What could reach beyond a condition is
// refused.
func (s *Session) tableValRule(code string) (string, error) {
	values := map[string]string{
		"AD_CLIENT_ID": strconv.FormatInt(s.ClientID, 10), "AD_ORG_ID": strconv.FormatInt(s.OrgID, 10),
		"AD_ROLE_ID": strconv.FormatInt(s.RoleID, 10), "AD_USER_ID": strconv.FormatInt(s.UserID, 10),
		"M_WAREHOUSE_ID": strconv.FormatInt(s.WarehouseID, 10), "AD_SESSION_ID": strconv.FormatInt(s.SessionID, 10),
		"DATE": "'" + s.ERP.Now().UTC().Format("2006-01-02") + " 00:00:00'",
	}
	var out strings.Builder
	for rest := code; ; {
		before, after, found := strings.Cut(rest, "@")
		out.WriteString(before)
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, "@")
		value, known := values[strings.ToUpper(strings.TrimPrefix(name, "#"))]
		if !closed || !known {
			return "", PublicError("context variable " + strconv.Quote(name) + " is not known here")
		}
		out.WriteString(value)
		rest = tail
	}
	sql := out.String()
	if !isCondition(sql) {
		return "", PublicError("it is no single SQL condition")
	}
	return sql, nil
}

// isCondition reports whether text stays within the parentheses that will be put
// around it: quotes and parentheses are closed, no comment, no second
// statement.
func isCondition(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '\'' || ch == '"':
			end := strings.IndexByte(text[i+1:], ch)
			if end < 0 {
				return false
			}
			i += end + 1
		case ch == '(':
			depth++
		case ch == ')':
			if depth--; depth < 0 {
				return false
			}
		case ch == ';', ch == 0, ch == '?', ch == '`', ch == '[', ch == '$', ch == ':':
			return false
		case strings.HasPrefix(text[i:], "--"), strings.HasPrefix(text[i:], "/*"):
			return false
		}
	}
	return depth == 0 && strings.TrimSpace(text) != ""
}

// JoinIDs writes ids with commas between them.
func JoinIDs(ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return b.String()
}
