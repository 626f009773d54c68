package erptest_test

import (
	"bytes"
	"net/http"
	"os"
	"strconv"
	"testing"

	"github.com/erphub/erphub/erp/erptest"
)

// BenchmarkFurtherERP tells what each further embedded ERP adds to the process once it
// has responded to a request: what the system counts as resident.
func BenchmarkFurtherERP(b *testing.B) {
	resident := func() int {
		text, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			b.Fatal(err)
		}
		pages, err := strconv.Atoi(string(bytes.Fields(text)[1]))
		if err != nil {
			b.Fatal(err)
		}
		return pages * os.Getpagesize()
	}
	open := func() {
		r := readAs(b, erptest.New(b), asGardenAdmin)
		if a := r.get("models/C_BPartner/118"); a.status != http.StatusOK {
			b.Fatal(a.body)
		}
	}
	for range 2 {
		open()
	}
	const many = 50
	for b.Loop() {
		before := resident()
		for range many {
			open()
		}
		b.ReportMetric(float64(resident()-before)/many/(1<<20), "MiB-each")
	}
}
