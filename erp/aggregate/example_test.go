package aggregate_test

import (
	"fmt"
	"log"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/aggregate"
)

func ExampleTotals() {
	totals, err := aggregate.New([]string{"DateOrdered:month"}, []string{"count", "sum(GrandTotal)"})
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{ // what Client.Records yields
		`{"DateOrdered":"2026-01-15","GrandTotal":0.10}`,
		`{"DateOrdered":"2026-01-20","GrandTotal":0.20}`,
		`{"DateOrdered":"2026-02-01","GrandTotal":7}`,
	} {
		rec, err := erp.ParseRecord([]byte(text))
		if err != nil {
			log.Fatal(err)
		}
		if err := totals.Add(rec); err != nil {
			log.Fatal(err)
		}
	}
	rows, _, err := totals.Rows("", 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range rows {
		fmt.Println(row.Keys[0].ID, row.Values[0], row.Values[1])
	}
	// Output:
	// 2026-01 2 0.3
	// 2026-02 1 7
}
