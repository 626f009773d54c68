package server_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/server"
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

// A tool server for its own user, who is not asked for a token.
func Example() {
	tool := mcp.New(mcp.Tool{
		Name: "greet", Description: "Greets somebody. Returns the greeting.", Hints: mcp.Hints{ReadOnly: true},
	}, greet)
	limits, err := mcp.NewBoundary(nil)
	if err != nil {
		log.Fatal(err)
	}
	s, err := server.New(server.Options{Catalog: mcp.Catalog{Tools: mcp.Set{tool}}, Boundary: limits, Name: "greeter", Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Tools(mcp.Caller{}).Names())

	response := httptest.NewRecorder()
	s.Handler().ServeHTTP(response, httptest.NewRequest(http.MethodGet, "http://localhost/healthz", nil))
	fmt.Println(response.Code) // Serve and ServeStdio serve until their context ends
	// Output:
	// [greet]
	// 200
}
