package erp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestModels(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/yaml"):
			w.Header().Set("Content-Type", "application/yaml")
			_, _ = io.WriteString(w, "openapi: 3.0.0\n")
		case strings.HasSuffix(r.URL.Path, "/views"):
			respond(w, 200, `{"views":[{"id":1,"uid":"u","name":"open","tableName":"C_Order","columns":[{"id":2,"name":"no","columnName":"DocumentNo"}],"relatedViews":[{"name":"lines","view":{"name":"l"},"autoExpand":true}]}]}`)
		default:
			respond(w, 200, `{"models":[{"id":318,"uid":"u","model-name":"c_invoice","name":"Invoice","description":"d"}]}`)
		}
	})
	models, err := client.Models(t.Context(), erp.Eq("TableName", "C_Invoice"))
	require.NoError(t, err)
	assert.Equal(t, []erp.Model{{ID: 318, UUID: "u", Table: "c_invoice", Name: "Invoice", Description: "d"}}, models)
	assert.Equal(t, map[string]string{"$filter": "TableName eq 'C_Invoice'"}, params(t, rec.last(t).URI))
	yaml, err := client.TableYAML(t.Context(), "C_Order")
	require.NoError(t, err)
	assert.Equal(t, "openapi: 3.0.0\n", string(yaml))
	assert.Equal(t, "application/yaml", rec.last(t).Header.Get("Accept"))
	_, err = client.Views().TableYAML(t.Context(), "open")
	require.NoError(t, err)
	assert.Equal(t, "/api/v1/views/open/yaml", rec.last(t).URI)
	views, err := client.ViewList(t.Context(), erp.Filter{})
	require.NoError(t, err)
	assert.True(t, views[0].Related[0].AutoExpand)
	_, client = serve(t, always(200, `{}`))
	_, err = client.Models(t.Context(), erp.Filter{})
	require.ErrorIs(t, err, erp.ErrBadResponse)
}
