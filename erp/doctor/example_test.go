package doctor_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/doctor"
	"github.com/erphub/erphub/erp/erptest"
)

func ExampleAPI() {
	ctx := context.Background()
	srv, err := erptest.Open(ctx, erptest.Options{}) // an ERP in memory
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	web := httptest.NewServer(srv)
	defer web.Close()
	token, err := srv.APIToken(ctx, "SuperUser", 0, 0, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	client, err := erp.New(web.URL, erp.WithTokenSource(erp.StaticToken(token)))
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
	// ok
}
