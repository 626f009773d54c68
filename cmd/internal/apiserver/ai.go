package apiserver

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/cmd/internal/services"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/redisstate"
	"github.com/erphub/erphub/tokens"
)

// aiFlags are the settings of the AI API.
func aiFlags() []cli.Flag {
	return append(shell.DatabaseFlags(),
		&cli.StringFlag{Name: "database-file", Usage: "file that holds the address of the ERP's database", TakesFile: true},
		&cli.StringFlag{Name: "audit-database", Usage: "the same database with a login that writes the audit's table alone (ERP_AUDIT_DATABASE_URL); default: the one above"},
		&cli.StringFlag{Name: "audit-database-file", Usage: "file that holds that address", TakesFile: true},
		&cli.BoolFlag{Name: "install", Usage: "create the audit's table, and the rule about who may read it, where they are missing; the login needs the permission for that"},
		&cli.BoolFlag{Name: "audit-optional", Usage: "run queries even when their audit record cannot be written"},
		&cli.StringFlag{Name: "jwt-secret-file", Usage: "file with the ERP's token secret (" + shell.TokenSecretVariable + " holds one, too); without it tokens are checked with the key the ERP publishes, or by the ERP", TakesFile: true},
		&cli.StringFlag{Name: "jwt-issuer", Value: tokens.DefaultIssuer, Usage: "issuer that tokens must name"},
		&cli.StringSliceFlag{Name: "cors-origin", Usage: "web origin whose pages may call the AI API, such as https://app.example.com; repeatable; default: none"},
		&cli.IntFlag{Name: "requests-per-minute", Value: httpapi.DefaultPerMinute, Usage: "requests a user may make in a minute"},
		&cli.IntFlag{Name: "statements-per-minute", Value: httpapi.DefaultStatementsPerMinute, Usage: "how many of them may be statements"},
		&cli.Int64Flag{Name: "audit-mib-per-day", Value: aiquery.DefaultAuditBytes >> 20, Usage: "MiB of audit records that the statements of a user may fill in a day"},
		&cli.IntFlag{Name: "provider-id", Usage: "AIG_Provider_ID in audit records"},
		&cli.IntFlag{Name: "ai-user-id", Usage: "AD_User_ID that audit records name as the AI user; default: the user that is logged in"},
		&cli.DurationFlag{Name: "statement-timeout", Value: 10 * time.Second, Usage: "how long a statement may run"},
		&cli.StringSliceFlag{Name: "open-system-table", Usage: "table of the System level that other roles may read, too; repeatable"},
		&cli.StringSliceFlag{Name: "open-table", Usage: "table without AD_Client_ID or AD_Org_ID that may be read; repeatable"},
		&cli.StringSliceFlag{Name: "safe-view", Usage: "materialized view or foreign table that is safe to read as it is; repeatable"},
		&cli.StringSliceFlag{Name: "deny-table", Usage: "table that no role may read; repeatable"},
		&cli.StringSliceFlag{Name: "redact", Usage: "further column whose values are masked, such as IBAN or C_BP_BankAccount.IBAN; repeatable"},
		&cli.StringSliceFlag{Name: "allow-function", Usage: "function of the ERP's schema that you reviewed, and that reads no tables; repeatable"},
	)
}

// aiSettings are what the flags say before anything is opened.
type aiSettings struct {
	database, audit string
	verifier        httpapi.Verifier
	checks          string
}

// aiSettings reads what is needed before anything is opened; an empty database
// means that the AI API is not to be served. Tokens cannot be checked without
// the ERP's secret or the ERP, which is wrong usage.
func (a *app) aiSettings(c *cli.Context, s *shell.Setup, log *slog.Logger) (*aiSettings, error) {
	var o aiSettings
	var err error
	if o.database, err = a.Address(c, s, "database", "database.url"); err != nil {
		return nil, err
	}
	if o.audit, err = a.Address(c, s, "audit-database", "database.audit-url"); err != nil {
		return nil, err
	}
	if o.database == "" && s.Resolver.Lookup("url") == "" {
		return nil, shell.Usagef("there is nothing to serve: name the ERP's database with --database for the AI API, or the ERP with ERP_URL for the deployment board")
	}
	o.verifier, o.checks, err = a.aiVerifier(c, s, log)
	return &o, err
}

// aiVerifier checks the tokens of callers: with the ERP's secret, with the key
// the ERP publishes, or else by the ERP.
func (a *app) aiVerifier(c *cli.Context, s *shell.Setup, log *slog.Logger) (httpapi.Verifier, string, error) {
	opts := []tokens.VerifierOption{tokens.VerifierLogger(log), tokens.ExpectIssuer(c.String("jwt-issuer"))}
	secret := a.Getenv(shell.TokenSecretVariable)
	if file := c.String("jwt-secret-file"); file != "" {
		var err error
		if secret, err = shell.ReadSecretFile(file); err != nil {
			return nil, "", fmt.Errorf("reading the token secret: %w", err)
		}
		if secret == "" {
			return nil, "", fmt.Errorf("reading the token secret: the file %s is empty", file)
		}
	}
	if secret != "" {
		v, err := tokens.NewSecretVerifier([]byte(secret), opts...)
		if err != nil {
			return nil, "", shell.Usage(err)
		}
		return v, "tokens are checked with the ERP's secret, so that one which was revoked is good until it expires", nil
	}
	erp := s.Resolver.Lookup("url")
	if erp == "" {
		return nil, "", shell.Usagef("the tokens of callers cannot be checked: give --jwt-secret-file, or set ERP_URL so that the ERP can check them")
	}
	// That an ERP does not publish its key is no trouble, so it is not reported.
	key, err := tokens.NewJWKVerifier(erp, opts[1:]...)
	if err != nil {
		return nil, "", shell.Usage(err)
	}
	ask, err := tokens.NewIntrospectionVerifier(erp, opts...)
	if err != nil {
		return nil, "", shell.Usage(err)
	}
	return httpapi.FirstThatKnows(key, ask), "tokens are checked with the key the ERP publishes, or else by the ERP", nil
}

// openAI makes the AI API. It fails when queries could not be audited.
func (a *app) openAI(c *cli.Context, o *aiSettings, shared *redisstate.Store, metrics *httpserver.Metrics, log *slog.Logger) (_ *services.AI, err error) {
	ctx, schema := c.Context, a.Schema(c)
	s := &services.AI{Checks: o.checks}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(ctx))
		}
	}()
	db, err := postgres.Open(ctx, o.database, &postgres.Options{Schema: schema, AuditURL: o.audit})
	if err != nil {
		return nil, err
	}
	s.DB = db
	source, err := dbdict.Open(ctx, o.database, &dbdict.Options{Schema: schema})
	if err != nil {
		return nil, err
	}
	s.Source = source
	s.Cache = registry.NewCache(source, &registry.CacheOptions{FailOnMissing: true, Logger: log})
	if err := s.Cache.Load(ctx); err != nil {
		return nil, err
	}
	s.Engine, err = aiquery.New(s.DB, s.Cache, &aiquery.Options{
		StatementTimeout: c.Duration("statement-timeout"), RequestTimeout: c.Duration("statement-timeout") + 5*time.Second,
		SystemTables: c.StringSlice("open-system-table"), OpenTables: c.StringSlice("open-table"), SafeViews: c.StringSlice("safe-view"),
		DeniedTables: c.StringSlice("deny-table"), Redact: c.StringSlice("redact"), Functions: c.StringSlice("allow-function"),
		AuditOptional: c.Bool("audit-optional"), Logger: log,
		AuditBytes: c.Int64("audit-mib-per-day") << 20,
	})
	if err != nil {
		return nil, shell.Usage(err)
	}
	if s.Warnings, err = services.Audited(ctx, s.Engine, s.DB, c.Bool("install"), c.Bool("audit-optional")); err != nil {
		return nil, err
	}
	opts := &httpapi.Options{
		Logger: log, PerMinute: c.Int("requests-per-minute"), StatementsPerMinute: c.Int("statements-per-minute"), Origins: c.StringSlice("cors-origin"),
		ProviderID: c.Int("provider-id"), AIUserID: c.Int("ai-user-id"),
	}
	if shared != nil {
		opts.Limits, opts.Contexts = shared, shared.Contexts()
	}
	requests := metrics.Counter("ai_requests_total", "Requests of the AI API.", "operation", "code")
	seconds := metrics.Histogram("ai_request_duration_seconds", "Time to respond to requests of the AI API.", "operation")
	opts.Observe = func(operation, code string, took time.Duration) {
		requests.Add(1, operation, code)
		seconds.Observe(took.Seconds(), operation)
	}
	s.Handler, err = httpapi.New(s.Engine, o.verifier, opts)
	if err != nil {
		return nil, shell.Usage(err)
	}
	return s, nil
}
