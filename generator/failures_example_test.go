package generator_test

import (
	"errors"
	"fmt"

	"github.com/erphub/erphub/generator"
)

func ExampleDeliveryError() {
	var err error = &generator.DeliveryError{
		Kind: generator.FailureNotAuthorized, Doing: "creating the repository com.example.demo",
		Why: "the forge does not accept the token", Next: "give one that may create repositories",
	}
	fmt.Println(err)
	fmt.Println(errors.Is(err, generator.FailureNotAuthorized), errors.Is(err, generator.FailureUnreachable))
	// Output:
	// creating the repository com.example.demo: the forge does not accept the token; give one that may create repositories
	// true false
}
