package tablefile_test

import (
	"fmt"
	"log"
	"os"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/tablefile"
)

func Example() {
	set, err := tablefile.Parse("remark.yaml", []byte(`
table: XX_Remark
columns:
  - {name: C_BPartner_ID, type: Table Direct, mandatory: true}
  - {name: XX_Text, type: Text}
`)) // Load reads files and folders
	if err != nil {
		log.Fatal(err)
	}
	plan, err := dict.NewPlan(nil, set.Tables()...)
	if err != nil {
		log.Fatal(err)
	}
	if err := plan.WriteText(os.Stdout); err != nil {
		log.Fatal(err)
	}
	_, err = tablefile.Parse("remark.yaml", []byte("table: XX_Remark\ncolums: []\n"))
	fmt.Println(err)
	// Output:
	// #  action  what        name                     detail
	// 1  create  AD_Table    XX_Remark                access Client+Organization, entity type U
	// 2  ensure  AD_Element  C_BPartner_ID
	// 3  create  AD_Column   XX_Remark.C_BPartner_ID  Table Direct(10), mandatory
	// 4  ensure  AD_Element  XX_Text
	// 5  create  AD_Column   XX_Remark.XX_Text        Text
	// 6  run     sync-table  XX_Remark
	// remark.yaml:2:1: there is no key "colums"; did you mean "columns"?
}
