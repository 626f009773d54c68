// Command generate makes a plugin with one process: sources, dictionary records,
// and what Maven and the ERP need. No ERP has to be there.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/erphub/erphub/generator"
)

func main() {
	dir := "plugins"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := run(context.Background(), dir); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir string) error {
	plugin, err := generator.Generate(ctx, nil, "process", map[string]any{
		"artifactId": "com.example.orders",
		"class":      "ImportOrders",
		"label":      "Import orders",
		"parameters": []string{"C_BPartner_ID:TableDirect:mandatory", "DateOrdered:Date:range"},
	})
	if err != nil {
		return err // names every option that cannot be used, not only the first
	}
	receipt, err := (&generator.Filesystem{Dir: dir}).Deliver(ctx, plugin, nil)
	if err != nil {
		return err // files that are there with other content are left alone
	}
	for _, name := range receipt.Files {
		fmt.Println(name)
	}
	fmt.Printf("%d files in %s; build it with mvn verify\n", len(receipt.Files), receipt.Path)
	return nil
}
