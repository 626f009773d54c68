package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/erphub/erphub/mcp"
)

// Every request is a span with the tool's name, a child of the client's, and
// holds nothing of requests or responses.
func TestTraces(t *testing.T) {
	t.Parallel()
	kept := tracetest.NewInMemoryExporter()
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) {
		o.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept))
	})
	for _, how := range []string{modernHTTP, legacyHTTP} {
		cs := in.connect(t, how, alice.token(t), nil)
		_, failed := call(t, cs, "echo", map[string]any{"text": "Kanarienvogel"})
		require.Nil(t, failed)
		_, failed = call(t, cs, "fail", nil)
		require.NotNil(t, failed)
		_, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "Kanarienvogel"})
		require.Error(t, err)
	}
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(initialize), accepting(alice.token(t), "Traceparent", parent))
	require.Equal(t, http.StatusOK, res.StatusCode)
	_ = text(t, res)

	names := map[string]int{}
	for _, span := range kept.GetSpans() {
		names[span.Name]++
		switch span.Name {
		case "tools/call fail":
			assert.Equal(t, codes.Error, span.Status.Code)
		case "tools/call echo":
			assert.Equal(t, codes.Unset, span.Status.Code)
		}
		if span.Parent.IsValid() {
			names["child"]++
			assert.Equal(t, "0af7651916cd43dd8448eb211c80319c", span.SpanContext.TraceID().String())
			assert.Equal(t, "b7ad6b7169203331", span.Parent.SpanID().String())
		}
		assert.NotContains(t, fmt.Sprintf("%+v", span), "Kanarienvogel")
	}
	assert.Equal(t, 2, names["tools/call echo"])
	assert.Equal(t, 2, names["tools/call fail"])
	assert.Equal(t, 2, names["tools/call"], "a tool that does not exist has no name here")
	assert.Equal(t, 1, names["child"])
}
