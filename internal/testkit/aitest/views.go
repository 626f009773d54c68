package aitest

// view is a view of both databases with what is left of it for Reader.
type view struct {
	name    string
	columns []string
	query   string // in both databases
	reduced string // over the reduced database; empty: the same; "-": not available
}

func views() []view {
	return []view{
		{
			name: "RV_Order_Detail",
			columns: []string{
				"AD_Client_ID", "AD_Org_ID", "C_Order_ID", "DocumentNo", "DateOrdered", "GrandTotal", "C_BPartner_ID", "PartnerName",
				"PartnerTax", "Hint",
			},
			query: `SELECT o.AD_Client_ID, o.AD_Org_ID, o.C_Order_ID, o.DocumentNo, o.DateOrdered, o.GrandTotal, o.C_BPartner_ID,
	bp.Name AS PartnerName, bp.TaxID AS PartnerTax, u.Password AS Hint
FROM C_Order o LEFT JOIN C_BPartner bp ON bp.C_BPartner_ID = o.C_BPartner_ID LEFT JOIN AD_User u ON u.AD_User_ID = o.SalesRep_ID`,
			reduced: `SELECT o.AD_Client_ID, o.AD_Org_ID, o.C_Order_ID, o.DocumentNo, o.DateOrdered, o.GrandTotal, o.C_BPartner_ID,
	bp.Name AS PartnerName, CAST(NULL AS varchar) AS PartnerTax, u.Password AS Hint
FROM C_Order o LEFT JOIN C_BPartner bp ON bp.C_BPartner_ID = o.C_BPartner_ID LEFT JOIN AD_User u ON u.AD_User_ID = o.SalesRep_ID`,
		},
		{
			name:    "RV_BPartner_Total", // without tenant and organization
			columns: []string{"C_BPartner_ID", "Name", "Orders", "Total"},
			query: `SELECT bp.C_BPartner_ID, bp.Name, COUNT(*) AS Orders, SUM(o.GrandTotal) AS Total
FROM C_BPartner bp JOIN C_Order o ON o.C_BPartner_ID = bp.C_BPartner_ID GROUP BY bp.C_BPartner_ID, bp.Name`,
		},
		{
			name:    "RV_Order_Recent", // a view over a view
			columns: []string{"AD_Client_ID", "AD_Org_ID", "DocumentNo", "PartnerName", "Clue"},
			query: `SELECT d.AD_Client_ID, d.AD_Org_ID, d.DocumentNo, d.PartnerName, d.Hint AS Clue FROM RV_Order_Detail d
WHERE d.GrandTotal > 100`,
		},
		{
			name:    "AD_AllUsers_V",
			columns: []string{"AD_Client_ID", "AD_Org_ID", "AD_User_ID", "Name", "Passphrase"},
			query:   `SELECT u.AD_Client_ID, u.AD_Org_ID, u.AD_User_ID, u.Name, u.Password AS Passphrase FROM AD_User u`,
		},
		{
			name:    "RV_Payment_List", // over an excluded table
			columns: []string{"AD_Client_ID", "AD_Org_ID", "DocumentNo", "PayAmt"},
			query:   `SELECT p.AD_Client_ID, p.AD_Org_ID, p.DocumentNo, p.PayAmt FROM C_Payment p`,
			reduced: "-",
		},
	}
}
