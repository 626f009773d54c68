package main

import (
	"context"
	"fmt"
	"os"
)

func Example() {
	if err := run(context.Background(), os.Stdout, ""); err != nil {
		fmt.Println(err)
	}
	// Output:
	// com.example.sales.zip: 15 files, among them
	//   com.example.sales/src/com/example/sales/SalesActivator.java
	//   com.example.sales/src/com/example/sales/model/I_C_UOM.java
	//   com.example.sales/src/com/example/sales/model/MUOM.java
	//   com.example.sales/src/com/example/sales/model/X_C_UOM.java
}
