package engine

import (
	"context"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/sqlquote"
)

// ValidationRule is the SQL of an AD_Val_Rule named by id or UUID, with the
// variables of the context put in, as a condition on rows of a table.
func (s *Session) ValidationRule(ctx context.Context, tx *store.Tx, of *store.Table, rule, variables string) (SQL, error) {
	t, err := tx.Table(ctx, "AD_Val_Rule")
	if err != nil {
		return SQL{}, err
	}
	where, arg := `"AD_Val_Rule_UU"=?`, any(rule)
	if id, err := strconv.ParseInt(rule, 10, 32); err == nil {
		where, arg = `"AD_Val_Rule_ID"=?`, id
	} else if rule != "" && !IsUUID(rule) {
		return SQL{}, wrongID(rule)
	}
	rows, err := tx.Select(ctx, t, store.Selection{
		Where: where + ` AND "AD_Client_ID" IN (0,?)`, Args: []any{arg, s.ClientID}, Limit: 1,
	})
	if err != nil {
		return SQL{}, err
	}
	if len(rows) == 0 {
		return SQL{}, Refuse(NotFound, "Invalid validation rule", "No match found for validation with ID: "+rule)
	}
	code := rows[0].String("Code")
	if strings.TrimSpace(code) == "" {
		return SQL{}, nil
	}
	if variables != "" {
		if code, err = putContext(code, variables); err != nil {
			return SQL{}, err
		}
	}
	if !selfContained(code) {
		return SQL{}, PublicError("The validation rule is not a condition of its own: " + rows[0].String("Name"))
	}
	out, err := s.GuardedCondition(ctx, tx, of, SQL{Text: code})
	if active, ok := of.Column("IsActive"); err == nil && ok && !strings.Contains(strings.ToLower(code), "isactive") &&
		strings.Contains(strings.ToLower(out.Text), "isactive") {
		// Only what the rule itself says of IsActive lets inactive records in.
		out.Text = "(" + out.Text + " AND " + store.Expr(of, active) + "='Y')"
	}
	return out, err
}

var (
	contextValue = lazyregexp.New(`^[A-Za-z0-9\s\-]+$`)
	wholeValue   = lazyregexp.New(`^-?[0-9]{1,18}$`)
)

// putContext replaces the @Name@ of a rule by the values of a context, a list
// of Name:Value. Values with other characters than Latin letters, digits, blanks
// and hyphens are passed over. Inside quotes a value stands as it is; elsewhere it
// is a number or becomes a text of its own, so that it is never SQL.
func putContext(code, variables string) (string, error) {
	for pair := range strings.SplitSeq(strings.TrimRight(variables, ","), ",") {
		name, value, _ := strings.Cut(pair, ":")
		if value, _, _ = strings.Cut(value, ":"); value == "" {
			return "", PublicError("The context is not a list of Name:Value: " + pair)
		}
		name = strings.TrimSpace(name)
		if name == "" || !contextValue().MatchString(value) {
			continue
		}
		mark := "@" + name + "@"
		var b strings.Builder
		quoted := false
		for rest := code; rest != ""; {
			if after, found := strings.CutPrefix(rest, mark); found {
				if quoted || wholeValue().MatchString(value) {
					b.WriteString(value)
				} else {
					b.WriteString(sqlquote.Text(value))
				}
				rest = after
				continue
			}
			if rest[0] == '\'' {
				quoted = !quoted
			}
			b.WriteByte(rest[0])
			rest = rest[1:]
		}
		code = b.String()
	}
	return code, nil
}

// selfContained reports whether a rule stays inside the parentheses put around
// it: they match, literals end, there are no comments and no second statement.
func selfContained(code string) bool {
	depth := 0
	var quote byte
	for i := range len(code) {
		ch := code[i]
		switch {
		case quote != 0:
			if ch == quote {
				quote = 0
			}
		case ch == '\'' || ch == '"' || ch == '`':
			quote = ch
		case ch == '(':
			depth++
		case ch == ')':
			if depth--; depth < 0 {
				return false
			}
		case ch == ';', ch == 0, ch == '?', ch == '[', ch == ']',
			strings.HasPrefix(code[i:], "--"), strings.HasPrefix(code[i:], "/*"):
			return false
		}
	}
	return depth == 0 && quote == 0
}
