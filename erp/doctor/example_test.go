package doctor_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/doctor"
	"github.com/erphub/erphub/erp/erptest"
)

func ExampleAPI() {
	ctx := context.Background()
	srv, err := erptest.Start(ctx, erptest.Options{}) // an ERP in memory
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	token, err := srv.APIToken(ctx, "SuperUser", 0, 0, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	if err != nil {
		log.Fatal(err)
	}
	checks := doctor.API(ctx, client, doctor.Options{})
	for _, check := range checks {
		fmt.Println(check.Name, check.Status)
	}
	fmt.Println(doctor.Worst(checks))
	// Output:
	// server responds ok
	// clocks agree ok
	// token is accepted ok
	// table synchronisation ok
	// package import ok
	// audit of queries skipped
	// ok
}
