package main

import (
	"context"
	"fmt"
	"os"
)

func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// cut off: 99 created, 1 refused
	// resumed after row 100: 298 created, 2 refused
	// import_error,Search Key,Name,C_BP_Group_ID,SO_CreditLimit
	// "SO_CreditLimit: ""a lot"" is not a number; write it with a point before the decimals and without thousands separators",B070,Garden shop 70,Standard,a lot
	// "C_BP_Group_ID: no record of C_BP_Group that the role may see is called ""Standart""; did you mean 103 (Value: Standard, Name: Standard, AD_Org_ID: *)?",B210,Garden shop 210,Standart,500
	// 250 locators created
}
