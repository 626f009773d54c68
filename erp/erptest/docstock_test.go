package erptest_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/internal/engine"
)

// amounts are a query on what actions on documents change.
const amounts = `SELECT 'stock '||M_Locator_ID||' '||M_Product_ID, SUM(QtyOnHand) FROM M_StorageOnHand WHERE AD_Client_ID=11 GROUP BY 1 HAVING SUM(QtyOnHand)<>0
	UNION ALL SELECT 'account '||C_BankAccount_ID, CurrentBalance FROM C_BankAccount WHERE AD_Client_ID=11
	UNION ALL SELECT 'reconciled '||C_Payment_ID, 1 FROM C_Payment WHERE IsReconciled='Y'`

// Completing a document changes what [engine.Programs] says; reversing it, or voiding it
// where it cannot be reversed, leaves all as it was before, and so does voiding a draft.
func TestDocumentsHaveEffects(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		table, header string
		line          string // without the document
		change        map[string]float64
		back          string // action that takes it back
		fails         string // action that does not
		moves         string // what a line does, 0 for nothing
	}{
		"movement": {"M_Movement", `"C_DocType_ID":144,"MovementDate":"2025-01-10"`, `"M_Product_ID":123,"M_Locator_ID":101,"M_LocatorTo_ID":50001,"MovementQty":9`,
			map[string]float64{"stock 101 123": -9, "stock 50001 123": 9}, "RC", "RE", "MovementQty"},
		"count": {"M_Inventory", `"C_DocType_ID":144,"M_Warehouse_ID":103,"MovementDate":"2025-01-10"`, `"M_Product_ID":123,"M_Locator_ID":101,"QtyBook":10,"QtyCount":7`,
			map[string]float64{"stock 101 123": -3}, "RA", "RE", "QtyCount-QtyBook"},
		"internal use": {"M_Inventory", `"C_DocType_ID":144,"M_Warehouse_ID":103,"MovementDate":"2025-01-10"`, `"M_Product_ID":123,"M_Locator_ID":101,"QtyInternalUse":2,"C_Charge_ID":100`,
			map[string]float64{"stock 101 123": -2}, "VO", "RE", "QtyInternalUse"},
		"production": {"M_Production", `"C_DocType_ID":145,"M_Product_ID":138,"M_Locator_ID":101,"ProductionQty":1,"MovementDate":"2025-01-10","IsCreated":"Y"`,
			`"M_Product_ID":138,"M_Locator_ID":101,"MovementQty":1,"PlannedQty":1`, map[string]float64{"stock 101 138": 1}, "RC", "RE", "1"},
		"bank statement": {"C_BankStatement", `"C_DocType_ID":144,"C_BankAccount_ID":100,"Name":"January","StatementDate":"2025-01-10","DateAcct":"2025-01-10"`,
			`"DateAcct":"2025-01-10","StatementLineDate":"2025-01-10","ValutaDate":"2025-01-10","C_Currency_ID":100,"StmtAmt":50,"TrxAmt":50,"C_Payment_ID":%d`,
			map[string]float64{"account 100": 50, "reconciled %d": 1}, "VO", "RC", "StmtAmt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t)
			w := writeAs(t, srv, asGardenAdmin)
			payment := int64(0)
			now := func() map[string]float64 {
				all := map[string]float64{}
				db := srv.Database()
				defer db.Close()
				rows, err := db.QueryContext(t.Context(), amounts)
				require.NoError(t, err)
				defer rows.Close()
				for rows.Next() {
					var what string
					var sum float64
					require.NoError(t, rows.Scan(&what, &sum))
					all[what] = sum
				}
				require.NoError(t, rows.Err())
				require.NoError(t, db.QueryRowContext(t.Context(), "SELECT MIN(C_Payment_ID) FROM C_Payment WHERE AD_Client_ID=11 AND DocStatus='CO' AND IsReconciled='N'").Scan(&payment))
				return all
			}
			start := now()
			paid := payment
			number := func(text string) string {
				if name == "bank statement" && text != "" {
					return fmt.Sprintf(text, paid)
				}
				return text
			}
			document := func() string {
				made := w.post("/models/"+tt.table, "{"+tt.header+"}")
				require.Equal(t, 201, made.status, string(made.body))
				id := fmt.Sprintf("%.0f", made.object(t)["id"])
				line := w.post("/models/"+tt.table+"Line", "{"+number(tt.line)+`,"`+tt.table+`_ID":`+id+"}")
				require.Equal(t, 201, line.status, string(line.body))
				return "/models/" + tt.table + "/" + id
			}
			do := func(path, action string) int {
				r := w.put(path, `{"doc-action":"`+action+`"}`)
				t.Log(action, r.status, string(r.body))
				return r.status
			}
			draft := document()
			require.Equal(t, 200, do(draft, "VO"))
			assert.Equal(t, start, now(), "a voided draft")
			var left int
			db := srv.Database()
			require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+tt.table+"Line WHERE ("+tt.moves+")<>0 AND "+tt.table+"_ID="+filepath.Base(draft)).Scan(&left))
			require.NoError(t, db.Close())
			assert.Zero(t, left, "lines of a voided draft that would do something")

			path := document()
			require.Equal(t, 200, do(path, "CO"))
			want := map[string]float64{}
			for what, sum := range start {
				want[what] = sum
			}
			for what, sum := range tt.change {
				if what == "reconciled %d" {
					what = number(what)
				}
				want[what] += sum
			}
			assert.Equal(t, want, now(), "completed")
			assert.Equal(t, 500, do(path, tt.fails))
			assert.Equal(t, want, now(), "refused")
			if tt.table == "C_BankStatement" { // of a type that allows it, it can be opened again
				require.Equal(t, 500, do(path, "RE"))
				require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
					_, err := tx.ExecContext(t.Context(), "UPDATE C_DocType SET IsCanBeReactivated='Y' WHERE C_DocType_ID=144")
					return err
				}, "C_DocType"))
				require.Equal(t, 200, do(path, "RE"))
				assert.Equal(t, start, now(), "opened again")
				require.Equal(t, 200, do(path, "CO"))
				assert.Equal(t, want, now(), "completed again")
			}
			late := w.post("/models/"+tt.table+"Line", "{"+number(tt.line)+`,"`+tt.table+`_ID":`+filepath.Base(path)+"}")
			assert.Contains(t, string(late.body), "ParentComplete")
			require.Equal(t, 200, do(path, tt.back))
			assert.Equal(t, start, now(), "taken back")
			if tt.table == "C_BankStatement" {
				left := w.get(path).object(t)
				assert.Equal(t, left["BeginningBalance"], left["EndingBalance"])
			}
			for _, again := range []string{"VO", "RC", "RA", "RE", "CO", "CL"} {
				do(path, again)
				assert.Equal(t, start, now(), "%s of what was taken back", again)
			}
		})
	}
}

// As in the ERP, productions are made of lines that were created, for products with a bill
// of materials, and components are taken from stock as they are used; and reversing a count
// of what the books had none of takes nothing back, because the line that should do that
// counts again what was entered.
func TestStockAsInTheERP(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w := writeAs(t, srv, asGardenAdmin)
	made := func(path, body string) string {
		r := w.post("/models/"+path, body)
		require.Equal(t, 201, r.status, string(r.body))
		return fmt.Sprintf("%.0f", r.object(t)["id"])
	}
	const day = `"MovementDate":"2025-01-10","M_Locator_ID":101,"C_DocType_ID":145,"ProductionQty":1`
	for header, want := range map[string]string{
		`"M_Product_ID":138`:                      "Not created",
		`"M_Product_ID":123,"IsCreated":"Y"`:      "Non Bill Of Materials",
		`"M_Product_ID":138,"IsCreated":"Y"`:      "does not contain End Product",
		`"M_Product_ID":138,"IsCreated":"Y","C":`: "",
	} {
		header, ends := strings.CutSuffix(header, `,"C":`)
		id := made("M_Production", "{"+day+","+header+"}")
		line := w.post("/models/M_ProductionLine", `{"M_Production_ID":`+id+`,"M_Product_ID":135,"M_Locator_ID":101,"QtyUsed":4,"MovementQty":9,"IsEndProduct":true}`).object(t)
		assert.Equal(t, "-4 false", fmt.Sprint(line["MovementQty"], " ", line["IsEndProduct"]))
		if ends {
			made("M_ProductionLine", `{"M_Production_ID":`+id+`,"M_Product_ID":138,"M_Locator_ID":101,"MovementQty":1}`)
		}
		r := w.put("/models/M_Production/"+id, `{"doc-action":"CO"}`)
		assert.Contains(t, string(r.body), want)
		assert.Equal(t, map[bool]int{true: 200, false: 500}[ends], r.status, string(r.body))
	}

	stock := func() (sum float64) {
		db := srv.Database()
		defer db.Close()
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT SUM(QtyOnHand) FROM M_StorageOnHand WHERE M_Product_ID=123 AND M_Locator_ID=101").Scan(&sum))
		return sum
	}
	before := stock()
	id := made("M_Inventory", `{"C_DocType_ID":144,"M_Warehouse_ID":103,"MovementDate":"2025-01-10"}`)
	made("M_InventoryLine", `{"M_Inventory_ID":`+id+`,"M_Product_ID":123,"M_Locator_ID":101,"QtyCount":7}`)
	require.Equal(t, 200, w.put("/models/M_Inventory/"+id, `{"doc-action":"CO"}`).status)
	require.Equal(t, 200, w.put("/models/M_Inventory/"+id, `{"doc-action":"RC"}`).status)
	assert.InDelta(t, before+7, stock(), 0)
}

// Lines of movements that move nothing are refused; units and quantities that are left out
// are the product's.
func TestStockLines(t *testing.T) {
	t.Parallel()
	w := writeAs(t, erptest.New(t), asGardenAdmin)
	id := w.post("/models/M_Movement", `{"C_DocType_ID":144,"MovementDate":"2025-01-10"}`).object(t)["id"]
	for members, want := range map[string]string{
		`"M_LocatorTo_ID":102,"MovementQty":0`:   "Fill mandatory fields: Movement Quantity",
		`"M_LocatorTo_ID":101,"MovementQty":5`:   "Locator == Locator To",
		`"M_LocatorTo_ID":102,"MovementQty":1.5`: "",
	} {
		r := w.post("/models/M_MovementLine", fmt.Sprintf(`{"M_Movement_ID":%.0f,"M_Product_ID":123,"M_Locator_ID":101,%s}`, id, members))
		if want != "" {
			assert.Contains(t, string(r.body), want, members)
			continue
		}
		require.Equal(t, 201, r.status, string(r.body))
		assert.Equal(t, "Each", r.object(t)["C_UOM_ID"].(map[string]any)["identifier"])
	}
	srv := erptest.New(t)
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), "UPDATE C_DocType SET DocSubTypeInv='IU' WHERE C_DocType_ID=145")
		return err
	}, "C_DocType"))
	w = writeAs(t, srv, asGardenAdmin)
	used := w.post("/models/M_Inventory", `{"C_DocType_ID":145,"M_Warehouse_ID":103,"MovementDate":"2025-01-10"}`).object(t)["id"]
	line := w.post("/models/M_InventoryLine", fmt.Sprintf(`{"M_Inventory_ID":%.0f,"M_Product_ID":123,"M_Locator_ID":101,"QtyEntered":3,"C_Charge_ID":100}`, used)).object(t)
	assert.Equal(t, "0 3", fmt.Sprint(line["QtyCount"], " ", line["QtyInternalUse"]), "internal use")
	id = w.post("/models/M_Inventory", `{"C_DocType_ID":144,"M_Warehouse_ID":103,"MovementDate":"2025-01-10"}`).object(t)["id"]
	for members, want := range map[string][3]float64{ // entered, counted, used
		`"QtyEntered":4`:                       {4, 4, 0},
		`"QtyCount":7`:                         {7, 7, 0},
		`"QtyInternalUse":2,"C_Charge_ID":100`: {2, 0, 2},
	} {
		r := w.post("/models/M_InventoryLine", fmt.Sprintf(`{"M_Inventory_ID":%.0f,"M_Product_ID":123,"M_Locator_ID":101,%s}`, id, members))
		require.Equal(t, 201, r.status, string(r.body))
		line := r.object(t)
		got := [3]any{line["QtyEntered"], line["QtyCount"], line["QtyInternalUse"]}
		assert.Equal(t, fmt.Sprint(want), fmt.Sprint(got), members)
	}
}

// The documentation says of each document what completing it does.
func TestEffectsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "sandbox.md"))
	require.NoError(t, err)
	for table, p := range engine.Programs() {
		assert.Contains(t, string(text), fmt.Sprintf("  | `%s` | %s |\n", table, p.Effect))
	}
}
