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
	// created and changed: nuts, wholesale
	// Standard                       Standard
	// C&W Construction               Standard
	// Joe Block                      Standard
	// Seed Farm Inc.                 Standard
	// Agri-Tech                      Standard
	// Wood, Inc                      Vendor
	// Rosenfreund GmbH               Standard
	// Store Central Customer         Standard
	// Walnut & Sons                  Standard
	// 80030 4000.00 Agri-Tech
	// 80026 2839.74 C&W Construction
	// 80023 2774.82 C&W Construction
	// deleted again
}
