package access

import (
	"context"
	"fmt"

	"github.com/erphub/erphub/erp"
)

// DocActions are the actions that a role, with those it includes, has for a
// document type by the ERP's role administration (AD_Document_Action_Access); nil when
// there are no entries for any type, or they may not be read. The ERP's windows offer
// no other; its REST API does not look at them.
func DocActions(ctx context.Context, client *erp.Client, roleID int, docType erp.ID) ([]erp.DocAction, error) {
	id, ok := docType.Int()
	if !ok || id == 0 {
		return nil, nil
	}
	actions, err := docActions(ctx, client, roleID, id)
	if unreadable(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the document actions of role %d: %w", roleID, err)
	}
	return actions, nil
}

func docActions(ctx context.Context, client *erp.Client, roleID int, docType int64) ([]erp.DocAction, error) {
	const table = "AD_Document_Action_Access"
	r := &role{id: int64(roleID)}
	if err := newExplainer(client).loadIncluded(ctx, r); err != nil {
		return nil, err
	}
	page, err := client.Query(ctx, table, &erp.Query{
		Filter: erp.And(erp.In("AD_Role_ID", r.ids()...), erp.Eq("C_DocType_ID", docType)), Select: []string{"AD_Ref_List_ID"},
		Expand: []erp.Expand{{Name: "AD_Ref_List_ID", Select: []string{"Value"}}}, OrderBy: []string{"AD_Ref_List_ID"}, Top: 100,
	})
	if err != nil {
		return nil, err
	}
	actions := []erp.DocAction{}
	for _, rec := range page.Records {
		if entry, ok := rec.Record("AD_Ref_List_ID"); ok {
			code, _ := entry.Text("Value")
			actions = append(actions, erp.DocAction(code))
		}
	}
	if len(actions) > 0 {
		return actions, nil
	}
	other, err := client.Query(ctx, table, &erp.Query{Filter: erp.In("AD_Role_ID", r.ids()...), Select: []string{"AD_Role_ID"}, Top: 1})
	if err != nil || len(other.Records) == 0 {
		return nil, err // nobody gave the role any: the installation does not use them
	}
	return actions, nil
}
