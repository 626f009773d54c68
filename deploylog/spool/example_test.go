package spool_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/deploylog/spool"
	"github.com/erphub/erphub/erp"
)

// A run that begins while the ERP is away is kept in a folder.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "spool")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	client, err := erp.New("http://127.0.0.1:1", erp.WithRetryPolicy(erp.RetryPolicy{})) // nobody listens there
	if err != nil {
		log.Fatal(err)
	}
	runs := deploylog.New(client, nil)

	kept := spool.New(folder, nil)
	outcome, err := kept.Do(ctx, runs, spool.Call{Start: &deploylog.NewRun{Environment: deploylog.Production, Version: "12.0.3", BuildNo: "42"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("kept:", outcome.Spooled, "waiting:", outcome.Waiting)
	calls, err := kept.List()
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range calls {
		fmt.Println(c.State, c.Call)
	}
	// Flush delivers them, in order, when the ERP is back.

	// Output:
	// kept: true waiting: 1
	// waiting start of a run in PROD
}
