package seed

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// valid are the days from or to which something holds, and times without a day: they
// stay as they are.
var valid = strings.Fields(`C_Conversion_Rate.ValidFrom C_Tax.ValidFrom M_PriceList_Version.ValidFrom
	M_DiscountSchema.ValidFrom PP_Product_BOM.ValidFrom PP_Product_BOMLine.ValidFrom S_ResourceType.TimeSlotStart S_ResourceType.TimeSlotEnd`)

// Every day of the tenants' data moves by the same number of days, but for those from
// which on something is valid; nothing has happened later than today; and what is
// posted lies in its period.
func TestDatesMoveTogether(t *testing.T) {
	t.Parallel()
	for _, today := range []string{"2025-03-31", "2026-11-29", "2027-01-01", "2028-02-29", "2101-06-30"} {
		t.Run(today, func(t *testing.T) {
			t.Parallel()
			day, err := time.Parse(time.DateOnly, today)
			require.NoError(t, err)
			before := open(t)
			require.NoError(t, before.Update(t.Context(), func(tx *store.Tx) error { return run(t.Context(), tx, late...) }))
			after, err := Open(t.Context(), "", Options{Today: day.Add(23 * time.Hour)})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, after.Close()) })
			dates := dateColumns(t, before)
			require.Greater(t, len(dates), 50)
			for _, c := range dates {
				moved := fmt.Sprintf(`datetime("%s",'%+d days')`, c[1], int(day.Sub(lastDay).Hours()/24))
				switch {
				case c[0] == "C_Period":
					continue
				case slices.Contains(valid, c[0]+"."+c[1]):
					moved = `"` + c[1] + `"`
				}
				was := column(t, before, c[0], moved)
				is := column(t, after, c[0], `"`+c[1]+`"`)
				assert.Equal(t, was, is, "%s.%s", c[0], c[1])
			}
			for _, of := range []string{"C_Order.DateOrdered", "C_Invoice.DateInvoiced", "M_Inventory.MovementDate", "M_Transaction.MovementDate", "C_Payment.DateTrx"} {
				table, name, _ := strings.Cut(of, ".")
				assert.LessOrEqual(t, column(t, after, table, `max("`+name+`")`)[0], today+" 00:00:00", of)
			}
			assert.Equal(t, today+" 00:00:00", column(t, after, "C_Invoice", "max(DateInvoiced)")[0])
			assert.Equal(t, column(t, after, "C_Invoice", "DateAcct"), column(t, after, "C_Invoice", "DateInvoiced"))
			assert.Equal(t, today+" 00:00:00", column(t, after, "C_Order", "max(DateOrdered)")[0])
			const within = "(SELECT p.C_Period_ID FROM C_Period p WHERE DateAcct BETWEEN p.StartDate AND p.EndDate)"
			assert.Equal(t, column(t, after, "Fact_Acct", within), column(t, after, "Fact_Acct", "C_Period_ID"))
			for _, name := range column(t, after, "C_Period",
				"Name||' '||(SELECT y.FiscalYear FROM C_Year y WHERE y.C_Year_ID=C_Period.C_Year_ID)||' '||date(StartDate)||' '||date(EndDate)") {
				part := strings.Fields(name)
				start, err := time.Parse(time.DateOnly, part[2])
				require.NoError(t, err)
				assert.Equal(t, []string{start.Format("Jan-06"), start.Format("2006"), start.Format(time.DateOnly), start.AddDate(0, 1, -1).Format(time.DateOnly)}, part)
			}
		})
	}
}

// dateColumns are the table and column of each date in data of tenants.
func dateColumns(t *testing.T, s *store.Store) (out [][2]string) {
	t.Helper()
	eachTable(t, s, func(ctx context.Context, tx *store.Tx, tab *store.Table) {
		if tab.IsView || !hasColumn(tab, "AD_Client_ID") || tab.Name == "AD_PInstance" {
			return
		}
		for _, c := range tab.Columns {
			if !slices.Contains([]int{displaytype.Date, displaytype.DateTime, displaytype.Time}, c.Ref) {
				continue
			}
			rows, err := tx.Values(ctx, fmt.Sprintf(`SELECT 1 FROM "%s" WHERE AD_Client_ID<>0 AND "%s"<>? LIMIT 1`, tab.Name, c.Name), MadeTime)
			if err == nil && len(rows) > 0 {
				out = append(out, [2]string{tab.Name, c.Name})
			}
		}
	})
	return out
}

// column is what an expression is in the rows of tenants, in their order.
func column(t *testing.T, s *store.Store, table, expression string) (out []string) {
	t.Helper()
	view(t, s, func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.Values(ctx, fmt.Sprintf(`SELECT %s FROM "%s" WHERE AD_Client_ID<>0`, expression, table))
		for _, row := range rows {
			out = append(out, fmt.Sprint(row[0]))
		}
		return err
	})
	return out
}

func hasColumn(tab *store.Table, name string) bool {
	_, has := tab.Column(name)
	return has
}
