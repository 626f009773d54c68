package seed

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// unknownViews are the views of the dictionary of which it is not known here what they
// show, or which need functions of the ERP: their tables answer 404.
var unknownViews = strings.Fields(`C_Invoice_CreateFrom_v PP_Order_BOMLine_v RV_ProjectCycle RV_WarehousePrice T_RV_Reconciliation`)

// A view of the dictionary is one, with each of its columns and values of their kinds,
// or is not there at all.
func TestViewsCanBeRead(t *testing.T) {
	t.Parallel()
	rows := map[string]int{}
	eachTable(t, open(t), func(ctx context.Context, tx *store.Tx, tab *store.Table) {
		if !tab.IsView {
			return
		}
		there, err := tx.ViewExists(ctx, tab.Name)
		require.NoError(t, err)
		if !there {
			assert.Contains(t, unknownViews, tab.Name)
			return
		}
		found, err := tx.Select(ctx, tab, store.Selection{})
		if !assert.NoError(t, err, tab.Name) {
			return
		}
		rows[tab.Name] = len(found)
		for _, row := range found {
			for _, c := range tab.Columns {
				v, ok := row[c.Name]
				if !ok {
					continue
				}
				switch c.Kind() {
				case store.KindInteger:
					assert.IsType(t, int64(0), v, "%s.%s", tab.Name, c.Name)
				case store.KindDecimal:
					_, err := strconv.ParseFloat(fmt.Sprint(v), 64)
					assert.NoError(t, err, "%s.%s", tab.Name, c.Name)
				case store.KindDate, store.KindDateTime, store.KindInstant:
					assert.Regexp(t, `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`, v, "%s.%s", tab.Name, c.Name)
				default:
					assert.IsType(t, "", v, "%s.%s", tab.Name, c.Name)
				}
			}
		}
	})
	assert.Greater(t, len(rows), 60)
}

// Views show what the tables hold they stand on.
func TestViewsAgreeWithTables(t *testing.T) {
	t.Parallel()
	view(t, open(t), func(ctx context.Context, tx *store.Tx) error {
		for what, tt := range map[string]struct{ view, table string }{
			"invoices":            {"SELECT COUNT(*) FROM C_Invoice_Header_v", "SELECT COUNT(*) FROM C_Invoice"},
			"orders":              {"SELECT COUNT(*) FROM C_Order_Header_v", "SELECT COUNT(*) FROM C_Order"},
			"lines of orders":     {"SELECT COUNT(*) FROM RV_OrderDetail", "SELECT COUNT(*) FROM C_OrderLine"},
			"lines of deliveries": {"SELECT COUNT(*) FROM RV_InOutDetails", "SELECT COUNT(*) FROM M_InOutLine"},
			"payments":            {"SELECT COUNT(*) FROM RV_Payment", "SELECT COUNT(*) FROM C_Payment"},
			"stock":               {"SELECT SUM(QtyOnHand) FROM M_Storage", "SELECT SUM(QtyOnHand) FROM M_StorageOnHand"},
			"postings":            {"SELECT SUM(AmtAcctDr) FROM RV_Fact_Acct", "SELECT SUM(AmtAcctDr) FROM Fact_Acct"},
			"months":              {"SELECT SUM(LineNetAmt) FROM RV_C_Invoice_ProdMonth", "SELECT SUM(LineNetAmt) FROM RV_C_InvoiceLine"},
			"quarters":            {"SELECT SUM(QtyInvoiced) FROM RV_C_Invoice_ProductQtr", "SELECT SUM(QtyInvoiced) FROM RV_C_InvoiceLine"},
			// Paid ones are closed, and what is open of the others is not zero.
			"open items": {"SELECT COUNT(*) FROM RV_OpenItem WHERE OpenAmt<>0", "SELECT COUNT(*) FROM C_Invoice WHERE IsPaid='N' AND DocStatus IN ('CO', 'CL')"},
			"open amounts": {"SELECT ROUND(SUM(GrandTotal), 2) FROM RV_OpenItem WHERE IsSOTrx='Y'",
				"SELECT ROUND(SUM(OpenAmt + PaidAmt), 2) FROM RV_OpenItem WHERE IsSOTrx='Y'"},
		} {
			shown, err := tx.Values(ctx, tt.view)
			require.NoError(t, err, what)
			held, err := tx.Values(ctx, tt.table)
			require.NoError(t, err, what)
			assert.Equal(t, held, shown, what)
			assert.NotEqual(t, "0", fmt.Sprint(shown[0][0]), what)
		}
		return nil
	})
}

// What the dictionary protects in a table it protects in every view: no column that is
// readable holds a value of one that is not.
func TestViewsProtectWhatTablesProtect(t *testing.T) {
	t.Parallel()
	secrets := map[any]string{}
	s := open(t)
	protected := func(c *store.Column) bool { return c.Secure || c.Encrypted }
	eachFilled(t, s, func(ctx context.Context, tx *store.Tx, tab *store.Table) {
		rows, err := tx.Select(ctx, tab, store.Selection{})
		require.NoError(t, err)
		for _, row := range rows {
			for _, c := range tab.Columns {
				if v, ok := row[c.Name].(string); ok && protected(c) && len(v) > 7 {
					secrets[v] = tab.Name + "." + c.Name
				}
			}
		}
	})
	require.NotEmpty(t, secrets)
	eachTable(t, s, func(ctx context.Context, tx *store.Tx, tab *store.Table) {
		if there, err := tx.ViewExists(ctx, tab.Name); !tab.IsView || err != nil || !there {
			return
		}
		rows, err := tx.Select(ctx, tab, store.Selection{})
		require.NoError(t, err)
		for _, row := range rows {
			for _, c := range tab.Columns {
				if from := secrets[row[c.Name]]; from != "" && !protected(c) {
					t.Errorf("%s.%s shows a value of %s", tab.Name, c.Name, from)
				}
			}
		}
	})
}
