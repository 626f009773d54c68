package erptest

import (
	"context"
	"fmt"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// SetConfig sets an AD_SysConfig key for all tenants that have no value of
// their own, for example REST_TOKEN_EXPIRE_IN_MINUTES (60),
// REST_REFRESH_TOKEN_EXPIRE_IN_MINUTES (1440) and
// REST_TOKEN_ABSOLUTE_EXPIRE_IN_MINUTES (10080), where 0 means never. It holds
// for tokens made from then on.
func (s *Server) SetConfig(ctx context.Context, key, value string) error {
	if key == "" || key == secretKey {
		return fmt.Errorf("setting AD_SysConfig %q: this key cannot be set", key)
	}
	err := s.erp.db.Update(ctx, func(tx *store.Tx) error {
		t, err := tx.Table(ctx, "AD_SysConfig")
		if err != nil {
			return err
		}
		n, err := tx.Set(ctx, t, store.Row{"Value": value, "IsActive": "Y", "Updated": dbTime(s.now())}, "Name=? AND AD_Client_ID=0 AND AD_Org_ID=0", key)
		if err != nil || n > 0 {
			return err
		}
		return s.erp.insertRow(ctx, tx, t.Name, stamp{}, store.Row{"Name": key, "Value": value, "EntityType": "U", "ConfigurationLevel": "S"})
	})
	if err != nil {
		return fmt.Errorf("setting AD_SysConfig %s: %w", key, err)
	}
	return nil
}
