package toolserver

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// traceFlush is how long the last spans may take to be sent.
const traceFlush = 3 * time.Second

// tracing sends spans to the address in OTEL_EXPORTER_OTLP_ENDPOINT, or its form for
// traces; without one it sends none.
func tracing(ctx context.Context, getenv func(string) string, log *slog.Logger) (trace.TracerProvider, func(), error) {
	settings := collectorSettings(getenv)
	if settings.get("ENDPOINT") == "" || getenv("OTEL_SDK_DISABLED") == "true" || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, func() {}, nil
	}
	client, err := settings.client()
	if err != nil {
		return nil, nil, shell.Usage(fmt.Errorf("setting up traces: %w", err))
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces could not be sent", "error", err) }))
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, nil, fmt.Errorf("setting up traces: %w", err)
	}
	res, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "erphub-mcp"), attribute.String("service.version", shell.Version())),
		resource.WithFromEnv(), // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win
	)
	if err != nil {
		return nil, nil, shell.Usage(fmt.Errorf("setting up traces: %w", err))
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(res))
	return provider, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceFlush)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("the last traces were not sent", "error", err)
		}
	}, nil
}
