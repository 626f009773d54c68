package erptest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/cputime"
)

// BenchmarkList reads a page of 100 records with a dozen references each.
func BenchmarkList(b *testing.B) {
	srv := erptest.New(b)
	r := readAs(b, srv, asSystem)
	for b.Loop() {
		if a := r.get("models/AD_Column"); a.status != http.StatusOK {
			b.Fatal(a.body)
		}
	}
}

// BenchmarkRecord reads one record.
func BenchmarkRecord(b *testing.B) {
	srv := erptest.New(b)
	r := readAs(b, srv, asGardenAdmin)
	for b.Loop() {
		if a := r.get("models/C_BPartner/118"); a.status != http.StatusOK {
			b.Fatal(a.body)
		}
	}
}

// BenchmarkBatch creates 2,000 records in one transaction, as loading data does.
func BenchmarkBatch(b *testing.B) {
	srv := erptest.New(b, erptest.Options{Path: filepath.Join(b.TempDir(), "erp.db")})
	r := readAs(b, srv, asGardenAdmin)
	n := 0
	for b.Loop() {
		var body strings.Builder
		for i := range 2000 {
			n++
			body.WriteString([]string{"[", ","}[min(i, 1)])
			fmt.Fprintf(&body, `{"method":"POST","path":"v1/models/c_bpartner","body":{"Value":"B%d","Name":"Batch %d","C_BP_Group_ID":103}}`, n, n)
		}
		body.WriteString("]")
		if a := r.send(http.MethodPost, "batch?transaction=true", json.RawMessage(body.String())); a.status != http.StatusOK {
			b.Fatal(a.body[:min(len(a.body), 500)])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(n)*1000, "µs/record")
}

// BenchmarkLongList reads 10,000 business partners page by page from the handler,
// so that the time is the server's alone.
func BenchmarkLongList(b *testing.B) {
	for _, size := range []int{100, 1000} {
		b.Run(fmt.Sprintf("pages of %d", size), func(b *testing.B) {
			srv := erptest.New(b)
			fillPartners(b, srv, 10_000)
			if size > 100 {
				setConfig(b, srv, "REST_MAX_RECORDS_SIZE", "0")
			}
			token := readAs(b, srv, asGardenAdmin).token
			records, used := 0, cputime.Used(b)
			for b.Loop() {
				for skip := 0; skip < 10_000; skip += size {
					req := httptest.NewRequestWithContext(b.Context(), http.MethodGet,
						fmt.Sprintf("/api/v1/models/C_BPartner?$orderby=C_BPartner_ID&$top=%d&$skip=%d", size, skip), nil)
					req.Header.Set("Authorization", "Bearer "+token)
					w := httptest.NewRecorder()
					srv.ServeHTTP(w, req)
					if w.Code != http.StatusOK {
						b.Fatal(w.Body)
					}
					records += size
				}
			}
			b.ReportMetric(float64((cputime.Used(b)-used).Microseconds())/float64(records), "cpu-µs/record")
		})
	}
}

// BenchmarkCreate creates records one by one.
func BenchmarkCreate(b *testing.B) {
	srv := erptest.New(b, erptest.Options{Path: filepath.Join(b.TempDir(), "erp.db")})
	r := readAs(b, srv, asGardenAdmin)
	n, used := 0, cputime.Used(b)
	for b.Loop() {
		for range 1000 {
			n++
			a := r.send(http.MethodPost, "models/C_BPartner", map[string]any{"Value": fmt.Sprintf("S%d", n), "Name": fmt.Sprintf("Single %d", n), "C_BP_Group_ID": 103})
			if a.status != http.StatusCreated {
				b.Fatal(a.body)
			}
		}
	}
	b.ReportMetric(float64((cputime.Used(b)-used).Microseconds())/float64(n), "cpu-µs/record")
}

// fillPartners creates business partners in batches.
func fillPartners(b *testing.B, srv *erptest.Server, n int) {
	b.Helper()
	r := readAs(b, srv, asGardenAdmin)
	for first := 0; first < n; first += 2000 {
		var body strings.Builder
		for i := range min(2000, n-first) {
			body.WriteString([]string{"[", ","}[min(i, 1)])
			fmt.Fprintf(&body, `{"method":"POST","path":"v1/models/c_bpartner","body":{"Value":"B%d","Name":"Batch %d","C_BP_Group_ID":103,"SalesRep_ID":101,"C_PaymentTerm_ID":105,"PaymentRule":"P","SO_CreditLimit":%d.50}}`, first+i, first+i, i)
		}
		body.WriteString("]")
		if a := r.send(http.MethodPost, "batch?transaction=true", json.RawMessage(body.String())); a.status != http.StatusOK {
			b.Fatal(a.body[:min(len(a.body), 500)])
		}
	}
}
