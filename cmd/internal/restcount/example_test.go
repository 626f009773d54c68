package restcount_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/cmd/internal/restcount"
	"github.com/erphub/erphub/cmd/internal/review"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func Example() {
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
	n, err := restcount.New(client).Count(ctx, review.Question{Table: "C_BPartner", Kind: review.Longer, Column: "Name", Length: 1000})
	fmt.Println(n, err)
	// Output:
	// at least 0 <nil>
}
