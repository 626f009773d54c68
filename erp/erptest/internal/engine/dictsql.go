package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// dictionarySQLTimeout bounds a statement that stands in the dictionary: it
// holds up everybody who wants to write.
const dictionarySQLTimeout = 15 * time.Second

// SQL is SQL of the dictionary with parameters in the place of its
// context variables.
type SQL struct {
	Text string
	Args []any
}

// Bind replaces the @Name@ of SQL by parameters: numbers as such, everything
// else as text. Inside quotes a value becomes part of the literal. ok is false
// when a variable has no value.
func (v Variables) Bind(ctx context.Context, tx *store.Tx, sql string) (out SQL, ok bool, err error) {
	var b strings.Builder
	var quote byte
	for rest := sql; rest != ""; {
		ch := rest[0]
		name, tail, closed := "", "", false
		if ch == '@' {
			name, tail, closed = strings.Cut(rest[1:], "@")
			closed = closed && name != "" && !strings.ContainsAny(name, " \t\r\n'\"")
		}
		if !closed {
			switch {
			case quote == 0 && (ch == '\'' || ch == '"'):
				quote = ch
			case ch == quote:
				quote = 0
			}
			b.WriteByte(ch)
			rest = rest[1:]
			continue
		}
		value, known, err := v.Lookup(ctx, tx, name)
		if err != nil {
			return out, false, err
		}
		if !known {
			return out, false, nil
		}
		if quote != 0 {
			q := string(quote)
			b.WriteString(strings.ReplaceAll(value, q, q+q))
		} else {
			b.WriteByte('?')
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				out.Args = append(out.Args, n)
			} else {
				out.Args = append(out.Args, value)
			}
		}
		rest = tail
	}
	out.Text = b.String()
	return out, true, nil
}

// refusedWords must not appear in SQL of the dictionary: they lead beyond the
// tables of the dictionary or make work without end.
var refusedWords = map[string]bool{
	"main": true, "temp": true, "with": true, "recursive": true, "load_extension": true, "randomblob": true,
	"zeroblob": true, "readfile": true, "writefile": true, "dbstat": true, "bytecode": true, "tables_used": true,
	"fts3_tokenizer": true, "printf": true, "format": true, "ad_private_access": true, "rowid": true, "oid": true, "_rowid_": true,
}

// guard makes the WITH clause under which SQL of the dictionary is run: every
// table it names is replaced by its rows and columns which the session may
// read, so that a condition or a subquery cannot reach other tenants. SQL that
// names anything else is refused.
func (s *Session) guard(ctx context.Context, tx *store.Tx, sql string) (SQL, error) {
	words, ok := SQLWords(sql)
	if !ok {
		return SQL{}, PublicError("A statement of the dictionary cannot be read")
	}
	physical, err := tx.Tables(ctx)
	if err != nil {
		return SQL{}, err
	}
	var out SQL
	var parts []string
	seen := map[string]bool{}
	for _, word := range words {
		lower := strings.ToLower(word)
		if seen[lower] {
			continue
		}
		seen[lower] = true
		if refusedWords[lower] || strings.HasPrefix(lower, "sqlite_") || strings.HasPrefix(lower, "pragma_") {
			return SQL{}, PublicError("A statement of the dictionary must not use " + word)
		}
		t, err := tx.Table(ctx, word)
		if errors.Is(err, store.ErrNoTable) {
			if physical[lower] {
				return SQL{}, PublicError("A statement of the dictionary must not use " + word)
			}
			continue
		}
		if err != nil {
			return SQL{}, err
		}
		if !physical[lower] {
			continue // in the dictionary only; perhaps a column's name
		}
		part, err := s.guardedTable(ctx, tx, t)
		if err != nil {
			return SQL{}, err
		}
		parts = append(parts, part.Text)
		out.Args = append(out.Args, part.Args...)
	}
	if len(parts) > 0 {
		out.Text = "WITH " + strings.Join(parts, ", ") + " "
	}
	return out, nil
}

// guardedTable is the common table expression that stands for a table.
// Columns the session must not see are NULL.
func (s *Session) guardedTable(ctx context.Context, tx *store.Tx, t *store.Table) (SQL, error) {
	columns, err := tx.PhysicalColumns(ctx, t.Name)
	if err != nil {
		return SQL{}, err
	}
	var list []string
	for _, p := range columns {
		col, ok := t.Column(p.Name)
		hidden := !ok || col.Secure || col.Encrypted
		if hidden || !s.Role.CanSeeColumn(t, col) {
			list = append(list, "NULL AS "+sqlquote.Name(p.Name))
		} else {
			list = append(list, sqlquote.Name(p.Name))
		}
	}
	where, args, err := s.RowFilter(ctx, tx, t)
	if err != nil {
		return SQL{}, err
	}
	sql := sqlquote.Name(t.Name) + " AS (SELECT " + strings.Join(list, ",") + " FROM main." + sqlquote.Name(t.Name)
	if where != "" {
		sql += " WHERE " + where
	}
	return SQL{sql + ")", args}, nil
}

// GuardedCondition is a condition of the dictionary on rows of t that may be
// put into any statement on t. A condition with a subquery needs a key.
func (s *Session) GuardedCondition(ctx context.Context, tx *store.Tx, t *store.Table, cond SQL) (SQL, error) {
	words, ok := SQLWords(cond.Text)
	if !ok || strings.TrimSpace(cond.Text) == "" {
		return SQL{}, PublicError("A condition of the dictionary cannot be read")
	}
	nested := false
	for _, word := range words {
		nested = nested || strings.EqualFold(word, "select")
		if col, ok := t.Column(word); ok && (col.Secure || col.Encrypted) {
			return SQL{}, PublicError("A statement of the dictionary must not use " + word)
		}
	}
	if !nested {
		return SQL{"(" + cond.Text + ")", cond.Args}, nil
	}
	key := t.KeyColumn()
	if key == nil {
		key = t.UUColumn()
	}
	if key == nil {
		return SQL{}, PublicError(fmt.Sprintf("Conditions with subqueries are not possible on table %s, which has no key", t.Name))
	}
	with, err := s.guard(ctx, tx, t.Name+" "+cond.Text)
	if err != nil {
		return SQL{}, err
	}
	name := sqlquote.Name(t.Name) + "." + sqlquote.Name(key.Name)
	return SQL{
		name + " IN (" + with.Text + "SELECT " + name + " FROM " + sqlquote.Name(t.Name) + " WHERE (" + cond.Text + "))",
		append(with.Args, cond.Args...),
	}, nil
}

// SQLWords are the identifiers, keywords and literals in SQL: SQLite takes a
// literal for a table's name where one must stand. ok is false for text that
// is not a part of a single statement: quotes or parentheses are not closed,
// it has comments, semicolons or brackets.
func SQLWords(sql string) (words []string, ok bool) {
	depth := 0
	for i := 0; i < len(sql); {
		ch := sql[i]
		switch {
		case ch == '\'' || ch == '"':
			end := quotedEnd(sql, i)
			if end >= len(sql) {
				return nil, false
			}
			words = append(words, strings.ReplaceAll(sql[i+1:end], string([]byte{ch, ch}), string(ch)))
			i = end + 1
			continue
		case ch == '(':
			depth++
		case ch == ')':
			if depth--; depth < 0 {
				return nil, false
			}
		case ch == ';', ch == 0, ch == '`', ch == '[', ch == ']', ch == '$', ch == '#', ch == ':', ch == '@',
			strings.HasPrefix(sql[i:], "--"), strings.HasPrefix(sql[i:], "/*"):
			return nil, false
		case isWordByte(ch) && (ch < '0' || ch > '9'):
			end := i
			for end < len(sql) && isWordByte(sql[end]) {
				end++
			}
			words = append(words, sql[i:end])
			i = end
			continue
		}
		i++
	}
	return words, depth == 0
}

// quotedEnd is where the quoted text that begins at a place ends, the length of all if it
// does not.
func quotedEnd(sql string, begin int) int {
	quote := sql[begin]
	for i := begin + 1; i < len(sql); i++ {
		switch {
		case sql[i] != quote:
		case i+1 < len(sql) && sql[i+1] == quote:
			i++
		default:
			return i
		}
	}
	return len(sql)
}

func isWordByte(ch byte) bool {
	return ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9' || ch == '_' || ch >= 0x80
}

// QueryDictionary runs a statement of the dictionary under guard and calls fn
// with the values of each row.
func (s *Session) QueryDictionary(ctx context.Context, tx *store.Tx, statement SQL, fn func(values []any) error) error {
	with, err := s.guard(ctx, tx, statement.Text)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dictionarySQLTimeout)
	defer cancel()
	rows, err := tx.Query(ctx, with.Text+statement.Text, append(with.Args, statement.Args...)...)
	if err != nil {
		return fmt.Errorf("running SQL of the dictionary: %w", err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		values, scan := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			scan[i] = &values[i]
		}
		if err := rows.Scan(scan...); err != nil {
			return err
		}
		if err := fn(values); err != nil {
			return err
		}
	}
	return rows.Err()
}
