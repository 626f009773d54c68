package engine

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// keepTranslations gives a new record a row in its translation table for
// every further language of the system, and passes changed texts on to rows
// nobody has translated yet.
func (s *Session) keepTranslations(ctx context.Context, tx *store.Tx, r *Record) error {
	key := r.Table.KeyColumn()
	if key == nil {
		return nil
	}
	texts, changed := store.Row{}, false
	for _, col := range r.Table.Columns {
		if col.Translated && !col.IsVirtual() {
			texts[col.Name] = r.Row[col.Name]
			changed = changed || r.changed(col.Name)
		}
	}
	if len(texts) == 0 || !changed {
		return nil
	}
	trl, err := NamedTable(ctx, tx, r.Table.Name+"_Trl")
	if err != nil || trl == nil {
		return err
	}
	texts = texts.Of(trl)
	if !r.IsNew() {
		if len(texts) == 0 {
			return nil
		}
		_, err := tx.Set(ctx, trl, texts, sqlquote.Name(key.Name)+"=? AND IsTranslated='N'", r.ID())
		return err
	}
	languages, err := RowsWhere(ctx, tx, "AD_Language", "AD_Language", "IsSystemLanguage='Y' AND IsBaseLanguage='N' AND IsActive='Y'")
	if err != nil {
		return err
	}
	for _, language := range languages {
		if err := tx.Insert(ctx, trl, s.translation(trl, r, language, texts)); err != nil {
			return err
		}
	}
	return nil
}

// translation is the row that a new record has in the table of its translations.
func (s *Session) translation(trl *store.Table, r *Record, language, texts store.Row) store.Row {
	row := store.Row{
		r.Table.KeyColumn().Name: r.ID(), "AD_Language": language.String("AD_Language"), "IsTranslated": "N", "IsActive": "Y",
		"AD_Client_ID": r.Row.Int("AD_Client_ID"), "AD_Org_ID": r.Row.Int("AD_Org_ID"),
		"Created": s.StoredNow(), "CreatedBy": s.UserID, "Updated": s.StoredNow(), "UpdatedBy": s.UserID,
	}
	for name, v := range texts {
		if v != nil {
			row[name] = v
		}
	}
	if uu := trl.UUColumn(); uu != nil {
		row[uu.Name] = store.NewUUID()
	}
	return row
}
