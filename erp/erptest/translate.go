package erptest

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// foreignLanguage is the language if it is not the base language, else "".
func foreignLanguage(ctx context.Context, tx *store.Tx, language string) (string, error) {
	if language == "" {
		return "", nil
	}
	base, err := tx.Values(ctx, `SELECT 1 FROM AD_Language WHERE AD_Language=? AND IsBaseLanguage='Y'`, language)
	if err != nil {
		return "", err
	}
	if len(base) > 0 {
		return "", nil
	}
	return language, nil
}

// translationTable is the table that holds t's texts in other languages, nil
// when there is none.
func (rd *reader) translationTable(ctx context.Context, t *store.Table) (*store.Table, error) {
	if rd.language == "" || t.KeyColumn() == nil {
		return nil, nil
	}
	trl, err := rd.tx.Table(ctx, t.Name+"_Trl")
	if errors.Is(err, store.ErrNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	exists, err := rd.tx.TableExists(ctx, trl.Name)
	if err != nil || !exists {
		return nil, err
	}
	return trl, nil
}

// translate replaces translated columns of the rows by their texts in the
// session's language, where there are any. Rows are changed as copies.
func (rd *reader) translate(ctx context.Context, t *store.Table, columns []*store.Column, rows []store.Row) ([]store.Row, error) {
	if rd.language == "" || len(rows) == 0 {
		return rows, nil
	}
	trl, err := rd.translationTable(ctx, t)
	if trl == nil || err != nil {
		return rows, err
	}
	key := t.KeyColumn()
	link, ok := trl.Column(key.Name)
	if !ok {
		return rows, nil
	}
	read := []*store.Column{link}
	for _, c := range columns {
		if tc, ok := trl.Column(c.Name); ok && c.Translated {
			read = append(read, tc)
		}
	}
	if len(read) == 1 {
		return rows, nil
	}
	ids := make([]any, len(rows))
	for i, row := range rows {
		ids[i] = row.Int(key.Name)
	}
	texts := map[int64]store.Row{}
	for chunk := range chunks(ids) {
		found, err := rd.tx.Select(ctx, trl, store.Selection{
			Columns: read,
			Where:   store.Expr(trl, link) + inMarks(len(chunk)) + ` AND "AD_Language"=? AND "IsActive"='Y'`,
			Args:    append(chunk, rd.language),
		})
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			texts[f.Int(link.Name)] = f
		}
	}
	out := make([]store.Row, len(rows))
	for i, row := range rows {
		out[i] = row
		text, ok := texts[row.Int(key.Name)]
		if !ok {
			continue
		}
		out[i] = maps.Clone(row)
		for _, c := range columns {
			if v := text[c.Name]; v != nil && c.Translated {
				out[i][c.Name] = v
			}
		}
	}
	return out, nil
}

// elementNames are the elements' names in the session's language, none when
// it is the base language.
func (rd *reader) elementNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	if rd.language == "" || len(ids) == 0 {
		return nil, nil
	}
	element, err := rd.tx.Table(ctx, "AD_Element")
	if err != nil {
		return nil, err
	}
	name, ok := element.Column("Name")
	if !ok {
		return nil, nil
	}
	rows := make([]store.Row, len(ids))
	for i, id := range ids {
		rows[i] = store.Row{"AD_Element_ID": id}
	}
	rows, err = rd.translate(ctx, element, []*store.Column{name}, rows)
	if err != nil {
		return nil, err
	}
	out := map[int64]string{}
	for _, row := range rows {
		if text := row.String("Name"); text != "" {
			out[row.Int("AD_Element_ID")] = text
		}
	}
	return out, nil
}

// chunks cuts arguments into lists short enough for one statement. Each is
// the caller's own.
func chunks(all []any) func(yield func([]any) bool) {
	const size = 500
	return func(yield func([]any) bool) {
		for len(all) > 0 {
			n := min(size, len(all))
			if !yield(append([]any(nil), all[:n]...)) {
				return
			}
			all = all[n:]
		}
	}
}

// inMarks is " IN (?,…)" with n marks.
func inMarks(n int) string {
	return " IN (" + strings.TrimSuffix(strings.Repeat("?,", n), ",") + ")"
}
