package process

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// leaveNotice tells the caller of a job that it has ended. Mail, the other
// kind of notification, is not sent by the embedded ERP.
func leaveNotice(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run, result Result) error {
	if run.Notification != "N" && run.Notification != "B" {
		return nil
	}
	messages, err := engine.RowsWhere(ctx, tx, "AD_Message", "", "Value='BackgroundJob' AND IsActive='Y'")
	if err != nil || len(messages) == 0 {
		return err
	}
	instances, err := tx.Table(ctx, "AD_PInstance")
	if err != nil {
		return err
	}
	text := []rune(run.Process.String("Name") + "\n" + result.Summary)
	_, err = s.InsertRow(ctx, tx, "AD_Note", store.Row{
		"AD_Message_ID": messages[0].Int("AD_Message_ID"), "AD_User_ID": s.UserID, "TextMsg": string(text[:min(len(text), 2000)]),
		"AD_Table_ID": instances.ID, "Record_ID": run.InstanceID,
	})
	return err
}
