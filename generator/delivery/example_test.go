package delivery_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/delivery"
)

func Example() {
	ctx := context.Background()
	settings := map[string]string{"hub.generator.output-mode": "archive"} // a program asks its configuration
	deliveries, err := delivery.New(delivery.Options{Setting: func(key string) string { return settings[key] }})
	if err != nil {
		log.Fatal(err)
	}
	mode, d, err := deliveries.For(ctx, delivery.Request{})
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := generator.Generate(ctx, nil, "plugin", map[string]any{"artifactId": "com.example.demo"})
	if err != nil {
		log.Fatal(err)
	}
	receipt, err := d.Deliver(ctx, plugin, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mode, receipt.Filename)

	_, _, err = deliveries.For(ctx, delivery.Request{Output: "email"})
	fmt.Println(err)
	// Output:
	// archive com.example.demo.zip
	// sending an e-mail: there is no address to send it to; give one in the field email
}
