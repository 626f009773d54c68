package aiclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
)

func Example() {
	// Stands for `erphub server api`, which serves package httpapi.
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(api.Result{
			Columns: []api.Column{{Name: "documentno", Type: "varchar"}, {Name: "grandtotal", Type: "numeric"}},
			Rows:    [][]any{{"80001", json.Number("1325.50")}}, RowCount: 1,
		})
	}))
	defer service.Close()

	client, err := aiclient.New(service.URL, aiclient.WithToken("access-token-of-the-ERP"), aiclient.WithRole(102))
	if err != nil {
		log.Fatal(err)
	}
	result, err := client.Query(context.Background(), aiclient.Query{
		SQL: "SELECT documentno, grandtotal FROM c_order WHERE dateordered >= $1", Params: []any{"2026-01-01"},
	})
	if errors.Is(err, aiclient.ErrRefused) { // its text says what to change in the statement
		log.Fatal("ask something else: ", err)
	}
	if err != nil {
		log.Fatal(err)
	}
	total := result.Index("grandtotal")
	for _, row := range result.Rows {
		fmt.Println(row[0], row[total])
	}
	// Output: 80001 1325.50
}
