package erptest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// plainMember is a member of a record, of a reference its id.
func plainMember(o map[string]any, name string) any {
	if ref, ok := o[name].(map[string]any); ok {
		return ref["id"]
	}
	return o[name]
}

// New records have what the ERP's programs, the dictionary and the log-in give
// them, and their tables' programs make of them.
func TestNewRecords(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asGardenAdmin)
	for _, tc := range []struct {
		name, table, body string
		want              map[string]any
	}{
		{"partner of nothing but a name", "C_BPartner", `{"Name":"x"}`, map[string]any{
			"AD_Org_ID": 0., "C_BP_Group_ID": 103., "SOCreditStatus": "X", "SalesVolume": 0., "TotalOpenBalance": 0.,
			"SalesRep_ID": 101., "AD_Language": "en_US", "IsActive": true, "C_PaymentTerm_ID": 105.,
		}},
		{"created by somebody else", "C_BPartner", `{"Name":"x","CreatedBy":100,"Created":"2020-01-02T03:04:05Z"}`, map[string]any{
			"CreatedBy": 100., "Created": "2020-01-02T03:04:05Z", "UpdatedBy": 101.,
		}},
		{"product", "M_Product", `{"Name":"x","C_UOM_ID":100,"ProductType":"S"}`, map[string]any{"AD_Org_ID": 0., "IsStocked": false, "IsSold": true}},
		{"address", "C_Location", `{"City":"Ulm"}`, map[string]any{"AD_Org_ID": 0., "C_Country_ID": 100.}},
		{"user", "AD_User", `{"Name":"Ann Contact"}`, map[string]any{"Value": "acontact", "NotificationType": "X", "AD_Org_ID": 11.}},
		{"user by last name first", "AD_User", `{"Name":"Longlastname, Bob"}`, map[string]any{"Value": "blonglas"}},
		{"request", "R_Request", `{"Summary":"x","DateNextAction":"2001-01-01T00:00:00Z"}`, map[string]any{"DueType": "3", "PriorityUser": "7", "AD_User_ID": 101.}},
		{"organization", "AD_Org", `{"Value":"o9","Name":"Org9"}`, map[string]any{"IsSummary": false}},
		{"payment", "C_Payment", `{"C_BPartner_ID":118,"C_BankAccount_ID":100,"C_Currency_ID":100,"PayAmt":5,"DateTrx":"2026-11-05T00:00:00.000Z"}`, map[string]any{
			"DocAction": nil, "DocStatus": "DR", "DateTrx": "2026-11-05", "R_AvsAddr": "X", "OverUnderAmt": 0.,
		}},
		{"order by the partner", "C_Order", `{"C_BPartner_ID":118}`, map[string]any{
			"IsSOTrx": false, "SalesRep_ID": 104., "Bill_BPartner_ID": 118., "C_DocType_ID": 0.,
		}},
		{"order with another partner's address", "C_Order", `{"C_DocTypeTarget_ID":132,"C_BPartner_ID":118,"C_BPartner_Location_ID":105}`, map[string]any{
			"C_BPartner_Location_ID": 109., "Bill_Location_ID": 109.,
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := w.create(tc.table, tc.body)
			for name, want := range tc.want {
				assert.Equal(t, want, plainMember(o, name), name)
			}
		})
	}
	t.Run("the new organization's details", func(t *testing.T) {
		id := idOf(t, w.create("AD_Org", `{"Value":"o8","Name":"Org8"}`))
		assert.Equal(t, 200, w.get(fmt.Sprintf("/models/AD_OrgInfo/%d", id)).status)
	})
	t.Run("an address of a partner is named after its place", func(t *testing.T) {
		o := w.create("C_BPartner", `{"Name":"x","C_BPartner_Location":[{"C_Location_ID":{"City":"Ulm"}},{"C_Location_ID":{"City":"Ulm","Address1":"Lane"}}]}`)
		var names []any
		for _, l := range o["C_BPartner_Location"].([]any) {
			names = append(names, l.(map[string]any)["Name"])
			partner := l.(map[string]any)["C_BPartner_ID"].(map[string]any)
			assert.Equal(t, fmt.Sprintf("<%d>", idOf(t, o)), partner["identifier"], "not yet to be seen outside of the transaction")
		}
		assert.Equal(t, []any{"Ulm", "Ulm Lane"}, names)
	})
}

// Programs of tables say why they do not take a record, before anybody asks for
// mandatory values.
func TestRefusedRecords(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asGardenAdmin)
	for _, tc := range []struct {
		name, table, body, want string
	}{
		{"order without a partner", "C_Order", `{}`, "Error: Business Partner has no Ship To Address - null_null"},
		{"payment without a partner", "C_Payment", `{}`, "Error: NotFound: Business Partner"},
		{"address of no mailbox", "AD_User", `{"Name":"x","EMail":"no mail"}`, "Could not save the record: EMail format is invalid: EMail Address - [no mail]"},
		{"code that is not listed", "C_BPartner", `{"Name":"x","SOCreditStatus":"?"}`, "Validate: Credit Status - SOCreditStatus Invalid value - ? - Reference_ID=289"},
		{"nothing for a mandatory number", "C_BPartner", `{"Name":"x","SO_CreditLimit":null}`, "Fill mandatory fields: Credit Limit - SO_CreditLimit"},
		{"text for a reference", "C_BPartner", `{"Name":"x","C_BP_Group_ID":"Standard"}`, "WrongDataType: "},
		{"another tenant's group", "C_BPartner", `{"Name":"x","C_BP_Group_ID":1000000}`, "Cross tenant ID 1000000 not allowed in C_BP_Group_ID"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := w.post("/models/"+tc.table, tc.body)
			require.GreaterOrEqual(t, a.status, 400)
			assert.Contains(t, a.text(t, "detail"), tc.want)
		})
	}
}
