// Package aggregate counts, sums and compares columns of records in groups, with
// exact decimal arithmetic, for programs that read an ERP over REST, which has no
// such request.
//
//	totals, err := aggregate.New([]string{"DocStatus", "DateOrdered:month"}, []string{"count", "sum(GrandTotal)"})
//	if err != nil {
//		return err
//	}
//	for rec, err := range client.Records(ctx, "C_Order", &erp.Query{Select: totals.Columns()}) {
//		if err != nil {
//			return err
//		}
//		if err := totals.Add(rec); err != nil {
//			return err
//		}
//	}
//	rows, total, err := totals.Rows("sum(GrandTotal) desc", 10)
package aggregate
