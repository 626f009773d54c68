package engine

import (
	"context"
	"maps"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Stamp says for whom a row is written.
type Stamp struct{ ClientID, OrgID, UserID int64 }

// InsertRow writes a row the server makes on its own account, with id, UUID
// and change stamps. Members that the dictionary does not know are left out.
func (e *ERP) InsertRow(ctx context.Context, tx *store.Tx, table string, by Stamp, row store.Row) error {
	t, err := tx.Table(ctx, table)
	if err != nil {
		return err
	}
	now := DBTime(e.Now())
	full := store.Row{
		"AD_Client_ID": by.ClientID, "AD_Org_ID": by.OrgID, "IsActive": "Y",
		"Created": now, "CreatedBy": by.UserID, "Updated": now, "UpdatedBy": by.UserID,
	}
	maps.Copy(full, row)
	if key := t.KeyColumn(); key != nil && full[key.Name] == nil {
		id, err := tx.NextID(ctx, t.Name)
		if err != nil {
			return err
		}
		full[key.Name] = id
	}
	if uu := t.UUColumn(); uu != nil {
		full[uu.Name] = store.NewUUID()
	}
	for name := range full {
		if _, ok := t.Column(name); !ok {
			delete(full, name)
		}
	}
	return tx.Insert(ctx, t, full)
}

// DBTime is a time as the database keeps it.
func DBTime(t time.Time) string { return t.UTC().Format(time.DateTime) }

// NullIfEmpty is the text, or NULL for an empty one.
func NullIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}
