package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/gogen"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
)

func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 80030 2025-03-10    4000.00 Agri-Tech
	// 80023 2024-09-02    2774.82 C&W Construction
	// 80006 2024-04-01    2520.00 Agri-Tech
	//   10: 2000 x Fertilizer50 = 4000.00
	// 2026-03-09 Agri-Tech DR 3 the same again
}

var update = flag.Bool("update", false, "write the package model anew")

// The package model is what the dictionary says.
func TestModelIsCurrent(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	database := srv.Database()
	defer database.Close()
	source, err := dbdict.New(database, dbdict.SQLite, nil)
	if err != nil {
		t.Fatal(err)
	}
	dictionary, err := registry.LoadCatalog(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	want, err := gogen.Generate(t.Context(), dictionary, gogen.Options{Package: "model", Tables: []string{"C_Order", "C_OrderLine"}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("model", "orders.go")
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the dictionary says; write it with go test ./examples/typed -update", path)
	}
}
