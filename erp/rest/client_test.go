package rest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/rest"
)

var errSent = errors.New("sent")

// recorder is a doer that sends nothing.
type recorder struct{ sent []*http.Request }

func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	r.sent = append(r.sent, req)
	return nil, errSent
}

func newClient(t *testing.T, doer rest.HttpRequestDoer) *rest.ClientWithResponses {
	t.Helper()
	c, err := rest.New("https://erp.test", doer)
	require.NoError(t, err)
	return c
}

var (
	segmentType = reflect.TypeFor[rest.Segment]()
	contextType = reflect.TypeFor[context.Context]()
	readerType  = reflect.TypeFor[io.Reader]()
)

// invoke calls a method of the client with plain arguments: every path parameter is
// "x" or 7, except the segment at position bad; every parameter struct is nil.
func invoke(t *testing.T, c rest.ClientInterface, m reflect.Method, bad int, value rest.Segment) error {
	t.Helper()
	f := reflect.ValueOf(c).MethodByName(m.Name)
	segment := 0
	var args []reflect.Value
	for i := range f.Type().NumIn() - 1 { // the last one are the editors
		in := f.Type().In(i)
		switch {
		case in == contextType:
			args = append(args, reflect.ValueOf(t.Context()))
		case in == segmentType:
			v := rest.Segment("x")
			if segment == bad {
				v = value
			}
			segment++
			args = append(args, reflect.ValueOf(v))
		case in.Kind() == reflect.Int:
			args = append(args, reflect.ValueOf(7).Convert(in))
		case in == readerType:
			args = append(args, reflect.ValueOf(strings.NewReader("{}")))
		case in.Kind() == reflect.String:
			args = append(args, reflect.ValueOf("application/json"))
		default: // parameters and bodies
			args = append(args, reflect.Zero(in))
		}
	}
	err, _ := f.Call(args)[1].Interface().(error)
	return err
}

func methods() []reflect.Method {
	typ := reflect.TypeFor[rest.ClientInterface]()
	var out []reflect.Method
	for i := range typ.NumMethod() {
		out = append(out, typ.Method(i))
	}
	return out
}

func segments(m reflect.Method) int {
	n := 0
	for i := range m.Type.NumIn() {
		if m.Type.In(i) == segmentType {
			n++
		}
	}
	return n
}

// Every operation of the contract outside the two hand-written groups has a method,
// and the method sends what the contract says, also with nil for its parameters.
func TestEveryOperationHasAMethod(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromFile(filepath.Join("..", "contract", "current", "openapi.yaml"))
	require.NoError(t, err)
	byID := map[string]reflect.Method{}
	for _, m := range methods() {
		byID[strings.ToLower(m.Name)] = m
	}
	tags := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			m, ok := byID[strings.ToLower(op.OperationID)]
			if op.RequestBody != nil && op.RequestBody.Value.Content["application/json"] == nil {
				m, ok = byID[strings.ToLower(op.OperationID+"WithBody")]
			}
			if handWritten := slices.Contains([]string{"Menutree", "Schedulers"}, op.Tags[0]); handWritten {
				assert.False(t, ok, "%s is hand-written", op.OperationID)
				continue
			}
			require.True(t, ok, op.OperationID)
			tags[op.Tags[0]] = true
			rec := &recorder{}
			err := invoke(t, newClient(t, rec).ClientInterface, m, -1, "")
			require.ErrorIs(t, err, errSent, m.Name)
			got := rec.sent[0]
			assert.Equal(t, method+" "+fill(path, item, op), got.Method+" "+strings.TrimPrefix(got.URL.Path, "/api/v1"))
			assert.Equal(t, "erp.test", got.URL.Host)
		}
	}
	assert.Len(t, tags, 20, "19 groups and Webhooks")
}

func fill(path string, item *openapi3.PathItem, op *openapi3.Operation) string {
	for _, p := range slices.Concat(item.Parameters, op.Parameters) {
		value := "x"
		if p.Value.Schema.Value.Type.Is("integer") {
			value = "7"
		}
		path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", value)
	}
	return path
}

// No path parameter of any method lets a request through that addresses another
// route. Without the check the first value turns the deletion of a record of table
// ".." with key "caches" into a reset of all caches.
func TestNoMethodLeavesItsRoute(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, m := range methods() {
		for i := range segments(m) {
			for _, value := range []rest.Segment{"..", ".", "", "a/b", `..\..`, "a\x00"} {
				rec := &recorder{}
				err := invoke(t, newClient(t, rec).ClientInterface, m, i, value)
				assert.ErrorContains(t, err, "path segment", "%s, segment %d: %q", m.Name, i, value)
				assert.Empty(t, rec.sent, "%s, segment %d: %q", m.Name, i, value)
				checked++
			}
		}
	}
	assert.Greater(t, checked, 600)
}

func TestSegmentsAreEscaped(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, value, want string }{
		{"blank", "a b", "a%20b"},
		{"percent", "a%2e%2e", "a%252e%252e"},
		{"encoded parent", "%2e%2e", "%252e%252e"},
		{"question mark", "a?b=c", "a%3Fb=c"},
		{"fragment", "a#b", "a%23b"},
		{"semicolon", "..;x", "..%3Bx"},
		{"umlaut", "Größe", "Gr%C3%B6%C3%9Fe"},
		{"three dots", "...", "..."},
		{"colon", "http:x", "http:x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rec := &recorder{}
			_, err := newClient(t, rec).GetRecord(t.Context(), rest.Segment(tc.value), "5", nil)
			require.ErrorIs(t, err, errSent)
			assert.Equal(t, "/api/v1/models/"+tc.want+"/5", rec.sent[0].URL.EscapedPath())
			assert.Equal(t, "/api/v1/models/"+tc.value+"/5", rec.sent[0].URL.Path)
		})
	}
}

func TestQueryIsEncoded(t *testing.T) {
	t.Parallel()
	rec := &recorder{}
	filter, expand, top := "Name eq 'a+b & c'", "C_OrderLine($orderby=Line;$top=2)", 5
	_, err := newClient(t, rec).QueryRecords(t.Context(), "C_Order", &rest.QueryRecordsParams{Filter: &filter, Expand: &expand, Top: &top})
	require.ErrorIs(t, err, errSent)
	q := rec.sent[0].URL.Query()
	assert.Equal(t, filter, q.Get("$filter"))
	assert.Equal(t, expand, q.Get("$expand"))
	assert.Equal(t, "5", q.Get("$top"))
	assert.NotContains(t, rec.sent[0].URL.RawQuery, ";")
}

// canned is a doer with one response.
type canned struct {
	status int
	kind   string
	body   string
}

func (c canned) Do(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: c.status, Status: fmt.Sprint(c.status), Request: req,
		Header: http.Header{"Content-Type": {c.kind}},
		Body:   io.NopCloser(bytes.NewReader([]byte(c.body))),
	}, nil
}

// Wire texts are those of the server's reference.
func TestDecoding(t *testing.T) {
	t.Parallel()
	t.Run("record keeps digits", func(t *testing.T) {
		t.Parallel()
		r, err := newClient(t, canned{200, "application/json", `{"id":1000004,"uid":"5b0c","Amt":12.50,"Big":9007199254740993,"C_BPartner_ID":{"propertyLabel":"Business Partner","id":118,"identifier":"Joe Block","model-name":"c_bpartner"},"DocStatus":{"id":"CO"},"model-name":"c_order"}`}).
			GetRecordWithResponse(t.Context(), "C_Order", "1000004", nil)
		require.NoError(t, err)
		assert.Equal(t, 1000004, *r.JSON200.Id)
		assert.Equal(t, "12.50", string(r.JSON200.AdditionalProperties["Amt"]))
		assert.Equal(t, "9007199254740993", string(r.JSON200.AdditionalProperties["Big"]))
	})
	t.Run("error of the plugin", func(t *testing.T) {
		t.Parallel()
		r, err := newClient(t, canned{400, "application/json", `{"title":null,"status":400,"detail":"Colour is not a valid column of table M_Product"}`}).
			GetRecordWithResponse(t.Context(), "M_Product", "5", nil)
		require.NoError(t, err)
		e, err := r.JSON400.AsErrorResponse()
		require.NoError(t, err)
		assert.Nil(t, e.Title)
		assert.Equal(t, "Colour is not a valid column of table M_Product", *e.Detail)
	})
	t.Run("container page with a text as status", func(t *testing.T) {
		t.Parallel()
		r, err := newClient(t, canned{404, "application/json", `{"url":"/api/v1/x","status":"404","message":"Not Found","servlet":"x"}`}).
			GetRecordWithResponse(t.Context(), "M_Product", "5", nil)
		require.NoError(t, err)
		e, err := r.JSON404.AsContainerError()
		require.NoError(t, err)
		assert.Equal(t, "404", e.Status)
	})
	t.Run("HTML and empty pages", func(t *testing.T) {
		t.Parallel()
		for _, a := range []canned{{500, "text/html", "<html>"}, {401, "", ""}} {
			r, err := newClient(t, a).GetRecordWithResponse(t.Context(), "M_Product", "5", nil)
			require.NoError(t, err)
			assert.Equal(t, a.status, r.StatusCode())
			assert.Equal(t, a.body, string(r.Body))
			assert.Nil(t, r.JSON200)
		}
	})
	t.Run("undeclared error status", func(t *testing.T) {
		t.Parallel()
		r, err := newClient(t, canned{429, "application/json", `{"status":"429"}`}).GetRecordWithResponse(t.Context(), "M_Product", "5", nil)
		require.NoError(t, err)
		require.NotNil(t, r.JSONDefault)
	})
	t.Run("floats and null in a batch", func(t *testing.T) {
		t.Parallel()
		r, err := newClient(t, canned{200, "application/json", `[{"status":"Created","statusCode":201,"body":{"id":1.0000004E7}},{"status":"OK","statusCode":200,"body":null}]`}).
			RunBatchWithResponse(t.Context(), nil, rest.RunBatchJSONRequestBody{{Method: "POST", Path: "v1/models/C_X"}})
		require.NoError(t, err)
		require.Len(t, *r.JSON200, 2)
		assert.JSONEq(t, `{"id":1.0000004E7}`, string(*(*r.JSON200)[0].Body))
	})
	t.Run("JSON file as attachment", func(t *testing.T) {
		t.Parallel()
		r, err := newClient(t, canned{200, "application/json", `[1,2]`}).DownloadAttachmentWithResponse(t.Context(), "C_Order", "5", "a.json", nil)
		require.NoError(t, err)
		assert.Equal(t, `[1,2]`, string(r.Body))
	})
	t.Run("chart", func(t *testing.T) {
		t.Parallel()
		r, err := newClient(t, canned{200, "application/json", `{"name":"Sales","displayLegend":true,"chartType":"PC","data":[{"key":"a","value":1.5}]}`}).
			GetChartDataWithResponse(t.Context(), "5", nil)
		require.NoError(t, err)
		pie, err := r.JSON200.AsPieChart()
		require.NoError(t, err)
		assert.Equal(t, "1.5", string(pie.Data[0].Value))
	})
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, base, want, err string }{
		{"plain", "https://erp.test", "https://erp.test/api/v1/", ""},
		{"slash", "https://erp.test/", "https://erp.test/api/v1/", ""},
		{"path of the API given", "https://erp.test/api/v1", "https://erp.test/api/v1/", ""},
		{"path of the API given with slash", "https://erp.test/api/v1/", "https://erp.test/api/v1/", ""},
		{"behind a proxy", "http://proxy:8080/acme", "http://proxy:8080/acme/api/v1/", ""},
		{"no scheme", "erp.test", "", "scheme"},
		{"other scheme", "ftp://erp.test", "", "scheme"},
		{"no host", "https://", "", "host"},
		{"credentials", "https://ann:s3cret@erp.test", "", "credentials"},
		{"query", "https://erp.test?token=s3cret", "", "query"},
		{"not an address", "https://ann:s3cret@erp test", "", "parsed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, err := rest.New(tc.base, &recorder{})
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				assert.NotContains(t, err.Error(), "s3cret")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, c.ClientInterface.(*rest.Client).Server)
		})
	}
	_, err := rest.New("https://erp.test", nil)
	assert.ErrorContains(t, err, "no HTTP client")
}
