package erptest

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// foreignLanguage is the language if it is not the base language, else "".
func foreignLanguage(ctx context.Context, tx *store.Tx, language string) (string, error) {
	if language == "" {
		return "", nil
	}
	base, err := tx.Known(ctx, `SELECT 1 FROM AD_Language WHERE AD_Language=? AND IsBaseLanguage='Y'`, language)
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
	return engine.NamedTable(ctx, rd.tx, t.Name+"_Trl")
}

// translations are the texts of a table's records in the session's language, by
// the record's key and the column's name.
func (rd *reader) translations(ctx context.Context, t *store.Table, columns []*store.Column, ids []any) (map[int64]store.Row, error) {
	trl, err := rd.translationTable(ctx, t)
	if trl == nil || err != nil {
		return nil, err
	}
	link, ok := trl.Column(t.KeyColumn().Name)
	if !ok {
		return nil, nil
	}
	read := []*store.Column{link}
	for _, c := range columns {
		if tc, ok := trl.Column(c.Name); ok && c.Translated {
			read = append(read, tc)
		}
	}
	if len(read) == 1 {
		return nil, nil
	}
	texts := map[int64]store.Row{}
	for among, args := range anyOf(store.Expr(trl, link), ids) {
		found, err := rd.tx.Select(ctx, trl, store.Selection{
			Columns: read,
			Where:   among + ` AND "AD_Language"=? AND "IsActive"='Y'`,
			Args:    append(args, rd.language),
		})
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			texts[f.Int(link.Name)] = f
		}
	}
	return texts, nil
}

// translate replaces translated columns of the rows by their texts in the
// session's language, where there are any. Rows are changed as copies.
func (rd *reader) translate(ctx context.Context, t *store.Table, columns []*store.Column, rows []store.Row) ([]store.Row, error) {
	if rd.language == "" || len(rows) == 0 || t.KeyColumn() == nil {
		return rows, nil
	}
	key := t.KeyColumn().Name
	ids := make([]any, len(rows))
	for i, row := range rows {
		ids[i] = row.Int(key)
	}
	texts, err := rd.translations(ctx, t, columns, ids)
	if texts == nil || err != nil {
		return rows, err
	}
	out := make([]store.Row, len(rows))
	for i, row := range rows {
		out[i] = row
		text, ok := texts[row.Int(key)]
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

// translateSheet is translate for a sheet, in which the texts are replaced.
func (rd *reader) translateSheet(ctx context.Context, t *store.Table, columns []*store.Column, sheet *store.Sheet) error {
	if rd.language == "" || sheet.Len() == 0 || t.KeyColumn() == nil {
		return nil
	}
	key := sheet.At(t.KeyColumn().Name)
	ids := make([]any, sheet.Len())
	for i := range ids {
		ids[i] = store.IntOf(sheet.Value(i, key))
	}
	texts, err := rd.translations(ctx, t, columns, ids)
	if err != nil {
		return err
	}
	for i, id := range ids {
		text := texts[id.(int64)]
		for _, c := range columns {
			if v := text[c.Name]; v != nil && c.Translated {
				sheet.Set(i, sheet.At(c.Name), v)
			}
		}
	}
	return nil
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

// fewKeys is how many keys are parameters of their own at most: binding them takes
// the driver the square of their number.
const fewKeys = 100

// anyOf are the conditions, with their arguments, that an expression is one of the
// keys. The arguments are the caller's own.
func anyOf(expr string, keys []any) func(yield func(string, []any) bool) {
	return func(yield func(string, []any) bool) {
		if list, ok := numberList(keys); ok && len(keys) > 1 {
			// The same statement for any number of keys, so that it is prepared once.
			yield(expr+" IN (SELECT value FROM json_each(?))", []any{list})
			return
		}
		for some := range slices.Chunk(keys, fewKeys) {
			if !yield(expr+inMarks(len(some)), slices.Clone(some)) {
				return
			}
		}
	}
}

// numberList is a JSON list of keys that are all whole numbers.
func numberList(keys []any) (string, bool) {
	list := []byte{'['}
	for i, key := range keys {
		n, ok := key.(int64)
		if !ok {
			return "", false
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, n, 10)
	}
	return string(append(list, ']')), true
}

// inMarks is " IN (?,…)" with n marks.
func inMarks(n int) string {
	return " IN (" + strings.TrimSuffix(strings.Repeat("?,", n), ",") + ")"
}
