package restdict_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// A table is made over the REST API; a second run finds what the first one made.
func ExampleRun() {
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
	plan, err := dict.NewPlan(nil, dict.NewTable("XX_Remark").With(dict.Standard).Column(dict.Column{Name: "XX_Text", Type: dict.TypeText}))
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		result, err := restdict.Run(ctx, client, plan, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Count(restdict.Created), "made,", result.Count(restdict.Found), "found")
	}
	// Output:
	// 14 made, 7 found
	// 0 made, 21 found
}
