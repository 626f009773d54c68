package tokens_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

// A service that takes its login from the environment and calls the ERP with
// a plain HTTP client.
func Example() {
	ctx := context.Background()
	settings, err := tokens.FromEnvironment(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	manager, err := settings.Manager(nil)
	if err != nil {
		log.Fatal(err)
	}
	// A wrong password shows now and not with the first request.
	if err := manager.Ready(ctx); err != nil {
		log.Fatal(err)
	}
	defer manager.Close(ctx)
	transport, err := tokens.NewTransport(settings.URL, manager, nil)
	if err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: transport}
	res, err := client.Get(settings.URL + "/api/v1/models/AD_Org")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	fmt.Println(res.Status)
}

// A service that shares the login a person made with the command line.
func Example_sharedLogin() {
	store, err := filestore.Open("", filestore.WithProfile("production"))
	if err != nil {
		log.Fatal(err)
	}
	manager, err := tokens.NewManager("https://erp.example.com", tokens.WithStore(store))
	if err != nil {
		log.Fatal(err)
	}
	switch err := manager.Ready(context.Background()); {
	case errors.Is(err, tokens.ErrAuthentication):
		log.Fatal(err) // says what a person has to do
	case errors.Is(err, tokens.ErrUnreachable):
		log.Print(err) // later, perhaps
	}
}

// A service that is called with the ERP's tokens.
func ExampleVerifier_Verify() {
	verifier, err := tokens.NewIntrospectionVerifier("https://erp.example.com")
	if err != nil {
		log.Fatal(err)
	}
	claims, err := verifier.Verify(context.Background(), "not a token")
	if errors.Is(err, tokens.ErrInvalidToken) {
		fmt.Println("401:", err)
		return
	}
	fmt.Println(claims.UserID)
	// Output: 401: invalid token: not a token of the ERP: it does not consist of 3 parts
}

func ExampleSecret() {
	s := tokens.NewSecret("eyJhbGciOiJIUzUxMiJ9.e30.x")
	fmt.Printf("%v %+v %q\n", s, struct{ Token tokens.Secret }{s}, s)
	// Output: [redacted] {Token:[redacted]} [redacted]
}
