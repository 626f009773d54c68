package erp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/rest"
)

// exampleServer responds with one order, or that there is none.
func exampleServer() *httptest.Server {
	const order = `{"id":1000022,"uid":"77aa0000-0000-4000-8000-000000000001","DocumentNo":"SO-9","GrandTotal":1325.50,` +
		`"C_BPartner_ID":{"propertyLabel":"Business Partner","id":118,"identifier":"Joe Block","model-name":"c_bpartner"},` +
		`"DocStatus":{"propertyLabel":"Document Status","id":"CO","identifier":"Completed","model-name":"ad_ref_list"},"model-name":"c_order"}`
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/C_Order"):
			respond(w, 200, `{"page-count":1,"records-size":100,"skip-records":0,"row-count":1,"records":[`+order+`],"array-count":1}`)
		case strings.HasSuffix(r.URL.Path, "/1000022"):
			respond(w, 200, order)
		default:
			respond(w, 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 990099"}`)
		}
	}))
}

func ExampleClient_Get() {
	srv := exampleServer()
	defer srv.Close()
	client, err := erp.New(srv.URL, erp.WithTokenSource(erp.StaticToken("api-token")))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()

	order, err := client.Get(ctx, "C_Order", erp.IntID(1000022), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	total, _ := order.Decimal("GrandTotal")
	partner, _ := order.Ref("C_BPartner_ID")
	fmt.Println(total, partner.ID, partner.Identifier)

	_, err = client.Get(ctx, "C_Order", erp.IntID(990099), nil)
	fmt.Println(errors.Is(err, erp.ErrNotFound))
	fmt.Println(err)
	// Output:
	// 1325.50 118 Joe Block
	// true
	// GET /api/v1/models/C_Order/990099: 404 Record not found: No record found matching id: 990099
}

// The order is completed already: nothing is sent, and a call that was made before is
// no error.
func ExampleClient_ProcessDocument() {
	srv := exampleServer()
	defer srv.Close()
	client, err := erp.New(srv.URL, erp.WithTokenSource(erp.StaticToken("api-token")))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()

	order, err := client.Document(ctx, "C_Order", erp.IntID(1000022))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(order.Number(), order.StatusName(), order.Status().Actions())

	result, err := client.ProcessDocument(ctx, "C_Order", order.ID(), erp.DocComplete)
	if err != nil {
		fmt.Println(err) // what the ERP refuses, in its own words
		return
	}
	fmt.Println(result.Document.Status())
	// Output:
	// SO-9 Completed [close void reverse-correct reverse-accrual reactivate post]
	// CO
}

func ExampleGetAs() {
	srv := exampleServer()
	defer srv.Close()
	client, err := erp.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	type Order struct {
		ID         int64       `json:"id"`
		DocumentNo string      `json:"DocumentNo"`
		Partner    erp.Ref     `json:"C_BPartner_ID"`
		Status     erp.Ref     `json:"DocStatus"`
		GrandTotal erp.Decimal `json:"GrandTotal"`
	}
	order, err := erp.GetAs[Order](context.Background(), client, "C_Order", erp.IntID(1000022), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(order.DocumentNo, order.Partner.Identifier, order.Status.Code(), order.GrandTotal)
	// Output:
	// SO-9 Joe Block CO 1325.50
}

func ExampleEq() {
	filter := erp.Eq("IsSOTrx", true).
		And(erp.Or(erp.Ge("GrandTotal", erp.Decimal("100.00")), erp.Contains(erp.ToLower("Description"), "urgent")))
	fmt.Println(filter)

	_, err := erp.Eq("Name", "O'Brien").Render()
	fmt.Println(errors.Is(err, erp.ErrInexpressible))
	// Output:
	// IsSOTrx eq true and (GrandTotal ge 100.00 or contains(tolower(Description),'urgent'))
	// true
}

// The generated client has a method for every operation of the API. Over a Doer
// its calls fail as those of this package do.
func ExampleClient_Doer() {
	srv := exampleServer()
	defer srv.Close()
	conn, err := erp.New(srv.URL, erp.WithTokenSource(erp.StaticToken("api-token")))
	if err != nil {
		fmt.Println(err)
		return
	}
	api, err := rest.New(conn.BaseURL(), conn.Doer())
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()

	resp, err := api.QueryRecordsWithResponse(ctx, "C_Order", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := rest.Decoded("list orders", resp.JSON200)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(*page.Records))

	_, err = api.GetRecordWithResponse(ctx, "C_Order", "990099", nil)
	fmt.Println(errors.Is(err, erp.ErrNotFound), erp.Retryable(err))
	// Output:
	// 1
	// true false
}
