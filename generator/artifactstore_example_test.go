package generator_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/erphub/erphub/generator"
)

// A folder keeps what a link leads to.
func ExampleLinkDelivery() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "artifacts")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	store, err := generator.OpenArtifactFolder(folder, generator.ArtifactFolderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	delivery, err := generator.NewLinkDelivery(store, "https://hub.example.com", time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := generator.Generate(ctx, nil, "plugin", map[string]any{"artifactId": "com.example.demo"})
	if err != nil {
		log.Fatal(err)
	}
	receipt, err := delivery.Deliver(ctx, plugin, nil)
	if err != nil {
		log.Fatal(err)
	}
	// The address holds a secret; package generator/httpapi serves it.
	fmt.Println(receipt.Filename, strings.HasPrefix(receipt.DownloadURL, "https://hub.example.com/api/artifacts/"))
	// Output: com.example.demo.zip true
}
