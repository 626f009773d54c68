package seed

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// When every row of the demo data was made, and who made it: SuperUser.
const (
	MadeTime = "2024-01-01 00:00:00"
	MadeBy   = 100
)

// secretConfigID is the AD_SysConfig_ID of REST_TOKEN_SECRET.
const secretConfigID = 200_199

// addSecrets writes what each database must have of its own: the secret its
// tokens are signed with.
func addSecrets(ctx context.Context, tx *store.Tx) error {
	t, err := tx.Table(ctx, "AD_SysConfig")
	if err != nil {
		return err
	}
	id := int64(secretConfigID)
	var last int64 // a copy of another ERP may use the number for something else
	err = tx.QueryRow(ctx, `SELECT COALESCE(MAX(AD_SysConfig_ID),0) FROM AD_SysConfig WHERE EXISTS (SELECT 1 FROM AD_SysConfig WHERE AD_SysConfig_ID=?)`, id).Scan(&last)
	if err != nil {
		return fmt.Errorf("looking for a number of the token secret: %w", err)
	}
	if last > 0 {
		id = last + 1
	}
	secret := make([]byte, 64)
	if _, err := rand.Read(secret); err != nil {
		return fmt.Errorf("making the token secret: %w", err)
	}
	return tx.Insert(ctx, t, store.Row{
		"AD_SysConfig_ID": id, "AD_SysConfig_UU": store.NewUUID(),
		"AD_Client_ID": int64(0), "AD_Org_ID": int64(0), "IsActive": "Y", "Created": MadeTime, "CreatedBy": int64(MadeBy),
		"Updated": MadeTime, "UpdatedBy": int64(MadeBy), "Name": "REST_TOKEN_SECRET", "EntityType": "D",
		"ConfigurationLevel": "S", "Value": base64.StdEncoding.EncodeToString(secret),
	})
}
