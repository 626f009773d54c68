package erptest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/erphub/erphub/erp/erptest"
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
