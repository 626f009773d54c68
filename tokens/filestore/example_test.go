package filestore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

func ExampleOpen() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "filestore")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	// An empty path is the configuration file of the command line.
	store, err := filestore.Open(filepath.Join(folder, "config.yaml"), filestore.WithProfile("staging"))
	if err != nil {
		log.Fatal(err)
	}
	if err := store.Save(ctx, tokens.Stored{Access: tokens.NewSecret("access-token"), Server: "https://erp.example.com"}); err != nil {
		log.Fatal(err)
	}
	stored, err := store.Load(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stored.Server, stored.Access) // a secret does not print itself
	// A tokens.Manager with tokens.WithStore(store) uses the login and refreshes it.

	// Output:
	// https://erp.example.com [redacted]
}
