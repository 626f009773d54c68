package apiserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/cmd/internal/redisstate"
	"github.com/erphub/erphub/cmd/internal/services"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/secretfile"
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
		&cli.StringFlag{Name: "jwt-secret-file", Usage: "file with the ERP's token secret (" + shell.TokenSecretVariable + " holds one, too); without it the ERP checks tokens, and knows those that were revoked", TakesFile: true},
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
	asksERP         bool // to check tokens
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
	err = a.setVerifier(&o, c, s, log)
	return &o, err
}

// verifyGrace is how long a token that the ERP accepted counts while the ERP cannot be
// reached.
const verifyGrace = 10 * time.Minute

// setVerifier chooses what checks the tokens of callers: the ERP's secret where the
// operator gives it, else the ERP, which alone knows what was revoked.
func (a *app) setVerifier(o *aiSettings, c *cli.Context, s *shell.Setup, log *slog.Logger) error {
	opts := []tokens.VerifierOption{tokens.VerifierLogger(log), tokens.ExpectIssuer(c.String("jwt-issuer"))}
	secret := a.Getenv(shell.TokenSecretVariable)
	if file := c.String("jwt-secret-file"); file != "" {
		var err error
		if secret, err = secretfile.ReadFile(file); err != nil {
			return fmt.Errorf("reading the token secret: %w", err)
		}
		if secret == "" {
			return fmt.Errorf("reading the token secret: the file %s is empty", file)
		}
	}
	if secret != "" {
		v, err := tokens.NewSecretVerifier([]byte(secret), opts...)
		if err != nil {
			return shell.Usage(err)
		}
		o.verifier, o.checks = v, "tokens are checked with the ERP's secret, so that one which was revoked is good until it expires"
		return nil
	}
	erp := s.Resolver.Lookup("url")
	if erp == "" {
		return shell.Usagef("the tokens of callers cannot be checked: give --jwt-secret-file, or set ERP_URL so that the ERP can check them")
	}
	v, err := tokens.NewIntrospectionVerifier(erp, append(opts, tokens.GraceFor(verifyGrace), tokens.VerifierHTTPClient(shell.AskingClient()))...)
	if err != nil {
		return shell.Usage(err)
	}
	o.verifier, o.checks, o.asksERP = v, "tokens are checked by the ERP", true
	return nil
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
	if s.Health, err = services.Audited(ctx, s.Engine, s.DB, c.Bool("install"), c.Bool("audit-optional")); err != nil {
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

// ruleInForce resets the caches of the ERP, which keeps the rules about rows that it
// has read: until then the one that [aiquery.AuditPlan] makes has no effect. It
// returns what to say of that.
func ruleInForce(ctx context.Context, client *erp.Client) string {
	const rule = "the ERP's rule about who may read " + aiquery.AuditTableName
	if client != nil {
		_, err := client.Call(ctx, http.MethodDelete, []string{"caches"}, nil, nil)
		if err == nil {
			return "The ERP's caches were reset, so that " + rule + " is in force.\n"
		}
		return fmt.Sprintf("warning: %s is in force once the ERP's caches are reset, and this login could not: %s; run `erphub cache reset-all` with one that may\n", rule, shell.Printable(err.Error()))
	}
	return "warning: " + rule + " is in force once the ERP's caches are reset: run `erphub cache reset-all`\n"
}
