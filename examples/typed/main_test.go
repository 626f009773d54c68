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
	// 80030 2025-03-10    4000.00 Agri-Tech
	// 80023 2024-09-02    2774.82 C&W Construction
	// 80006 2024-04-01    2520.00 Agri-Tech
	//   10: 2000 x Fertilizer50 = 4000.00
	// 2026-03-09 Agri-Tech DR 3 the same again
}
