package twin_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest/twin"
)

func ExampleClone() {
	ctx := context.Background()
	client, err := erp.New("https://erp.example.com", erp.WithTokenSource(erp.StaticToken("…")), erp.WithLocale("en_US"))
	if err != nil {
		log.Fatal(err)
	}
	report, err := twin.Clone(ctx, twin.NewREST(client, nil), "twin", twin.Options{Tables: []string{"C_Order", "C_OrderLine"}, Rows: 1000})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range report.Tables {
		if t.Remarkable() {
			fmt.Println(t.Table, t.Unreadable, t.Emptied, t.LeftOut)
		}
	}
	fmt.Println("log in with", report.Password)
}
