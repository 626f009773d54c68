package mail_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/internal/mail"
)

func Example() {
	ctx := context.Background()
	sender, err := mail.New(mail.Options{
		Host: "smtp.example.com", From: "hub@example.com", Login: mail.Static("hub", "password"),
		Recipients: []string{"example.com"},
	})
	if err != nil {
		log.Fatal(err)
	}
	delivery, err := sender.To("developer@example.com")
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
	fmt.Println(receipt.SentTo)
}

// Nothing is sent to whom the settings do not allow.
func ExampleSender_To() {
	sender, err := mail.New(mail.Options{Host: "smtp.example.com", Recipients: []string{"example.com"}})
	if err != nil {
		log.Fatal(err)
	}
	_, err = sender.To("somebody@example.org")
	fmt.Println(err)
	// Output:
	// sending an e-mail: "somebody@example.org" is none of the recipients that are allowed here; give another address, or have the operator add it or its domain to hub.email.recipients (ERPHUB_EMAIL_RECIPIENTS)
}
