package auditlog_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/erphub/erphub/cmd/internal/auditlog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// The refused statements of an ERP, newest first.
func ExampleList() {
	ctx := context.Background()
	srv, err := erptest.Start(ctx, erptest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	token, err := srv.APIToken(ctx, "GardenAdmin", 11, 102, 11, 0)
	if err != nil {
		log.Fatal(err)
	}
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	if err != nil {
		log.Fatal(err)
	}
	for record, err := range auditlog.List(ctx, client, auditlog.Filter{Status: auditlog.Refused}) {
		if errors.Is(err, auditlog.ErrNoTable) {
			fmt.Println("nothing was asked here yet")
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(record.Time, record.User, record.Statement)
	}
	// Output: nothing was asked here yet
}
