package xlsx_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/erphub/erphub/dict/transfer/xlsx"
	"github.com/erphub/erphub/dict/values"
)

func ExampleFile() {
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
	w, err := xlsx.NewWriter(f, "Units")
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
	r, err := xlsx.File{Path: path}.Open() // what transfer.Import does
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
