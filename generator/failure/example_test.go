package failure_test

import (
	"errors"
	"fmt"

	"github.com/erphub/erphub/generator/failure"
)

func ExampleError() {
	var err error = &failure.Error{
		Kind: failure.NotAuthorized, Doing: "creating the repository com.example.demo",
		Why: "the forge does not accept the token", Next: "give one that may create repositories",
	}
	fmt.Println(err)
	fmt.Println(errors.Is(err, failure.NotAuthorized), errors.Is(err, failure.Unreachable))
	// Output:
	// creating the repository com.example.demo: the forge does not accept the token; give one that may create repositories
	// true false
}
