package erptest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

func TestArchives(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	r := readAs(t, srv, asGardenAdmin)
	const listed = `{"archives":[{"id":100,"name":"Invoice 200100","contentType":"application/pdf","isReport":false,"created":"2024-02-10 10:00:00.0"}]}`
	for _, tc := range []struct {
		name, path  string
		status      int
		contentType string
		body        string // "" is not looked at
	}{
		{"list", "models/c_invoice/100/archives", 200, "application/json", listed},
		{"none", "models/c_invoice/101/archives", 200, "application/json", `{"archives":[]}`},
		{"content", "models/c_invoice/100/archives/100", 200, "application/pdf", "Invoice 200100, Joe Block, 154.07 USD"},
		{"in base64", "models/c_invoice/100/archives/100?json", 200, "", `{"name":"Invoice 200100","contentType":"application/pdf","data":"SW52b2ljZSAyMDAxMDAsIEpvZSBCbG9jaywgMTU0LjA3IFVTRA=="}`},
		{"of another record", "models/c_invoice/101/archives/100", 404, "", ""},
		{"no number", "models/c_invoice/100/archives/plan.pdf", 404, "", ""},
		{"no record", "models/c_invoice/990099/archives", 404, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := r.send(http.MethodGet, tc.path, nil)
			require.Equal(t, tc.status, a.status, a.body)
			if tc.contentType != "" {
				assert.Contains(t, a.header.Get("Content-Type"), tc.contentType)
			}
			if tc.body != "" {
				assert.Equal(t, tc.body, string(a.body))
			}
		})
	}
}
