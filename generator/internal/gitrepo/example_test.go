package gitrepo_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/internal/gitrepo"
	"github.com/erphub/erphub/internal/failure"
)

func Example() {
	ctx := context.Background()
	repositories, err := gitrepo.New(gitrepo.Options{
		URL: "https://forge.example.com", Owner: "erp-plugins", Token: gitrepo.Static("access-token"),
	})
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := generator.Generate(ctx, nil, "plugin", map[string]any{"artifactId": "com.example.demo"})
	if err != nil {
		log.Fatal(err)
	}
	receipt, err := repositories.Deliver(ctx, plugin, nil)
	if errors.Is(err, failure.Exists) {
		log.Fatal("choose another artifactId: ", err)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(receipt.RepositoryURL, receipt.Commit)
}
