package erp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/erphub/erphub/erp"
)

// benchRecord is a record with the kinds of values a real one has, about 1.2 KB
// and the padding.
func benchRecord(id int, pad string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"id":%d,"uid":"5b0c6f2a-0000-4000-8000-%012d"`, id, id)
	lookup := func(name, label string, key int, text, model string) {
		fmt.Fprintf(&b, `,%q:{"propertyLabel":%q,"id":%d,"identifier":%q,"model-name":%q}`, name, label, key, text, model)
	}
	lookup("AD_Client_ID", "Tenant", 11, "GardenWorld", "ad_client")
	lookup("AD_Org_ID", "Organization", 11, "HQ", "ad_org")
	b.WriteString(`,"IsActive":true,"Created":"2026-03-09T14:05:06+01:00"`)
	lookup("CreatedBy", "Created By", 100, "SuperUser", "ad_user")
	b.WriteString(`,"Updated":"2026-03-09T14:05:06+01:00"`)
	lookup("UpdatedBy", "Updated By", 100, "SuperUser", "ad_user")
	fmt.Fprintf(&b, `,"DocumentNo":"SO-%d","Description":"Order of the spring season, part one","IsSOTrx":true`, id)
	b.WriteString(`,"DocStatus":{"propertyLabel":"Document Status","id":"CO","identifier":"Completed","model-name":"ad_ref_list"}`)
	lookup("C_DocTypeTarget_ID", "Target Document Type", 132, "Standard Order", "c_doctype")
	b.WriteString(`,"DateOrdered":"2026-03-09","DateAcct":"2026-03-09"`)
	lookup("C_BPartner_ID", "Business Partner", 118, "Joe Block", "c_bpartner")
	lookup("C_Currency_ID", "Currency", 100, "USD", "c_currency")
	b.WriteString(`,"TotalLines":1250.50,"GrandTotal":1325.53,"Processed":true`)
	fmt.Fprintf(&b, `,"Note":%q,"model-name":"c_order"}`, pad)
	return b.Bytes()
}

// pagePad brings a page of 100 records to 152 KB.
var pagePad = strings.Repeat("p", 1520-len(benchRecord(1000000, "")))

func benchPage(rows, skip, total int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"page-count":%d,"records-size":%d,"skip-records":%d,"row-count":%d,"records":[`, (total+rows-1)/rows, rows, skip, total)
	for i := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(benchRecord(1000000+skip+i, pagePad))
	}
	fmt.Fprintf(&b, `],"array-count":%d}`, rows)
	return b.Bytes()
}

func benchServer(b *testing.B) (*httptest.Server, *erp.Client) {
	b.Helper()
	record := benchRecord(1000001, strings.Repeat("n", 2048-len(benchRecord(1000001, ""))))
	page := benchPage(100, 0, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := page
		if strings.HasSuffix(r.URL.Path, "/1000001") {
			body = record
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	}))
	b.Cleanup(srv.Close)
	client, err := erp.New(srv.URL, erp.WithTokenSource(erp.StaticToken("token")))
	if err != nil {
		b.Fatal(err)
	}
	return srv, client
}

// raw is what the client is measured against: net/http and encoding/json into
// maps, with a token and a size check as any caller would write them.
func raw(b *testing.B, client *http.Client, url string, dst any) {
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer token")
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		b.Fatal(resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(dst); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkRecord(b *testing.B) {
	srv, client := benchServer(b)
	url := client.BaseURL() + "/models/C_Order/1000001"
	b.Run("raw map", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m map[string]any
			raw(b, srv.Client(), url, &m)
		}
	})
	b.Run("Get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := client.Get(b.Context(), "C_Order", erp.IntID(1000001), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Get and Map", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			record, err := client.Get(b.Context(), "C_Order", erp.IntID(1000001), nil)
			if err != nil {
				b.Fatal(err)
			}
			if len(record.Map()) < 10 {
				b.Fatal(record)
			}
		}
	})
	b.Run("GetAs", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := erp.GetAs[benchOrder](b.Context(), client, "C_Order", erp.IntID(1000001), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type benchOrder struct {
	ID         erp.ID      `json:"id"`
	DocumentNo string      `json:"DocumentNo"`
	Partner    erp.Ref     `json:"C_BPartner_ID"`
	DocStatus  erp.Ref     `json:"DocStatus"`
	GrandTotal erp.Decimal `json:"GrandTotal"`
	Ordered    erp.Date    `json:"DateOrdered"`
}

func BenchmarkPage(b *testing.B) {
	srv, client := benchServer(b)
	url := client.BaseURL() + "/models/C_Order"
	b.Run("raw map", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m map[string]any
			raw(b, srv.Client(), url, &m)
		}
	})
	b.Run("raw messages", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var m struct{ Records []json.RawMessage }
			raw(b, srv.Client(), url, &m)
		}
	})
	b.Run("Query", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			page, err := client.Query(b.Context(), "C_Order", nil)
			if err != nil || len(page.Records) != 100 {
				b.Fatal(err)
			}
		}
	})
	b.Run("Query and read six columns", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			page, err := client.Query(b.Context(), "C_Order", nil)
			if err != nil {
				b.Fatal(err)
			}
			for _, r := range page.Records {
				r.ID()
				r.Text("DocumentNo")
				r.Ref("C_BPartner_ID")
				r.Ref("DocStatus")
				r.Decimal("GrandTotal")
				r.Date("DateOrdered")
			}
		}
	})
	b.Run("Query and Map", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			page, err := client.Query(b.Context(), "C_Order", nil)
			if err != nil {
				b.Fatal(err)
			}
			for _, r := range page.Records {
				if len(r.Map()) < 10 {
					b.Fatal(r)
				}
			}
		}
	})
	b.Run("QueryAs", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := erp.QueryAs[benchOrder](b.Context(), client, "C_Order", nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
