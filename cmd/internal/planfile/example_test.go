package planfile_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/erphub/erphub/cmd/internal/planfile"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
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
	token, err := srv.APIToken(ctx, "SuperUser", 0, 0, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	if err != nil {
		log.Fatal(err)
	}
	table := dict.NewTable("XX_Machine").With(dict.Standard, dict.ValueName)
	reg, err := registry.LoadScope(ctx, restdict.NewSource(client, nil), diff.Scope(table))
	if err != nil {
		log.Fatal(err)
	}
	result, err := diff.Compare(ctx, reg, nil, table)
	if err != nil {
		log.Fatal(err)
	}
	file, err := planfile.New(result, []dict.Table{table}, nil)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "plan")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "plan.json")
	if err := file.Write(path); err != nil {
		log.Fatal(err)
	}

	// Later, by somebody else.
	if file, err = planfile.Read(path); err != nil {
		log.Fatal(err)
	}
	if _, err := file.Check(ctx, reg); err != nil {
		log.Fatal(err)
	}
	done, err := restdict.Run(ctx, client, file.Plan, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Summary)
	fmt.Println(done.Count(restdict.Created) > 0)
	// Output:
	// Plan: 12 to add, 0 to change, 0 to remove.
	// true
}
