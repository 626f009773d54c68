package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// A sandbox serves the ERP, for the AI API and for the generator, with
// tokens it has signed; what is made there goes with it.
func TestSandboxServices(t *testing.T) {
	t.Parallel()
	p := serve(t, nil, "sandbox")
	asJSON := func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }
	status, body := p.call(http.MethodPost, "/api/v1/auth/tokens",
		`{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":11,"roleId":102,"organizationId":11}}`, asJSON)
	require.Equal(t, 200, status, body)
	var login struct{ Token string }
	require.NoError(t, json.Unmarshal([]byte(body), &login))
	admin := bearing(login.Token)

	// The first ones come at the same time.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			status, body := p.call(http.MethodGet, "/api/ai/health", "", nil)
			assert.Equal(t, 200, status, body)
		})
	}
	wg.Wait()
	status, body = p.call(http.MethodPost, "/api/ai/query", statement("SELECT name FROM c_bpartner WHERE c_bpartner_id = 118", 102), admin)
	assert.Equal(t, 200, status, body)
	assert.Contains(t, body, "Joe Block")
	status, body = p.call(http.MethodPost, "/api/ai/query", statement("SELECT name FROM c_bpartner", 0), admin)
	assert.Equal(t, 403, status, body)
	// The audit's table is in the dictionary, as in any ERP, so who may can read it.
	var log struct {
		Records []struct {
			SQL    string              `json:"AIG_QuerySQL"`
			Status struct{ ID string } `json:"AIG_QueryStatus"`
		}
	}
	status, body = p.call(http.MethodGet, "/api/v1/models/AIG_QueryLog?$orderby=AIG_QueryLog_ID", "", admin)
	require.Equal(t, 200, status, body)
	require.NoError(t, json.Unmarshal([]byte(body), &log))
	require.Len(t, log.Records, 2)
	assert.Equal(t, "SELECT name FROM c_bpartner WHERE c_bpartner_id = 118", log.Records[0].SQL)
	assert.Equal(t, "Success", log.Records[0].Status.ID)
	assert.Equal(t, "PermissionDenied", log.Records[1].Status.ID)
	for table, filter := range map[string]string{
		"AD_Table": "TableName eq 'AIG_QueryLog'", "AD_Column": "ColumnName eq 'AIG_SecuredSQL'", "AD_Element": "ColumnName eq 'AIG_QuerySQL'",
		"AD_Reference": "Name eq 'AIG_QueryStatus'",
	} {
		status, body = p.call(http.MethodGet, "/api/v1/models/"+table+"?$filter="+url.QueryEscape(filter), "", admin)
		assert.Equal(t, 200, status, body)
		assert.Contains(t, body, `"row-count":1`, table)
	}
	status, body = p.call(http.MethodPost, "/api/ai/query", statement("SELECT aig_querysql FROM aig_querylog", 102), admin)
	assert.Equal(t, 403, status, body)

	for path, want := range map[string]int{"/api/ai/query": 405, "/api/ai/nothing": 404, "/api/ai": 404, "/api/v1/models": 401} {
		status, body = p.call(http.MethodGet, path, "", nil)
		assert.Equal(t, want, status, "%s: %s", path, body)
	}

	status, body = p.call(http.MethodPost, "/api/generate/plugin", `{"artifactId":"com.example.demo","output":"url"}`, admin)
	require.Equal(t, 200, status, body)
	var kept struct {
		DownloadURL string `json:"download_url"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &kept))
	path, ok := strings.CutPrefix(kept.DownloadURL, p.url)
	require.True(t, ok, kept.DownloadURL)
	status, body = p.call(http.MethodGet, path, "", nil)
	assert.Equal(t, 200, status)
	assert.True(t, strings.HasPrefix(body, "PK"), "a zip")
	status, body = p.call(http.MethodPost, "/api/generate/plugin", `{"artifactId":"com.example.demo"}`, admin)
	require.Equal(t, 200, status, body)
	var made struct{ Path string }
	require.NoError(t, json.Unmarshal([]byte(body), &made))
	assert.DirExists(t, made.Path)
	assert.True(t, strings.HasPrefix(made.Path, os.TempDir()), made.Path)

	assert.Equal(t, shell.ExitDone, p.stop(), p.errOut.String())
	assert.NoDirExists(t, made.Path)
}

// A login that was ended reads nothing any more, neither by the ERP's REST API nor by
// the services beside it.
func TestSandboxServicesKnowRevokedTokens(t *testing.T) {
	t.Parallel()
	p := serve(t, nil, "sandbox")
	asJSON := func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }
	status, body := p.call(http.MethodPost, "/api/v1/auth/tokens",
		`{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":11,"roleId":102,"organizationId":11}}`, asJSON)
	require.Equal(t, 200, status, body)
	var login struct{ Token string }
	require.NoError(t, json.Unmarshal([]byte(body), &login))
	status, body = p.call(http.MethodPost, "/api/v1/auth/logout", `{"token":"`+login.Token+`"}`, asJSON)
	require.Equal(t, 200, status, body)
	for path, body := range map[string]string{"/api/ai/query": statement("SELECT 1", 102), "/api/generate/plugin": `{"artifactId":"com.example.a","output":"archive"}`} {
		status, said := p.call(http.MethodPost, path, body, bearing(login.Token))
		assert.Equal(t, http.StatusUnauthorized, status, "%s: %s", path, said)
	}
}
