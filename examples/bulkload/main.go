// Command bulkload brings many records into the ERP, in two ways: the rows of a file,
// with an import that is cut off and resumed and a file of the rows that were
// refused, and records that a program makes as it goes.
//
//	go run ./examples/bulkload
//
// It ends by itself. On the command line the first is `erphub record import`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	srv, err := erptest.Start(ctx, erptest.Options{}) // stands for your ERP
	if err != nil {
		return err
	}
	defer srv.Close()
	client, err := erp.New(srv.URL(), erp.WithTokenSource(srv.TokenSource(erptest.GardenAdmin)))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bulkload")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := fromFile(ctx, out, client, dir); err != nil {
		return err
	}
	return fromProgram(ctx, out, client)
}

// fromFile imports a file. Rows that are refused do not stop it.
func fromFile(ctx context.Context, out io.Writer, client *erp.Client, dir string) error {
	path := filepath.Join(dir, "partners.csv")
	if err := os.WriteFile(path, partners(300), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx) // stands for a machine that is switched off
	defer cancel()
	options := transfer.ImportOptions{
		Table: "C_BPartner", Key: []string{"Value"}, // update those that are there, create the others
		BatchSize: 50,
		Errors:    filepath.Join(dir, "partners.errors.csv"),
		Journal:   filepath.Join(dir, "partners.import.json"),
		Progress: func(p transfer.Progress) {
			if p.Rows() >= 100 {
				cancel()
			}
		},
	}
	file := transfer.File{Path: path, Format: transfer.CSV, Called: "partners.csv"}
	dictionary := values.NewDictionary(restdict.NewSource(client, nil))
	result, err := transfer.Import(ctx, client, dictionary, file, options)
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("the import should have been cut off, got %v", err)
	}
	fmt.Fprintf(out, "cut off: %d created, %d refused\n", result.Created, result.Failed)

	options.Resume, options.Progress = true, nil // what was sent and not confirmed is not made twice
	result, err = transfer.Import(context.WithoutCancel(ctx), client, dictionary, file, options)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "resumed after row %d: %d created, %d refused\n", result.Resumed, result.Created, result.Failed)
	refused, err := os.ReadFile(result.Errors) // correct these rows and import them
	fmt.Fprintf(out, "%s", refused)
	return err
}

// fromProgram creates records as an iterator makes them, a hundred in a request.
func fromProgram(ctx context.Context, out io.Writer, client *erp.Client) error {
	bodies := func(yield func(any, error) bool) {
		for i := range 250 {
			if !yield(map[string]any{"Value": fmt.Sprintf("A-%d", i), "X": "A", "Y": fmt.Sprint(i), "Z": "0", "M_Warehouse_ID": 103}, nil) {
				return
			}
		}
	}
	created := 0
	for made, err := range client.CreateAll(ctx, "M_Locator", bodies, nil) {
		switch {
		case err != nil:
			return err // it ends here
		case made.Err != nil:
			fmt.Fprintf(out, "record %d was refused: %v\n", made.Index, made.Err)
		default:
			created++
		}
	}
	fmt.Fprintf(out, "%d locators created\n", created)
	return nil
}
