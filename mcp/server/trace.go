package server

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/erphub/erphub/internal/tracecontext"
)

// tracerName is the name of the instrumentation in spans.
const tracerName = "github.com/erphub/erphub/mcp/server"

// trace begins the span of a request, "tools/call NAME" for a tool, as a child
// of the client's if it sent one. It holds names only, never arguments.
func (s *Server) trace(ctx context.Context, method string, req sdk.Request) (context.Context, func(failed bool)) {
	if extra := req.GetExtra(); extra != nil && extra.Header != nil {
		// A session's requests do not have the context of their HTTP requests.
		ctx = tracecontext.From(ctx, extra.Header)
	}
	if s.opts.Tracer == nil {
		return ctx, func(bool) {}
	}
	if extra := req.GetExtra(); extra != nil && extra.Header != nil {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(extra.Header))
	}
	name := knownMethod(method)
	attributes := []attribute.KeyValue{attribute.String("rpc.system", "jsonrpc"), attribute.String("rpc.method", name)}
	switch r := req.(type) {
	case *sdk.CallToolRequest:
		if _, ok := s.opts.Catalog.Tools.Tool(r.Params.Name); ok {
			name += " " + r.Params.Name
			attributes = append(attributes, attribute.String("mcp.tool", r.Params.Name))
		}
	case *sdk.GetPromptRequest:
		attributes = append(attributes, attribute.Bool("mcp.prompt", true))
	}
	ctx, span := s.opts.Tracer.Tracer(tracerName).Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...))
	if sc := span.SpanContext(); sc.IsValid() {
		ctx = tracecontext.With(ctx, sc.TraceID().String(), sc.SpanID().String(), sc.TraceFlags().String(), sc.TraceState().String())
	}
	return ctx, func(failed bool) {
		if failed {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}
