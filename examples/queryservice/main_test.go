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
	// GardenAdmin:
	//   [[CO 3 5807.57] [DR 1 83.10]]
	//   [[GardenAdmin ***] [GardenUser ***]]
	//   refused: DELETE is not allowed: only SELECT is
	// GardenUser:
	//   [[CO 2 1807.57] [DR 1 83.10]]
	//   [[GardenAdmin ***] [GardenUser ***]]
	//   refused: DELETE is not allowed: only SELECT is
}
