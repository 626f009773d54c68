package packin

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// packCompleted is how the ERP marks a package that was imported; it looks for
// exactly this text.
const packCompleted = "Completed successfully"

// maxPackLogs bounds the lines of a response.
const maxPackLogs = 20_000

// outcome is the result of an import as the process tells it: one line for each
// element.
func (p *packIn) outcome(err error) process.Result {
	counts := map[string]int{}
	result := process.Result{}
	for i, d := range p.done {
		counts[d.action]++
		if i < maxPackLogs {
			result.Logs = append(result.Logs, process.LogLine{Message: d.text()})
		}
	}
	name := clipRunes(strings.TrimSpace(p.packageName()+" "+p.packageVersion()), 200)
	if err != nil {
		result.IsError = true
		result.Summary = clipRunes("Nothing of package "+name+" was imported: "+packText(err), 4000)
		return result
	}
	result.Summary = fmt.Sprintf("Package %s imported: %d new, %d updated, %d unchanged, %d skipped",
		name, counts["New"], counts["Update"], counts["Unchanged"], counts["Skipped"])
	if p.lacking != nil && p.lacking.count > 0 {
		result.Summary += fmt.Sprintf("; %d lack records of the ERP that the embedded one does not have", p.lacking.count)
	}
	return result
}

// text is a line of the log.
func (d packResult) text() string {
	text := d.action
	if d.element != nil {
		text += " " + d.element.Name
	}
	if d.what != "" {
		text += " " + d.what
	}
	if d.element != nil {
		text += fmt.Sprintf(" (line %d)", d.element.Line)
	}
	if d.note != "" {
		text += ": " + d.note
	}
	return text
}

// packageName is the name in the window, else the archive's.
func (p *packIn) packageName() string {
	return cmp.Or(p.name, p.proc.String("Name"), p.header.Name)
}

func (p *packIn) packageVersion() string { return cmp.Or(p.version, p.header.Version) }

// log records an import: its result with the AD_Package_Imp_Proc record, the
// package in the list of installed ones, and what was done in its details.
func (p *packIn) log(ctx context.Context, tx *store.Tx, result process.Result) error {
	proc, err := tx.Table(ctx, "AD_Package_Imp_Proc")
	if err != nil {
		return err
	}
	if _, err := tx.Set(ctx, proc, store.Row{
		"P_Msg": clipRunes(result.Summary, 2000), "DateProcessed": p.s.StoredNow(), "Updated": p.s.StoredNow(), "UpdatedBy": p.s.UserID,
	}, "AD_Package_Imp_Proc_ID=?", p.proc.Int("AD_Package_Imp_Proc_ID")); err != nil {
		return err
	}
	status := packCompleted
	if result.IsError {
		status = "Failed"
	}
	installed, err := p.s.InsertRow(ctx, tx, "AD_Package_Imp", store.Row{
		"Name": clipRunes(p.packageName(), 500), "PK_Version": clipRunes(p.packageVersion(), 20), "PK_Status": status,
		"Description": clipRunes(p.header.Description, 1000), "CreatedDate": clipRunes(p.header.Created, 25),
		"UpdatedDate": clipRunes(p.header.Updated, 25), "Processed": "Y", "Processing": "N", "Uninstall": "N",
		"AD_Package_Imp_Proc_ID": p.proc.Int("AD_Package_Imp_Proc_ID"),
	})
	if err != nil {
		return err
	}
	if result.IsError {
		return nil // what was done was undone
	}
	for _, d := range p.done {
		if d.table == nil || d.element == nil {
			continue
		}
		row := store.Row{
			"AD_Package_Imp_ID": installed.ID(), "AD_Table_ID": d.table.ID, "TableName": d.table.Name, "Type": d.element.Name,
			"Name": d.what, "Action": d.action, "Success": "Success", "Record_ID": d.id, "Uninstall": "N",
			"AD_Client_ID": p.s.ClientID, "AD_Org_ID": int64(0),
		}
		if d.uuid != "" {
			row["Record_UU"] = d.uuid
		}
		if d.note != "" {
			row["Result"] = clipRunes(d.note, 2000)
		}
		if _, err := p.s.InsertRow(ctx, tx, "AD_Package_Imp_Detail", row); err != nil {
			return err
		}
	}
	return nil
}
