package boundary_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/boundary"
)

type greetIn struct {
	Name string `json:"name" jsonschema:"whom to greet, such as Ada"`
}

type greetOut struct {
	Text string `json:"text"`
}

func greet(_ context.Context, _ *mcp.Call, in greetIn) (greetOut, error) {
	return greetOut{"hello " + in.Name}, nil
}

// A caller may call once in a minute.
func Example() {
	ctx := context.Background()
	tool := mcp.New(mcp.Tool{
		Name: "greet", Description: "Greets somebody. Returns the greeting.", Hints: mcp.Hints{ReadOnly: true},
	}, greet)
	limits, err := boundary.New(&boundary.Options{Limits: boundary.Limits{CallsPerMinute: 1}})
	if err != nil {
		log.Fatal(err)
	}
	caller := mcp.Caller{ID: "11/101"}
	for range 2 {
		reply, err := limits.Call(ctx, tool, &mcp.Call{Tool: "greet", Caller: caller, Arguments: json.RawMessage(`{"name":"Ada"}`)})
		if err != nil {
			fmt.Println(mcp.ErrorOf(err).Code)
			continue
		}
		fmt.Println(string(reply.JSON))
	}
	// Output:
	// {"text":"hello Ada"}
	// rate_limit_exceeded
}
