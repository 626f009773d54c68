package erptest_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

const newman = "newman@6.2.2"

var update = flag.Bool("update", false, "write the tables of docs anew")

// postmanItem is one request of the collection, as JSON text.
type postmanItem struct {
	json string
	sums map[string]string // of what the uploads send, by name
	t    testing.TB
}

// replace changes text in the JSON of the item, where it must be.
func (i *postmanItem) replace(old, text string) {
	i.t.Helper()
	require.Contains(i.t, i.json, old)
	i.json = strings.ReplaceAll(i.json, old, text)
}

// checksum puts the checksum of one of our files after what a pattern's group
// matches.
func (i *postmanItem) checksum(pattern, name string) {
	i.t.Helper()
	re := regexp.MustCompile(pattern)
	require.Regexp(i.t, re, i.json)
	i.json = re.ReplaceAllString(i.json, "${1}"+i.sums[name])
}

// chunk has the item send one of our files.
func (i *postmanItem) chunk(n int) {
	i.t.Helper()
	i.checksum(`("key":"X-Content-SHA256","type":"text","value":")[0-9a-f]{64}`, fmt.Sprint("chunk", n))
	re := regexp.MustCompile(`postman-cloud://[^"]*`)
	require.Regexp(i.t, re, i.json)
	i.json = re.ReplaceAllString(i.json, fmt.Sprintf("chunk%d.bin", n))
}

// postmanHelp is what the scripts of the plan may use.
const postmanHelp = `const call = (method, path, body, then) => pm.sendRequest({
	url: pm.environment.replaceIn("{{protocol}}://{{host}}:{{port}}/api/v1/" + path), method,
	header: [{key: "Authorization", value: "Bearer " + pm.environment.get("authToken")}, {key: "Content-Type", value: "application/json"}],
	body: body ? {mode: "raw", raw: JSON.stringify(body)} : undefined,
}, (err, res) => { if (err || res.code >= 300) throw new Error("before: " + (err || res.text())); then(res.text() ? res.json() : null); });
`

// prepared is the collection in the plan's order, and what the runner gets.
func preparePostman(t *testing.T, srv *erptest.Server, source []byte) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	const first, size = 146144, 292287 // sizes that the collection announces
	whole := bytes.Repeat([]byte("erptest!"), size/8+1)[:size]
	sums := map[string]string{}
	for name, part := range map[string][]byte{"whole": whole, "chunk1": whole[:first], "chunk2": whole[first:]} {
		sum := sha256.Sum256(part)
		sums[name] = hex.EncodeToString(sum[:])
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".bin"), part, 0o600))
	}
	var collection map[string]any
	require.NoError(t, json.Unmarshal(source, &collection))
	items, ok := collection["item"].([]any)
	require.True(t, ok)
	require.Len(t, items, 121, "the plan is for another release of the collection")
	var planned []any
	seen := map[int]bool{}
	for _, phase := range postmanOrder {
		for _, name := range strings.Fields(phase.requests) {
			number, edited := strings.CutSuffix(name, "*")
			n, err := strconv.Atoi(number)
			require.NoError(t, err)
			seen[n] = true
			planned = append(planned, preparePostmanItem(t, items[n-1], n, name, edited, sums))
			names = append(names, name)
		}
	}
	require.Len(t, seen, len(items), "requests without a place in the order")
	collection["item"] = planned
	writeJSON(t, filepath.Join(dir, "collection.json"), collection)

	u, err := url.Parse(srv.URL())
	require.NoError(t, err)
	values := map[string]string{
		"protocol": u.Scheme, "host": u.Hostname(), "port": u.Port(),
		"userName": "GardenAdmin", "password": "GardenAdmin", "sysuserName": "SuperUser", "syspassword": "System",
		"clientId": "11", "roleId": "102", "organizationId": "11", "warehouseId": "103", "language": "en_US",
	}
	for k, v := range postmanValues {
		values[k] = v
	}
	var list []map[string]any
	for k, v := range values {
		list = append(list, map[string]any{"key": k, "value": v, "enabled": true})
	}
	writeJSON(t, filepath.Join(dir, "environment.json"), map[string]any{"name": "sandbox", "values": list})
	return dir, names
}

func preparePostmanItem(t *testing.T, source any, n int, name string, edited bool, sums map[string]string) json.RawMessage {
	t.Helper()
	note, noted := postmanNotes[n]
	text, err := json.Marshal(source)
	require.NoError(t, err)
	item := &postmanItem{json: string(text), sums: sums, t: t}
	if edited {
		require.NotNil(t, note.edit, "%s has no edit", name)
		note.edit(item)
	}
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(item.json), &m), item.json)
	m["name"] = name
	request, ok := m["request"].(map[string]any)
	require.True(t, ok)
	if noted && !edited {
		target, ok := request["url"].(map[string]any)
		require.True(t, ok)
		var path []string
		for _, segment := range target["path"].([]any) { //nolint:forcetypeassert // a test
			path = append(path, fmt.Sprint(segment))
		}
		got := strings.ReplaceAll(strings.TrimPrefix(strings.Join(path, "/"), "api/v1/"), "{{nodeId}}", "local")
		require.Equal(t, note.request, fmt.Sprint(request["method"], " ", got), "place %d of the collection", n)
	}
	if note.before != "" && (edited || note.edit == nil) {
		events, _ := m["event"].([]any)
		m["event"] = append(events, map[string]any{"listen": "prerequest", "script": map[string]any{
			"type": "text/javascript", "exec": []string{postmanHelp + note.before},
		}})
	}
	out, err := json.Marshal(m)
	require.NoError(t, err)
	return out
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, b, 0o600))
}

// postmanReport is what the runner writes.
type postmanReport struct {
	Run struct{ Executions []postmanExecution }
}

type postmanExecution struct {
	Item     struct{ Name string }
	Response struct {
		Code   int
		Stream struct{ Data []int } // bytes
	}
	RequestError     *postmanFailure
	Assertions       []struct{ Error *postmanFailure }
	TestScript       []struct{ Error *postmanFailure }
	PrerequestScript []struct{ Error *postmanFailure }
}

type postmanFailure struct{ Message string }

// The ERP's own Postman collection runs against the server with newman. What
// has another response than the collection expects stands in the plan, with reasons.
func TestPostmanCollection(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a program of the npm registry")
	}
	t.Parallel()
	reference := os.Getenv("ERPHUB_REFERENCE")
	if reference == "" {
		reference = filepath.Join("..", "..", "..", "shared", "reference")
	}
	source, err := os.ReadFile(filepath.Join(reference, "contract", "trekglobal-idempiere-rest.postman_collection.json"))
	if err != nil {
		t.Skipf("the collection is not here (ERPHUB_REFERENCE): %v", err)
	}
	npx, err := exec.LookPath("npx")
	if err != nil {
		t.Skip("no npx: install npm to run the Postman collection")
	}
	srv := erptest.New(t)
	setConfig(t, srv, "REST_HEALTH_MONITORING_KEY", postmanValues["healthMonitoringKey"])
	dir, names := preparePostman(t, srv, source)

	cmd := exec.CommandContext(t.Context(), npx, "--yes", newman, "run", "collection.json", "-e", "environment.json", "--working-dir", dir,
		"-r", "json", "--reporter-json-export", "report.json", "--suppress-exit-code", "--timeout-request", "30000")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	b, err := os.ReadFile(filepath.Join(dir, "report.json"))
	require.NoError(t, err, "%s", out)
	var report postmanReport
	require.NoError(t, json.Unmarshal(b, &report))
	// A request whose script sends others is in the report once for each of them.
	executions := slices.CompactFunc(report.Run.Executions, func(a, b postmanExecution) bool { return a.Item == b.Item })
	require.Equal(t, len(names), len(executions))

	for i, e := range executions {
		require.Equal(t, names[i], e.Item.Name)
		number, edited := strings.CutSuffix(e.Item.Name, "*")
		n, err := strconv.Atoi(number)
		require.NoError(t, err)
		note := postmanNotes[n]
		status, fails := note.status, note.fails
		if edited {
			status, fails = 0, note.editedFails
		}
		body := make([]byte, 0, len(e.Response.Stream.Data))
		for _, c := range e.Response.Stream.Data {
			body = append(body, byte(c))
		}
		at := fmt.Sprintf("request %s, status %d %.300s", e.Item.Name, e.Response.Code, body)
		assert.Nil(t, e.RequestError, at)
		switch {
		case status != 0:
			assert.Equal(t, status, e.Response.Code, at)
		default:
			assert.Less(t, e.Response.Code, 300, at)
			assert.GreaterOrEqual(t, e.Response.Code, 200, at)
		}
		var failures []string
		for _, s := range e.PrerequestScript {
			if s.Error != nil {
				failures = append(failures, "before: "+s.Error.Message)
			}
		}
		for _, s := range e.Assertions {
			if s.Error != nil {
				failures = append(failures, s.Error.Message)
			}
		}
		for _, s := range e.TestScript {
			if s.Error != nil {
				failures = append(failures, s.Error.Message)
			}
		}
		if fails == "" {
			assert.Empty(t, failures, at)
		} else if assert.Len(t, failures, 1, at) {
			assert.Contains(t, failures[0], fails, at)
		}
	}
}

// docs/postman.md tells what the plan does.
func TestPostmanDocs(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "postman.md")
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	const begin, end = "<!-- begin of the table -->\n", "<!-- end of the table -->"
	head, rest, ok := strings.Cut(string(b), begin)
	require.True(t, ok)
	have, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := "\n" + postmanTable() + "\n"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(head+begin+want+end+tail), 0o600))
		return
	}
	assert.Equal(t, want, have, "run the tests with -update")
}
