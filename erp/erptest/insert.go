package erptest

import (
	"context"
	"maps"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// stamp says for whom a row is written.
type stamp struct{ clientID, orgID, userID int64 }

// insertRow writes a row the server makes on its own account, with id, UUID
// and change stamps. Members that the dictionary does not know are left out.
func (e *system) insertRow(ctx context.Context, tx *store.Tx, table string, by stamp, row store.Row) error {
	t, err := tx.Table(ctx, table)
	if err != nil {
		return err
	}
	now := dbTime(e.now())
	full := store.Row{
		"AD_Client_ID": by.clientID, "AD_Org_ID": by.orgID, "IsActive": "Y",
		"Created": now, "CreatedBy": by.userID, "Updated": now, "UpdatedBy": by.userID,
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

// dbTime is a time as the database keeps it.
func dbTime(t time.Time) string { return t.UTC().Format(time.DateTime) }
