// Command cmd writes the list of licences of what the programs link to a file, for
// go generate.
package main

import (
	"context"
	"log"
	"os"

	"github.com/erphub/erphub/internal/licences"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("licences: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./internal/licences/cmd FILE")
	}
	modules, err := licences.Linked(context.Background(), ".", licences.Systems, "./cmd/...")
	if err == nil {
		err = os.WriteFile(os.Args[1], licences.Document(modules), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
