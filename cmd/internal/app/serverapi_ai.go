package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

const (
	// watchDictionary is how often the dictionary is compared with the database's.
	watchDictionary = 30 * time.Second
	// lateRecords is how long the audit's last records may take to be written
	// when a server ends.
	lateRecords = 10 * time.Second
)

// aiFlags are the settings of the AI API.
func aiFlags() []cli.Flag {
	return append(databaseFlags(),
		&cli.StringFlag{Name: "database-file", Usage: "file that holds the address of the ERP's database", TakesFile: true},
		&cli.StringFlag{Name: "audit-database", Usage: "the same database with a login that writes the audit's table alone (ERP_AUDIT_DATABASE_URL); default: the one above"},
		&cli.StringFlag{Name: "audit-database-file", Usage: "file that holds that address", TakesFile: true},
		&cli.BoolFlag{Name: "install", Usage: "make the audit's table, and the rule who may read it, where they are missing, which takes a login that may"},
		&cli.BoolFlag{Name: "audit-optional", Usage: "answer queries whose audit record cannot be written"},
		&cli.StringFlag{Name: "jwt-secret-file", Usage: "file with the ERP's token secret (" + tokenSecretVariable + " holds one, too); without it the ERP's key, or the ERP itself, is asked", TakesFile: true},
		&cli.StringFlag{Name: "jwt-issuer", Value: tokens.DefaultIssuer, Usage: "issuer that tokens must name"},
		&cli.StringSliceFlag{Name: "cors-origin", Usage: "web origin whose pages may call the AI API, such as https://app.example.com; repeatable; default: none"},
		&cli.IntFlag{Name: "requests-per-minute", Value: httpapi.DefaultPerMinute, Usage: "requests a user may make in a minute"},
		&cli.IntFlag{Name: "statements-per-minute", Value: httpapi.DefaultStatementsPerMinute, Usage: "how many of them may be statements"},
		&cli.Int64Flag{Name: "audit-mib-per-day", Value: aiquery.DefaultAuditBytes >> 20, Usage: "MiB of audit records that the statements of a user may fill in a day"},
		&cli.IntFlag{Name: "provider-id", Usage: "AIG_Provider_ID in audit records"},
		&cli.IntFlag{Name: "ai-user-id", Usage: "AD_User_ID that audit records name as the AI user; default: who is logged in"},
		&cli.DurationFlag{Name: "statement-timeout", Value: 10 * time.Second, Usage: "how long a statement may run"},
		&cli.StringSliceFlag{Name: "open-system-table", Usage: "table of the System level that other roles may read, too; repeatable"},
		&cli.StringSliceFlag{Name: "open-table", Usage: "table without AD_Client_ID or AD_Org_ID that may be read; repeatable"},
		&cli.StringSliceFlag{Name: "safe-view", Usage: "materialized view or foreign table that you vouch for; repeatable"},
		&cli.StringSliceFlag{Name: "deny-table", Usage: "table that no role may read; repeatable"},
		&cli.StringSliceFlag{Name: "redact", Usage: "further column whose values are masked, such as IBAN or C_BP_BankAccount.IBAN; repeatable"},
		&cli.StringSliceFlag{Name: "allow-function", Usage: "function of the ERP's schema that you reviewed, and that reads no tables; repeatable"},
	)
}

// aiService is the AI API with all that must be closed after it.
type aiService struct {
	handler  *httpapi.Handler
	engine   *aiquery.Engine
	db       aiquery.Database
	source   interface{ Close() error }
	cache    *registry.Cache
	checks   string // how tokens are checked, for people
	warnings []string
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
func (a *app) aiSettings(c *cli.Context, s *setup, log *slog.Logger) (*aiSettings, error) {
	var o aiSettings
	var err error
	if o.database, err = a.address(c, s, "database", "database.url"); err != nil {
		return nil, err
	}
	if o.audit, err = a.address(c, s, "audit-database", "database.audit-url"); err != nil {
		return nil, err
	}
	if o.database == "" && s.resolver.Lookup("url") == "" {
		return nil, usagef("there is nothing to serve: name the ERP's database with --database for the AI API, or the ERP with ERP_URL for the deployment board")
	}
	o.verifier, o.checks, err = a.aiVerifier(c, s, log)
	return &o, err
}

// address is the address of a database, from a flag, a file, the environment or
// the configuration. It may hold a password.
func (a *app) address(c *cli.Context, s *setup, flag, key string) (string, error) {
	address, err := a.givenAddress(c, flag)
	if address == "" && err == nil {
		address = s.resolver.Lookup(key)
	}
	return address, err
}

// givenAddress is the address of a database from a flag or a file; empty: neither
// is given.
func (a *app) givenAddress(c *cli.Context, flag string) (string, error) {
	given, file := c.String(flag), c.String(flag+"-file")
	switch {
	case given != "" && file != "":
		return "", usagef("--%s and --%s-file both name a database; choose one", flag, flag)
	case file != "":
		address, err := readSecretFile(file)
		if err == nil && address == "" {
			err = errors.New("the file is empty")
		}
		if err != nil {
			return "", fmt.Errorf("reading the address of the database: %w", err)
		}
		return address, nil
	case given != "":
		if u, err := url.Parse(given); err == nil && u.User != nil {
			if _, has := u.User.Password(); has {
				a.note("--%s shows its password in process lists: put the address into a file for --%s-file, or the password into PGPASSFILE", flag, flag)
			}
		}
	}
	return given, nil
}

// aiVerifier checks the tokens of callers: with the ERP's secret, with the key
// the ERP publishes, or else by asking the ERP.
func (a *app) aiVerifier(c *cli.Context, s *setup, log *slog.Logger) (httpapi.Verifier, string, error) {
	opts := []tokens.VerifierOption{tokens.VerifierLogger(log), tokens.ExpectIssuer(c.String("jwt-issuer"))}
	secret := a.getenv(tokenSecretVariable)
	if file := c.String("jwt-secret-file"); file != "" {
		var err error
		if secret, err = readSecretFile(file); err != nil {
			return nil, "", fmt.Errorf("reading the token secret: %w", err)
		}
		if secret == "" {
			return nil, "", fmt.Errorf("reading the token secret: the file %s is empty", file)
		}
	}
	if secret != "" {
		v, err := tokens.NewSecretVerifier([]byte(secret), opts...)
		if err != nil {
			return nil, "", usageErr{err}
		}
		return v, "tokens are checked with the ERP's secret, so that one which was revoked is good until it expires", nil
	}
	erp := s.resolver.Lookup("url")
	if erp == "" {
		return nil, "", usagef("the tokens of callers cannot be checked: give --jwt-secret-file, or set ERP_URL so that the ERP can be asked")
	}
	// That an ERP does not publish its key is no trouble, so nobody hears of it.
	key, err := tokens.NewJWKVerifier(erp, opts[1:]...)
	if err != nil {
		return nil, "", usageErr{err}
	}
	ask, err := tokens.NewIntrospectionVerifier(erp, opts...)
	if err != nil {
		return nil, "", usageErr{err}
	}
	return httpapi.FirstThatKnows(key, ask), "tokens are checked with the key the ERP publishes, or else by asking the ERP", nil
}

// openAI makes the AI API. It fails when queries could not be audited.
func (a *app) openAI(c *cli.Context, o *aiSettings, metrics *httpserver.Metrics, log *slog.Logger) (_ *aiService, err error) {
	ctx, schema := c.Context, a.schema(c)
	s := &aiService{checks: o.checks}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(ctx))
		}
	}()
	db, err := postgres.Open(ctx, o.database, &postgres.Options{Schema: schema, AuditURL: o.audit})
	if err != nil {
		return nil, err
	}
	s.db = db
	source, err := dbdict.Open(ctx, o.database, &dbdict.Options{Schema: schema})
	if err != nil {
		return nil, err
	}
	s.source = source
	s.cache = registry.NewCache(source, &registry.CacheOptions{FailOnMissing: true, Logger: log})
	if err := s.cache.Load(ctx); err != nil {
		return nil, err
	}
	s.engine, err = aiquery.New(s.db, s.cache, &aiquery.Options{
		StatementTimeout: c.Duration("statement-timeout"), RequestTimeout: c.Duration("statement-timeout") + 5*time.Second,
		SystemTables: c.StringSlice("open-system-table"), OpenTables: c.StringSlice("open-table"), SafeViews: c.StringSlice("safe-view"),
		DeniedTables: c.StringSlice("deny-table"), Redact: c.StringSlice("redact"), Functions: c.StringSlice("allow-function"),
		AuditOptional: c.Bool("audit-optional"), Logger: log,
		AuditBytes: c.Int64("audit-mib-per-day") << 20,
	})
	if err != nil {
		return nil, usageErr{err}
	}
	if s.warnings, err = audited(ctx, s.engine, s.db, c.Bool("install"), c.Bool("audit-optional")); err != nil {
		return nil, err
	}
	requests := metrics.Counter("ai_requests_total", "Requests of the AI API.", "operation", "code")
	seconds := metrics.Histogram("ai_request_duration_seconds", "Time to answer requests of the AI API.", "operation")
	s.handler, err = httpapi.New(s.engine, o.verifier, &httpapi.Options{
		Logger: log, PerMinute: c.Int("requests-per-minute"), StatementsPerMinute: c.Int("statements-per-minute"), Origins: c.StringSlice("cors-origin"),
		ProviderID: c.Int("provider-id"), AIUserID: c.Int("ai-user-id"),
		Observe: func(operation, code string, took time.Duration) {
			requests.Add(1, operation, code)
			seconds.Observe(took.Seconds(), operation)
		},
	})
	if err != nil {
		return nil, usageErr{err}
	}
	return s, nil
}

// audited makes sure that queries can be audited, and makes the table for it
// when it may.
func audited(ctx context.Context, engine *aiquery.Engine, db aiquery.Database, install, optional bool) (warnings []string, err error) {
	h := engine.Health(ctx)
	if h.Database == "up" && install { // it may lack a part of a later version
		if err := aiquery.Install(ctx, db); err != nil {
			return nil, err
		}
		h = engine.Health(ctx)
	}
	switch {
	case h.Database != "up":
		return nil, fmt.Errorf("the database cannot be asked: %s", h.Database)
	case h.Audit != "up" && optional:
		return append(h.Warnings, "queries are not audited: "+h.Audit), nil
	case h.Audit != "up":
		return nil, fmt.Errorf("queries could not be audited, so the AI API is not served: %s; --install makes the table %s with a login that may",
			h.Audit, aiquery.AuditTableName)
	}
	return h.Warnings, nil
}

// watch keeps the dictionary as the database's until ctx ends.
func (s *aiService) watch(ctx context.Context) {
	_ = s.cache.Watch(ctx, watchDictionary) // it ends with the context, whose error says nothing new
}

// ready tells whether queries can be answered and audited.
func (s *aiService) ready(ctx context.Context) error {
	h, err := s.handler.Health(ctx)
	if err == nil && !h.OK {
		err = fmt.Errorf("the AI API cannot answer: the database is %s, the audit is %s", h.Database, h.Audit)
	}
	return err
}

// close writes the audit's last records and closes what was opened.
func (s *aiService) close(ctx context.Context) error {
	var errs []error
	if s.engine != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateRecords)
		defer cancel()
		errs = append(errs, s.engine.Close(ctx))
	}
	if s.source != nil {
		errs = append(errs, s.source.Close())
	}
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	return errors.Join(errs...)
}
