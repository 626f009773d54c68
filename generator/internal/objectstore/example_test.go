package objectstore_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/internal/objectstore"
)

func Example() {
	ctx := context.Background()
	store, err := objectstore.New(objectstore.Options{
		Endpoint: "https://s3.example.com", Bucket: "plugins", Prefix: "generated/",
		Credentials: objectstore.Static("access-key", "secret-key"),
	})
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := generator.Generate(ctx, nil, "plugin", map[string]any{"artifactId": "com.example.demo"})
	if err != nil {
		log.Fatal(err)
	}
	receipt, err := store.Deliver(ctx, plugin, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(receipt.Bucket, receipt.Key, receipt.ExpiresAt) // receipt.URL is a link that opens without a login
}
