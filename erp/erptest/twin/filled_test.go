package twin_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// traded are the tables of partners, products and documents that a filled ERP has
// many rows of.
var traded = []string{
	"C_BPartner", "C_BPartner_Location", "C_Location", "M_Product", "M_ProductPrice",
	"C_Order", "C_OrderLine", "C_OrderTax", "M_InOut", "M_InOutLine", "C_Invoice", "C_InvoiceLine", "C_InvoiceTax", "C_Payment", "C_AllocationHdr", "C_AllocationLine",
	"M_Inventory", "M_InventoryLine", "M_Transaction", "M_StorageOnHand", "C_Project", "C_ProjectPhase", "C_ProjectTask", "R_Request", "R_RequestUpdate",
	"C_Opportunity", "M_Requisition", "M_RequisitionLine", "M_Production", "M_ProductionLine",
}

// filled is an ERP with at least n business records, in a file: the demo data of
// all tenants again and again, under other keys, in other organizations.
func filled(t *testing.T, n int) (srv *erptest.Server, records int) {
	t.Helper()
	srv, err := erptest.Start(t.Context(), erptest.Options{Path: filepath.Join(t.TempDir(), "erp.db")})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, srv.Close()) })
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(t.Context())
		var statements []string
		demo := 0
		for _, table := range traded {
			var rows int
			if err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+table).Scan(&rows); err != nil {
				return err
			}
			demo += rows
			statement, err := again(ctx, tx, table)
			if err != nil {
				return err
			}
			statements = append(statements, statement)
		}
		copies := max(1, (n-1)/demo)
		for _, s := range statements {
			if _, err := tx.ExecContext(ctx, s, copies); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		records = demo * (copies + 1)
		return nil
	}))
	// The server sends as many records at once as it is asked for.
	require.NoError(t, srv.SetConfig(t.Context(), "REST_MAX_RECORDS_SIZE", "0"))
	return srv, records
}

// again is the statement that copies the rows of a table a number of times.
func again(ctx context.Context, tx *sql.Tx, table string) (string, error) {
	rows, err := tx.QueryContext(ctx, `SELECT name, type FROM pragma_table_info(?)`, table)
	if err != nil {
		return "", err
	}
	defer rows.Close() //nolint:errcheck // Err says what there is to say
	var names, values []string
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			return "", err
		}
		names = append(names, name)
		refers := func(other string) bool {
			return strings.EqualFold(name, other+"_ID") || strings.HasSuffix(strings.ToUpper(name), "_"+strings.ToUpper(strings.TrimPrefix(strings.TrimPrefix(other, "C_"), "M_"))+"_ID")
		}
		value := "o." + name
		switch upper := strings.ToUpper(name); {
		case strings.HasSuffix(upper, "_UU"):
			value = "printf('%08x', n.g) || substr(" + value + ", 9)"
		case upper == "AD_ORG_ID":
			// One copy in three is in the next organization of its tenant.
			value = "CASE WHEN o.AD_Org_ID=0 OR n.g%3<>0 THEN o.AD_Org_ID ELSE COALESCE((SELECT MIN(x.AD_Org_ID) FROM AD_Org x WHERE x.AD_Client_ID=o.AD_Client_ID AND x.AD_Org_ID>o.AD_Org_ID), o.AD_Org_ID) END"
		case upper == "VALUE", upper == "DOCUMENTNO", upper == "NAME" && table != "C_Location":
			value = "substr(" + value + " || '-' || n.g, 1, 30)"
		case upper == "UPDATED":
			value = "datetime(" + value + ", '+' || n.g || ' minutes')"
		case slices.ContainsFunc(traded, refers):
			// A reference to what stands for none stays.
			value = "CASE WHEN " + value + ">0 THEN " + value + "+n.g*2000000 ELSE " + value + " END"
		}
		values = append(values, value)
	}
	return "WITH RECURSIVE n(g) AS (SELECT 1 UNION ALL SELECT g+1 FROM n WHERE g<?) INSERT INTO " + table + "(" + strings.Join(names, ",") + ") SELECT " +
		strings.Join(values, ",") + " FROM " + table + " o, n", rows.Err()
}
