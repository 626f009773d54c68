package redisstore_test

import (
	"log"

	"github.com/erphub/erphub/mcp/boundary"
	"github.com/erphub/erphub/mcp/boundary/redisstore"
)

// Limits that several replicas count together.
func ExampleOpen() {
	store, err := redisstore.Open("redis://localhost:6379/0", "")
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	limits, err := boundary.New(&boundary.Options{Store: store, Limits: boundary.Limits{CallsPerMinute: 60}})
	if err != nil {
		log.Fatal(err)
	}
	_ = limits // goes to server.Options
}
