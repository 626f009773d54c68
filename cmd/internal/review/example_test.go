package review_test

import (
	"fmt"

	"github.com/erphub/erphub/cmd/internal/review"
	"github.com/erphub/erphub/dict"
)

func ExampleDefinitions() {
	table := dict.NewTable("XX_Remark").With(dict.Standard).
		Column(dict.Column{Name: "XX_DateOfTheLastTimeItWasChecked", Type: dict.TypeDate})
	for _, f := range review.Definitions(table) { // Check compares with an ERP, too
		fmt.Println(f)
	}
	// Output:
	// warning long-name: XX_Remark.XX_DateOfTheLastTimeItWasChecked: the name of the column XX_DateOfTheLastTimeItWasChecked has 32 characters, and Oracle before 12.2 takes 30; shorten it if scripts are to run there
}
