package seed

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// restoreProcesses makes processes 291 and 194 what they really are.
func restoreProcesses(ctx context.Context, tx *store.Tx) error {
	processes, err := tx.Table(ctx, "AD_Process")
	if err != nil {
		return err
	}
	params, err := tx.Table(ctx, "AD_Process_Para")
	if err != nil {
		return err
	}
	for id, row := range map[int64]store.Row{
		291: {"Value": "Rpt M_Inventory", "Name": "Physical Inventory Print", "AccessLevel": "3", "Classname": nil, "IsReport": "Y"},
		194: {"Value": "Import_BPartner", "Name": "Import Business Partners", "AccessLevel": "3", "Classname": "org.compiere.process.ImportBPartner"},
	} {
		if _, err := tx.Delete(ctx, params, "AD_Process_ID=?", id); err != nil {
			return err
		}
		if _, err := tx.Set(ctx, processes, row, "AD_Process_ID=?", id); err != nil {
			return err
		}
	}
	return nil
}
