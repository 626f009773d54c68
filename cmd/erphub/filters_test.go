package main

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
)

// A filter that cannot be read, because the dictionary cannot, counts nothing.
func TestFilterWithoutTheDictionary(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	env := []string{"ERP_URL=" + srv.URL(), "ERP_USERNAME=GardenAdmin", "ERP_PASSWORD=GardenAdmin", "ERP_CLIENT_ID=11", "ERP_ROLE_ID=102", "ERP_ORG_ID=11",
		"ERPHUB_CONFIG=" + filepath.Join(t.TempDir(), "config.yaml")}
	count := func(filter string) (int, string) {
		var printed bytes.Buffer
		code := execute(t.Context(), []string{"erphub", "record", "count", "C_Order", "--filter", filter}, env, shell.Streams{In: strings.NewReader(""), Out: &printed, Err: &printed})
		return code, printed.String()
	}
	const completed = "DocStatus eq 'Completed'"
	code, said := count(completed)
	assert.Zero(t, code, said)
	for _, table := range []string{"AD_Column", "AD_Ref_List"} {
		fault := srv.Faults().On(erptest.Match{Path: "/models/" + table}, erptest.Fail(http.StatusInternalServerError))
		code, said := count(completed)
		assert.NotZero(t, code, "%s: %s", table, said)
		assert.Positive(t, fault.Hits(), table)
		fault.Remove()
	}
}
