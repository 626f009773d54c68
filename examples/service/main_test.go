package main

import (
	"context"
	"fmt"
	"os"
)

func Example() {
	nothing := func(string) string { return "" } // of the environment
	if err := run(context.Background(), os.Stdout, "", nothing); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 200 OK [{"Value":"Rosen","Name":"Rosenfreund GmbH"},{"Value":"SeedFarm","Name":"Seed Farm Inc."}]
	// 400 Bad Request a name without quotes, please
}
