package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/erphub/erphub/mcp"
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

// A function becomes a tool. Its schemas come from its types.
func Example() {
	ctx := context.Background()
	tool := mcp.New(mcp.Tool{
		Name: "greet", Description: "Greets somebody. Returns the greeting.", Hints: mcp.Hints{ReadOnly: true},
	}, greet)
	value, err := tool.Invoke(ctx, &mcp.Call{Arguments: json.RawMessage(`{"name":"Ada"}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", value)
	_, err = tool.Invoke(ctx, &mcp.Call{Arguments: json.RawMessage(`{"nam":"Ada"}`)})
	fmt.Println(err)
	definitions, err := mcp.Set{tool}.Export(mcp.FormatAnthropic) // for an agent that speaks no MCP
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(definitions))
	// Output:
	// {Text:hello Ada}
	// greet: there is no argument "nam"; did you mean "name"? greet takes: name (required)
	// 1
}

// A caller may call once in a minute.
func ExampleBoundary() {
	ctx := context.Background()
	tool := mcp.New(mcp.Tool{
		Name: "greet", Description: "Greets somebody. Returns the greeting.", Hints: mcp.Hints{ReadOnly: true},
	}, greet)
	limits, err := mcp.NewBoundary(&mcp.BoundaryOptions{Limits: mcp.Limits{CallsPerMinute: 1}})
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
