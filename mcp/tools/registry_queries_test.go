package tools_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
)

// What users search for, and what they must find: the first hit, or with a number
// one of so many.
func TestWhatUsersSearchFor(t *testing.T) {
	t.Parallel()
	k := shared(t)
	reg, err := k.rest.Registry(t.Context(), k.as(t, root))
	require.NoError(t, err)
	for _, tc := range []struct {
		query, want string
		within      int
	}{
		{"customer", "C_BPartner", 1}, {"customers", "C_BPartner", 1}, {"client", "C_BPartner", 2}, {"vendor", "C_BPartner", 1}, {"supplier", "C_BPartner", 1},
		{"business partner", "C_BPartner", 1}, {"business partners", "C_BPartner", 1}, {"bpartner", "C_BPartner", 1}, {"Kunde", "C_BPartner", 1},
		{"Lieferanten", "C_BPartner", 1}, {"proveedor", "C_BPartner", 1}, {"fournisseur", "C_BPartner", 1}, {"partner group", "C_BP_Group", 1},
		{"customer group", "C_BP_Group", 1}, {"customer address", "C_BPartner_Location", 1}, {"contact person", "AD_User", 1}, {"employee", "HR_Employee", 2},
		{"stock", "M_StorageOnHand", 1}, {"inventory", "M_StorageOnHand", 2}, {"inventory", "M_Inventory", 2}, {"stock level", "M_StorageOnHand", 1}, {"Lagerbestand", "M_StorageOnHand", 1},
		{"on hand", "M_StorageOnHand", 1}, {"stock movements", "M_Transaction", 1}, {"warehouse", "M_Warehouse", 1}, {"storage bin", "M_Locator", 1},
		{"stocktaking", "M_Inventory", 1}, {"physical inventory", "M_Inventory", 1}, {"shipment", "M_InOut", 1}, {"delivery", "M_InOut", 1}, {"delivery note", "M_InOut", 1},
		{"goods receipt", "M_InOut", 1}, {"shipment line", "M_InOutLine", 1}, {"ledger", "Fact_Acct", 1}, {"general ledger", "Fact_Acct", 1}, {"journal", "GL_Journal", 1},
		{"posting", "Fact_Acct", 1}, {"Buchungen", "Fact_Acct", 1}, {"chart of accounts", "C_ElementValue", 1}, {"gl account", "C_ElementValue", 1}, {"fiscal year", "C_Year", 1},
		{"order", "C_Order", 1}, {"orders", "C_Order", 1}, {"sales order", "C_Order", 1}, {"purchase order", "C_Order", 1}, {"quotation", "C_Order", 1}, {"order line", "C_OrderLine", 1},
		{"sales order lines", "C_OrderLine", 1}, {"Bestellung", "C_Order", 1}, {"pedido", "C_Order", 1}, {"invoice", "C_Invoice", 1}, {"bill", "C_Invoice", 1}, {"credit note", "C_Invoice", 1},
		{"Rechnung", "C_Invoice", 1}, {"factura", "C_Invoice", 1}, {"invoice line", "C_InvoiceLine", 1}, {"payment", "C_Payment", 1}, {"payment term", "C_PaymentTerm", 1},
		{"payment allocation", "C_AllocationHdr", 1}, {"bank statement", "C_BankStatement", 1}, {"bank account", "C_BankAccount", 1}, {"open items", "RV_OpenItem", 1},
		{"price", "M_ProductPrice", 1}, {"price list", "M_PriceList", 1}, {"vendor price", "M_Product_PO", 1}, {"product", "M_Product", 1}, {"item", "M_Product", 1}, {"Artikel", "M_Product", 1},
		{"product category", "M_Product_Category", 1}, {"unit of measure", "C_UOM", 1}, {"exchange rate", "C_Conversion_Rate", 1}, {"currency", "C_Currency", 1}, {"vat", "C_Tax", 1},
		{"tax id", "TaxID", 3}, {"tax number", "TaxID", 3}, {"credit limit", "SO_CreditLimit", 3}, {"document status", "DocStatus", 4}, {"DocStatus", "DocStatus", 1},
		{"project", "C_Project", 1}, {"opportunity", "C_Opportunity", 1}, {"ticket", "R_Request", 1}, {"fixed assets", "A_Asset", 1}, {"machine", "A_Asset", 2}, {"expense report", "S_TimeExpense", 1},
		{"who changed a record", "AD_ChangeLog", 3}, {"change log", "AD_ChangeLog", 1}, {"tenant", "AD_Client", 1}, {"organization", "AD_Org", 1}, {"role", "AD_Role", 1}, {"window access", "AD_Window_Access", 1},
		{"failed jobs", "AD_SchedulerLog", 1}, {"which process recalculates stock", "M_StorageCleanup", 1}, {"trial balance report", "FinTrialBalance", 1}, {"print invoice", "Rpt C_Invoice", 2},
		{"aging report", "RV_T_Aging", 1}, {"clear cache", "Cache Reset", 1}, {"custmer", "C_BPartner", 1}, {"vednor", "C_BPartner", 1}, {"inovice", "C_Invoice", 1}, {"warehuose", "M_Warehouse", 1},
		{"C_Ordr", "C_Order", 1}, {"bussiness partner", "C_BPartner", 1}, {"M_Prodct", "M_Product", 1}, {"c_order", "C_Order", 1}, {"C_BPartner_ID", "C_BPartner_ID", 1},
		{"which table holds the orders of a customer?", "C_Order", 1}, {"where are exchange rates kept", "C_Conversion_Rate", 1}, {"manufacturing order", "PP_Order", 1}, {"bill of materials", "PP_Product_BOM", 1},
	} {
		t.Run(tc.query+" "+tc.want, func(t *testing.T) {
			t.Parallel()
			got, err := reg.Search(t.Context(), registry.SearchQuery{Text: tc.query})
			require.NoError(t, err)
			var names []string
			for _, h := range got.Hits {
				assert.NotEmpty(t, h.Why, h.Name)
				names = append(names, h.Name)
			}
			at := slices.Index(names, tc.want)
			assert.True(t, at >= 0 && at < tc.within, "%s is at %d of %v", tc.want, at, names[:min(6, len(names))])
		})
	}
}
