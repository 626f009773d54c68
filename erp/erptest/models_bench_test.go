package erptest_test

import (
	"net/http"
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
