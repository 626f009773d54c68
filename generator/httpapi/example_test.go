package httpapi_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/generator/httpapi"
	"github.com/erphub/erphub/tokens"
)

// The generator as a service, for callers that bring a token of the ERP.
func Example() {
	ctx := context.Background()
	srv, err := erptest.Open(ctx, erptest.Options{}) // an ERP in memory
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	verifier, err := tokens.NewSecretVerifier([]byte(srv.TokenSecret()))
	if err != nil {
		log.Fatal(err)
	}
	deliveries, err := delivery.New(delivery.Options{}) // settings tell where plugins may go
	if err != nil {
		log.Fatal(err)
	}
	api, err := httpapi.New(deliveries, verifier, nil)
	if err != nil {
		log.Fatal(err)
	}

	token, err := srv.APIToken(ctx, "GardenAdmin", 11, 102, 11, time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPost, httpapi.GeneratePrefix+"/plugin",
		strings.NewReader(`{"artifactId":"com.example.demo","output":"archive"}`))
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	api.ServeHTTP(response, request)
	fmt.Println(response.Code, response.Header().Get("Content-Type"), response.Header().Get("Content-Disposition"))
	// Output:
	// 200 application/zip attachment; filename=com.example.demo.zip
}
