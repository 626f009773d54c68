package transfer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func ExampleImport() {
	ctx := context.Background()
	srv, err := erptest.Start(ctx, erptest.Options{}) // an ERP in memory
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
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "partners.csv")
	content := "Search Key,Name,C_BP_Group_ID,SO_CreditLimit\nT100,Oak & Sons,Standard,500\nT101,Elm,Standard,a lot\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		log.Fatal(err)
	}
	result, err := transfer.Import(ctx, client, values.NewDictionary(restdict.NewSource(client, nil)),
		transfer.File{Path: path, Format: transfer.CSV, Called: "partners.csv"}, transfer.ImportOptions{
			Table:   "C_BPartner",
			Key:     []string{"Value"}, // update those that are there
			Errors:  path + ".errors.csv",
			Journal: path + ".import.json", // to resume a run that was cut off
		})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("created %d, updated %d, failed %d\n", result.Created, result.Updated, result.Failed)
	for _, p := range result.Problems {
		fmt.Println(p)
	}
	// Output:
	// created 1, updated 0, failed 1
	// partners.csv:3:SO_CreditLimit: "a lot" is not a number; write it with a point before the decimals and without thousands separators
}

func ExampleWorkbook() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "units.xlsx")
	f, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	w, err := transfer.NewWorkbookWriter(f, "Units")
	if err != nil {
		log.Fatal(err)
	}
	for _, err := range []error{
		w.Header([]string{"Name", "StdPrecision"}), w.Row([]values.Cell{{Text: "Pallet"}, {Kind: values.Number, Text: "0"}}), w.Close(), f.Close(),
	} {
		if err != nil {
			log.Fatal(err)
		}
	}
	r, err := transfer.Workbook{Path: path}.Open() // what Import does
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	names, err := r.Header()
	if err != nil {
		log.Fatal(err)
	}
	row, err := r.Next()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(names, row.Cells[0].Text)
	// Output: [Name StdPrecision] Pallet
}
