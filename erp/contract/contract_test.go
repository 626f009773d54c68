package contract_test

import (
	"context"
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/contract/internal/overlay"
)

//go:generate go run ./internal/overlay/cmd v12/openapi.yaml v13/openapi.yaml

var releases = []string{"v12", "v13"}

// contract is that of a folder.
func contract(t *testing.T, folder string) []byte {
	t.Helper()
	spec, err := os.ReadFile(filepath.Join(folder, "openapi.yaml"))
	require.NoError(t, err)
	return spec
}

func load(t *testing.T, spec []byte) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(spec)
	require.NoError(t, err)
	return doc
}

// operations calls f for every operation of the document.
func operations(doc *openapi3.T, f func(name string, item *openapi3.PathItem, op *openapi3.Operation)) {
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			f(method+" "+path, item, op)
		}
	}
}

func names(doc *openapi3.T) []string {
	var out []string
	operations(doc, func(name string, _ *openapi3.PathItem, _ *openapi3.Operation) { out = append(out, name) })
	slices.Sort(out)
	return out
}

func TestDocumentIsValid(t *testing.T) {
	t.Parallel()
	for _, r := range releases {
		t.Run(r, func(t *testing.T) {
			t.Parallel()
			doc := load(t, contract(t, r))
			require.NoError(t, doc.Validate(context.Background(), openapi3.EnableExamplesValidation()))
			assert.Equal(t, "3.0.3", doc.OpenAPI)
		})
	}
}

// The published contract of the server names its model of an error.
func TestErrorResponse(t *testing.T) {
	t.Parallel()
	for _, r := range releases {
		t.Run(r, func(t *testing.T) {
			t.Parallel()
			model := load(t, contract(t, r)).Components.Schemas["ErrorResponse"]
			require.NotNil(t, model)
			for name, kind := range map[string]string{"title": "string", "status": "integer", "detail": "string"} {
				require.Contains(t, model.Value.Properties, name)
				assert.True(t, model.Value.Properties[name].Value.Type.Is(kind), name)
			}
		})
	}
}

// A wrong example must not pass, or the test above shows nothing.
func TestExamplesAreChecked(t *testing.T) {
	t.Parallel()
	spec := strings.Replace(string(contract(t, "v12")), "{summary: OK}", "{summary: 1}", 1)
	require.NotEqual(t, string(contract(t, "v12")), spec)
	assert.Error(t, load(t, []byte(spec)).Validate(context.Background(), openapi3.EnableExamplesValidation()))
}

func TestOperationsAreComplete(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/operations.txt")
	require.NoError(t, err)
	want := strings.Split(strings.TrimSpace(string(b)), "\n")
	slices.Sort(want)
	require.Len(t, want, 119)
	for _, r := range releases {
		t.Run(r, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, want, names(load(t, contract(t, r))))
		})
	}
}

// The reference names the parameters of one path differently per operation, so
// their names are left out of the comparison.
func TestRouteTableIsCovered(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("ERPHUB_REFERENCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "reference")
	}
	f, err := os.Open(filepath.Join(dir, "erp-rest-routes.csv"))
	if err != nil {
		t.Skipf("the route table is not here (ERPHUB_REFERENCE): %v", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"tag", "method", "path"}, rows[0][:3])

	param := regexp.MustCompile(`\{\w+\}`)
	tags := map[string]string{}
	operations(load(t, contract(t, "current")), func(name string, _ *openapi3.PathItem, op *openapi3.Operation) {
		tags[param.ReplaceAllString(name, "{}")] = op.Tags[0]
	})
	for _, row := range rows[1:] {
		name := row[1] + " " + param.ReplaceAllString(row[2], "{}")
		assert.Equal(t, row[0], tags[name], "tag of %s", name)
	}
	const newer = 4 // archives, which came after the table was written
	assert.Len(t, tags, len(rows)-1+newer)
}

func TestTags(t *testing.T) {
	t.Parallel()
	doc := load(t, contract(t, "current"))
	var listed []string
	for _, tag := range doc.Tags {
		listed = append(listed, tag.Name)
	}
	require.Len(t, listed, 22, "21 groups and Webhooks")
	used := map[string]bool{}
	operations(doc, func(name string, _ *openapi3.PathItem, op *openapi3.Operation) {
		require.Len(t, op.Tags, 1, name)
		used[op.Tags[0]] = true
	})
	assert.ElementsMatch(t, listed, slices.Collect(maps.Keys(used)))
}

func TestPublicOperations(t *testing.T) {
	t.Parallel()
	var public, presigned []string
	operations(load(t, contract(t, "current")), func(name string, _ *openapi3.PathItem, op *openapi3.Operation) {
		switch {
		case op.Security == nil:
			assert.NotNil(t, op.Responses.Status(401), "%s needs a token but has no response 401", name)
		case len(*op.Security) == 0:
			public = append(public, name)
		default:
			presigned = append(presigned, name)
		}
	})
	assert.ElementsMatch(t, []string{
		"POST /auth/tokens", "GET /auth/jwk", "POST /auth/refresh", "POST /auth/logout",
		"GET /health", "POST /webhooks/{endpointKey}",
	}, public)
	assert.ElementsMatch(t, []string{
		"PUT /uploads/{uploadId}/chunks/{chunkOrder}", "GET /uploads/{uploadId}/file",
	}, presigned)
}

// What a client and a reader need of every operation.
func TestEveryOperation(t *testing.T) {
	t.Parallel()
	ids := map[string]string{}
	operations(load(t, contract(t, "current")), func(name string, item *openapi3.PathItem, op *openapi3.Operation) {
		assert.NotEmpty(t, op.Summary, name)
		assert.NotEmpty(t, op.Description, name)
		assert.Empty(t, ids[op.OperationID], "%s and %s share an id", name, ids[op.OperationID])
		ids[op.OperationID] = name
		assert.NotNil(t, op.Responses.Default(), "%s: a page of the container can always come", name)
		for status, ref := range op.Responses.Map() {
			media := ref.Value.Content["application/json"]
			if status[0] != '2' || media == nil {
				continue
			}
			assert.NotEmpty(t, media.Schema.Ref, "%s %s: the schema has no name", name, status)
			assert.True(t, media.Example != nil || len(media.Examples) > 0, "%s %s: no example", name, status)
		}
		for _, p := range slices.Concat(item.Parameters, op.Parameters) {
			if p.Value.In == "path" && p.Value.Schema.Ref != "#/components/schemas/Segment" {
				assert.True(t, p.Value.Schema.Value.Type.Is("integer"), "%s: path parameter %s is neither a number nor a Segment", name, p.Value.Name)
			}
		}
		for _, part := range strings.Split(name, "/") {
			if strings.HasPrefix(part, "{") {
				inItem := item.Parameters.GetByInAndName("path", strings.Trim(part, "{}"))
				inOp := op.Parameters.GetByInAndName("path", strings.Trim(part, "{}"))
				assert.True(t, inItem != nil || inOp != nil, "%s: %s is not described", name, part)
			}
		}
	})
}

func TestV13IsMadeFromV12(t *testing.T) {
	t.Parallel()
	want, err := overlay.V13(contract(t, "v12"))
	require.NoError(t, err)
	assert.Equal(t, string(want), string(contract(t, "v13")), "run go generate ./erp/contract")
	assert.NotEqual(t, string(contract(t, "v12")), string(contract(t, "v13")))
	assert.Equal(t, "13.0.0", load(t, contract(t, "v13")).Info.Version)
}

func TestOverlayNoticesAChangedContract(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, from, to string }{
		{"piece is gone", "version: 12.0.0", "version: 12.1.0"},
		{"piece occurs twice", "  version: 12.0.0\n", "  version: 12.0.0\n  version: 12.0.0\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := overlay.V13([]byte(strings.Replace(string(contract(t, "v12")), tc.from, tc.to, 1)))
			assert.ErrorContains(t, err, "want once")
		})
	}
}

func TestCurrentLinksToTheContractInForce(t *testing.T) {
	t.Parallel()
	target, err := os.Readlink("current")
	require.NoError(t, err)
	assert.Equal(t, "v12", target)
}
