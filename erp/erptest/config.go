package erptest

import (
	"context"
	"fmt"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// SetConfig sets an AD_SysConfig key for all tenants that have no value of
// their own, for example REST_TOKEN_EXPIRE_IN_MINUTES (60),
// REST_REFRESH_TOKEN_EXPIRE_IN_MINUTES (1440) and
// REST_TOKEN_ABSOLUTE_EXPIRE_IN_MINUTES (10080), where 0 means never. It holds
// for tokens made from then on.
func (s *Server) SetConfig(ctx context.Context, key, value string) error {
	if key == "" || key == engine.TokenSecretKey {
		return fmt.Errorf("setting AD_SysConfig %q: this key cannot be set", key)
	}
	err := s.erp.DB.Update(ctx, func(tx *store.Tx) error {
		t, err := tx.Table(ctx, "AD_SysConfig")
		if err != nil {
			return err
		}
		n, err := tx.Set(ctx, t, store.Row{"Value": value, "IsActive": "Y", "Updated": engine.DBTime(s.now())}, "Name=? AND AD_Client_ID=0 AND AD_Org_ID=0", key)
		if err != nil || n > 0 {
			return err
		}
		return s.erp.InsertRow(ctx, tx, t.Name, engine.Stamp{}, store.Row{"Name": key, "Value": value, "EntityType": "U", "ConfigurationLevel": "S"})
	})
	if err != nil {
		return fmt.Errorf("setting AD_SysConfig %s: %w", key, err)
	}
	return nil
}
