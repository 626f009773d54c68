package gogen_test

import (
	"context"
	"fmt"
	"log"
	"regexp"

	"github.com/erphub/erphub/cmd/internal/gogen"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
)

func ExampleGenerate() {
	ctx := context.Background()
	srv, err := erptest.Open(ctx, erptest.Options{}) // an ERP in memory
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	database := srv.Database()
	defer database.Close()
	source, err := dbdict.New(database, dbdict.SQLite, nil)
	if err != nil {
		log.Fatal(err)
	}
	dictionary, err := registry.LoadCatalog(ctx, source)
	if err != nil {
		log.Fatal(err)
	}
	code, err := gogen.Generate(ctx, dictionary, gogen.Options{Package: "model", Tables: []string{"C_UOM"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range regexp.MustCompile(`(?m)^(package|type) .*|^\tStdPrecision.*`).FindAllString(string(code), -1) {
		fmt.Println(line)
	}
	// Output:
	// package model
	// type CUOM struct {
	// 	StdPrecision     int64     `json:"StdPrecision,omitzero"` // Standard Precision; mandatory
	// type UOMType string
}
