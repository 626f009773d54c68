package process

import (
	"context"
	"database/sql"
	"errors"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Notify leaves the caller a notice that a job has ended, unless only mail
// was asked for, which the embedded ERP does not send.
func Notify(ctx context.Context, s *engine.Session, run *Run, notification string, result Result) error {
	if notification == "E" {
		return nil
	}
	return s.ERP.DB.Update(ctx, func(tx *store.Tx) error {
		messages, err := tx.Table(ctx, "AD_Message")
		if err != nil {
			return err
		}
		message, err := tx.One(ctx, messages, "Value='BackgroundJob' AND IsActive='Y'")
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		instances, err := tx.Table(ctx, "AD_PInstance")
		if err != nil {
			return err
		}
		text := []rune(run.Process.String("Name") + "\n" + result.Summary)
		_, err = s.InsertRow(ctx, tx, "AD_Note", store.Row{
			"AD_Message_ID": message.Int("AD_Message_ID"), "AD_User_ID": s.UserID, "TextMsg": string(text[:min(len(text), 2000)]),
			"AD_Table_ID": instances.ID, "Record_ID": run.InstanceID,
		})
		return err
	})
}
