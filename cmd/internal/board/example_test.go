package board_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/erphub/erphub/cmd/internal/board"
	"github.com/erphub/erphub/erp"
)

// The board in a server of one's own. Its login should only read.
func Example() {
	client, err := erp.New("https://erp.example.com", erp.WithTokenSource(erp.StaticToken("api-token")))
	if err != nil {
		log.Fatal(err)
	}
	b := board.New(client, nil)
	mux := http.NewServeMux()
	mux.Handle("/deployments", b.Handler())
	mux.Handle("/api/deployments/", b.Handler())
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- b.Run(ctx) }() // follows the log for the pages

	response := httptest.NewRecorder()
	mux.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/deployments", nil))
	fmt.Println(response.Code, response.Header().Get("Content-Type"))
	stop()
	fmt.Println(<-done)
	// Output:
	// 200 text/html; charset=utf-8
	// context canceled
}
