package toolserver

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/urfave/cli/v2"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/secretfile"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/erphub/erphub/tokens"
)

// verifier checks the tokens of clients, and says how; nil with --own-login.
func (a *app) verifier(c *cli.Context, s *shell.Setup, log *slog.Logger) (*tokens.Verifier, string, error) {
	file, jwk := c.String("jwt-secret-file"), c.Bool("jwt-key")
	grace, err := durationSetting(c, s, "verify-grace", keyVerifyGrace)
	if err != nil {
		return nil, "", err
	}
	opts := []tokens.VerifierOption{tokens.VerifierLogger(log), tokens.ExpectIssuer(c.String("jwt-issuer"))}
	if c.Bool("own-login") {
		if file != "" || jwk {
			return nil, "", shell.Usagef("with --own-login there are no tokens to check; leave out --jwt-secret-file and --jwt-key")
		}
		return nil, "It does not authenticate clients: whoever reaches it acts with the login of this program.", nil
	}
	if file != "" && jwk {
		return nil, "", shell.Usagef("--jwt-secret-file and --jwt-key are two ways to check tokens; choose one")
	}
	secret := ""
	if !jwk {
		secret = a.Getenv(shell.TokenSecretVariable)
	}
	if file != "" {
		var err error
		if secret, err = secretfile.ReadFile(file); err != nil {
			return nil, "", fmt.Errorf("reading the token secret: %w", err)
		}
	}
	if secret != "" {
		v, err := tokens.NewSecretVerifier([]byte(secret), opts...)
		if err != nil {
			return nil, "", shell.Usage(err)
		}
		return v, "Clients send their own token of the ERP, which is checked with its secret: one that was revoked is good until it expires.", nil
	}
	return a.verifierOfERP(c, s, grace, opts)
}

// verifierOfERP checks tokens with what the ERP says: the key that it publishes, or
// whether it takes them.
func (a *app) verifierOfERP(c *cli.Context, s *shell.Setup, grace time.Duration, opts []tokens.VerifierOption) (*tokens.Verifier, string, error) {
	url := s.Resolver.Lookup("url")
	if url == "" {
		return nil, "", shell.Usagef("the tokens of clients cannot be checked without an ERP: set ERP_URL or give --url, " +
			"or name the ERP's token secret with --jwt-secret-file")
	}
	opts = append(opts, tokens.VerifierHTTPClient(shell.AskingClient()))
	if c.Bool("jwt-key") {
		if c.IsSet("verify-grace") {
			opts = append(opts, tokens.GraceFor(grace)) // an hour otherwise
		}
		v, err := tokens.NewJWKVerifier(url, opts...)
		if err != nil {
			return nil, "", shell.Usage(err)
		}
		return v, "Clients send their own token of the ERP, which is checked with the key the ERP publishes.", nil
	}
	v, err := tokens.NewIntrospectionVerifier(url, append(opts, tokens.GraceFor(grace))...)
	if err != nil {
		return nil, "", shell.Usage(err)
	}
	return v, fmt.Sprintf("Clients send their own token of the ERP, which the ERP checks: %s.", shell.Printable(url)), nil
}

// asksERP reports whether the ERP checks the tokens of clients.
func (a *app) asksERP(c *cli.Context) bool {
	return !c.Bool("own-login") && !c.Bool("jwt-key") && c.String("jwt-secret-file") == "" && a.Getenv(shell.TokenSecretVariable) == ""
}

// traceFlush is how long the last spans may take to be sent.
const traceFlush = 3 * time.Second

// tracing sends spans where OTEL_EXPORTER_OTLP_ENDPOINT, or its form for
// traces, says; without one there are none. Headers, compression and
// certificates are taken from the variables the exporter reads itself.
func tracing(ctx context.Context, getenv func(string) string, log *slog.Logger) (trace.TracerProvider, func(), error) {
	if getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" ||
		getenv("OTEL_SDK_DISABLED") == "true" || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, func() {}, nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces could not be sent", "error", err) }))
	exporter, err := otlptracehttp.New(ctx)
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
