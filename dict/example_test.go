package dict_test

import (
	"fmt"
	"os"

	"github.com/erphub/erphub/dict"
)

func ExampleNewPlan() {
	table := dict.NewTable("XX_Remark").
		WithDescription("Remarks of a business partner").
		With(dict.ValueName).
		Column(dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir, Mandatory: true})
	plan, err := dict.NewPlan(nil, table)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan.WriteText(os.Stdout)
	// Output:
	// #  action  what        name                     detail
	// 1  create  AD_Table    XX_Remark                access Client+Organization, entity type U
	// 2  ensure  AD_Element  Value                    official 620
	// 3  create  AD_Column   XX_Remark.Value          String(40), mandatory, identifier
	// 4  ensure  AD_Element  Name                     official 469
	// 5  create  AD_Column   XX_Remark.Name           String(60), mandatory, identifier
	// 6  ensure  AD_Element  C_BPartner_ID
	// 7  create  AD_Column   XX_Remark.C_BPartner_ID  Table Direct(10), mandatory
	// 8  run     sync-table  XX_Remark
}

func ExampleValidate() {
	err := dict.Validate(nil, dict.NewTable("Remark").
		With(dict.ValueName).
		Column(dict.Column{Name: "name", Type: dict.TypeString}))
	fmt.Println(err)
	// Output:
	// the definition cannot be used, 2 findings:
	//   Remark: the table name "Remark" does not start with XX_; call it XX_…, or allow other prefixes explicitly
	//   Remark.name: the template VALUE_NAME brings a column of this name; drop the column or the template
}
