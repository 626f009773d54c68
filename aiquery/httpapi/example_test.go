package httpapi_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/tokens"
)

// The AI API beside an embedded ERP, for callers that bring its tokens.
func Example() {
	ctx := context.Background()
	srv, err := erptest.Open(ctx, erptest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	database := srv.Database()
	defer database.Close()
	source, err := dbdict.New(database, dbdict.SQLite, nil)
	if err != nil {
		log.Fatal(err)
	}
	dictionary, err := registry.LoadCatalog(ctx, source)
	if err != nil {
		log.Fatal(err)
	}
	db, err := embedded.Open(srv)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	engine, err := aiquery.New(db, dictionary, &aiquery.Options{NoAudit: true})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)
	verifier, err := tokens.NewSecretVerifier([]byte(srv.TokenSecret()))
	if err != nil {
		log.Fatal(err)
	}
	api, err := httpapi.New(engine, verifier, nil)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(httpapi.Prefix+"/", api)

	request := httptest.NewRequest(http.MethodPost, "/api/ai/query", strings.NewReader(`{"sql":"SELECT 1","roleId":102}`))
	response := httptest.NewRecorder()
	mux.ServeHTTP(response, request)
	fmt.Println(response.Code, "without a token")

	token, err := srv.APIToken(ctx, "GardenAdmin", 11, 102, 11, time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	request = httptest.NewRequest(http.MethodPost, "/api/ai/query", strings.NewReader(`{"sql":"SELECT 1 AS one","roleId":102}`))
	request.Header.Set("Authorization", "Bearer "+token)
	response = httptest.NewRecorder()
	mux.ServeHTTP(response, request)
	fmt.Println(response.Code, "with one")
	// Output:
	// 401 without a token
	// 200 with one
}
