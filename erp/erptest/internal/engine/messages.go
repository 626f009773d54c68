package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Message is the text of an AD_Message in a language (or the base language
// where there is no translation), def when the dictionary has none.
func Message(ctx context.Context, tx *store.Tx, value, language, def string) (string, error) {
	var text string
	err := tx.QueryRow(ctx, `SELECT COALESCE(t.MsgText, m.MsgText) FROM AD_Message m
		LEFT JOIN AD_Message_Trl t ON t.AD_Message_ID=m.AD_Message_ID AND t.AD_Language=? AND t.IsActive='Y' AND t.IsTranslated='Y'
		WHERE m.Value=? AND m.IsActive='Y' LIMIT 1`, language, value).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) || err == nil && text == "" {
		return def, nil
	}
	if err != nil {
		return "", fmt.Errorf("reading message %s: %w", value, err)
	}
	return text, nil
}

// Translated is one of the ERP's own texts in the session's language; other texts, and
// those that the dictionary does not have, stay as they are.
func (s *Session) Translated(ctx context.Context, tx *store.Tx, text string) (string, error) {
	key, ok := messageKeys[text]
	if !ok {
		return text, nil
	}
	return Message(ctx, tx, key, s.Language, text)
}
