package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// One --param is one parameter, whatever is in its value: text from elsewhere
// cannot add another one.
func TestProcessParamIsOneValue(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	var sent []byte
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/processes/") {
			sent, _ = io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(sent))
		}
		srv.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	for name, flags := range map[string][]string{
		"long":  {"--param", "Name=a,Value=b", "--param", "Help=c"},
		"short": {"-p", "Name=a,Value=b", "-p", "Help=c"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"process", "run", "ad_column-sync", "--unchecked"}, flags...)
			_, out := run(t.Context(), t, front.URL, args...) // what the process makes of it does not matter
			var got map[string]any
			require.NoError(t, json.Unmarshal(sent, &got), out)
			assert.Equal(t, map[string]any{"Name": "a,Value=b", "Help": "c"}, got)
		})
	}
}
