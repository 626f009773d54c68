package erptest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/erp/erptest"
)

// Tables that clients ask for have records, which the tenant's administrator reads
// and other tenants do not.
func TestDemoDataForClients(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	garden, fern := writeAs(t, srv, asGardenAdmin), writeAs(t, srv, asFernAdmin)
	for table, least := range map[string]int{
		"M_Inventory": 2, "M_InventoryLine": 5, "M_Transaction": 20, "M_StorageReservation": 2, "M_Lot": 2,
		"M_Production": 2, "M_ProductionLine": 4, "PP_Product_BOM": 1, "PP_Product_BOMLine": 3,
		"M_Requisition": 2, "M_RequisitionLine": 3, "C_SalesStage": 4, "C_Opportunity": 3, "C_ContactActivity": 3,
		"A_Asset": 3, "A_Asset_Group": 2, "R_RequestUpdate": 3, "AD_Archive": 2, "AD_UserPreference": 2,
		"M_DiscountSchemaBreak": 3, "C_Commission": 2, "C_CommissionLine": 3, "C_POS": 2, "C_PeriodControl": 36,
	} {
		t.Run(table, func(t *testing.T) {
			list := garden.get("/models/" + table + "?$top=5").object(t)
			assert.GreaterOrEqual(t, list["row-count"], float64(least))
			for _, v := range list["records"].([]any) {
				record := v.(map[string]any)
				one := garden.get(fmt.Sprintf("/models/%s/%v", table, record["uid"]))
				assert.Equal(t, 200, one.status, one.body)
				assert.Equal(t, 404, fern.get(fmt.Sprintf("/models/%s/%v", table, record["uid"])).status, "of another tenant")
			}
		})
	}
	for _, window := range []string{"lead", "requisition", "customer-return", "production-single-product", "physical-inventory", "asset", "sales-opportunity"} {
		t.Run("window "+window, func(t *testing.T) {
			a := garden.get("/windows/" + window + "/tabs")
			assert.Equal(t, 200, a.status, a.body)
		})
	}
	for process, login := range map[string]string{"c_period_process": asGardenAdmin, "importcsvprocess": asGardenAdmin, "translationimpexp": asSystem} {
		t.Run("process "+process, func(t *testing.T) {
			a := writeAs(t, srv, login).get("/processes/" + process)
			assert.Equal(t, 200, a.status, a.body)
		})
	}
	assert.InDelta(t, 33, garden.get("/models/C_Region?$filter=C_Country_ID%20eq%20156&$top=1").object(t)["row-count"], 0, "departments of Colombia")
}

// A document is not processed in a closed period, and only by roles that may run the
// process behind its actions.
func TestDocumentsNeedPeriodAndProcess(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	order := func(day string) int {
		return idOf(t, d.create("C_Order", standardOrder+`,"DateOrdered":"`+day+`","DateAcct":"`+day+`"}`))
	}
	control := d.one("C_PeriodControl", "C_Period_ID eq 106 and DocBaseType eq 'SOO'") // June 2024
	a := d.del(fmt.Sprintf("/models/C_PeriodControl/%d", idOf(t, control)))
	assert.Equal(t, 200, a.status, a.body)
	d.create("C_PeriodControl", `{"C_Period_ID":106,"DocBaseType":"SOO","PeriodStatus":"C"}`)
	a = d.put(fmt.Sprintf("/models/C_Order/%d", order("2024-06-14")), `{"doc-action":"CO"}`)
	assert.Equal(t, 500, a.status, a.body)
	assert.Contains(t, a.text(t, "detail"), "Period Closed")
	for _, day := range []string{"2024-05-31", "2024-07-01", "2023-12-31", "2047-01-01"} {
		assert.Equal(t, "CO", docStatus(d.change("C_Order", order(day), `{"doc-action":"CO"}`)), day)
	}
	user := func() *writes { return writeAs(t, d.srv, asGardenUser) }
	a = user().put(fmt.Sprintf("/models/C_Order/%d", order("2024-05-31")), `{"doc-action":"CO"}`)
	assert.Equal(t, 200, a.status, a.body)
	access := d.one("AD_Process_Access", "AD_Role_ID eq 103 and AD_Process_ID eq 104")
	a = d.del(fmt.Sprintf("/models/AD_Process_Access/%v", access["uid"]))
	assert.Equal(t, 200, a.status, a.body)
	a = user().put(fmt.Sprintf("/models/C_Order/%d", order("2024-05-31")), `{"doc-action":"CO"}`)
	assert.Equal(t, 500, a.status, a.body)
	assert.Contains(t, a.text(t, "detail"), "You cannot access process [[Process Order]]")
}
