package deploylog_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func Example() {
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
	plan, err := deploylog.Plan(nil) // the table of the log, once per ERP
	if err != nil {
		log.Fatal(err)
	}
	if _, err := restdict.Run(ctx, client, plan, nil); err != nil {
		log.Fatal(err)
	}

	runs := deploylog.New(client, nil)
	run, err := runs.Start(ctx, deploylog.NewRun{Environment: deploylog.Staging, Version: "12.0.3", BuildNo: "42"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Environment, run.Version, run.Status)
	if run, err = runs.Update(ctx, run.ID, deploylog.Update{Status: deploylog.Deploying}); err != nil {
		log.Fatal(err)
	}
	if run, err = runs.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Success}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Status, run.Progress)
	_, err = runs.Update(ctx, run.ID, deploylog.Update{Status: deploylog.Deploying})
	fmt.Println(err)
	// Output:
	// STAGING 12.0.3 BUILDING
	// SUCCESS 100
	// run 1000000 is SUCCESS and cannot become DEPLOYING; allowed: ROLLED_BACK
}
