package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/pgcluster"
	"github.com/erphub/erphub/internal/pgmirror"
)

// autoPostgres has the sandbox start a PostgreSQL server of its own.
const autoPostgres = "auto"

// sandboxPostgresFlags say which PostgreSQL runs the statements of a sandbox.
func sandboxPostgresFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "postgres", Usage: "PostgreSQL database that keeps a copy of the tables and runs the SQL of the AI API; auto starts a private server of an installed PostgreSQL"},
		&cli.StringFlag{Name: "postgres-file", Usage: "file that holds the address of that database", TakesFile: true},
		&cli.StringFlag{Name: "postgres-reader", Usage: "the same database with a login that statements run with; it is given the privilege to select from the copy; default: the one above"},
		&cli.StringFlag{Name: "postgres-reader-file", Usage: "file that holds that address", TakesFile: true},
	}
}

// postgresOptions name the PostgreSQL of a sandbox.
type postgresOptions struct{ owner, reader string } // addresses; owner may be auto, and "" for none

func (a *app) postgresOptions(c *cli.Context) (o postgresOptions, err error) {
	if o.owner, err = a.GivenAddress(c, "postgres"); err != nil {
		return o, err
	}
	if o.reader, err = a.GivenAddress(c, "postgres-reader"); err != nil {
		return o, err
	}
	switch {
	case o.reader != "" && o.owner == "":
		return o, shell.Usagef("--postgres-reader is about the database of --postgres: name that, too")
	case o.reader != "" && o.owner == autoPostgres:
		return o, shell.Usagef("--postgres auto makes a login for statements itself: leave --postgres-reader out")
	}
	return o, nil
}

// sandboxPostgres is the PostgreSQL that runs the statements of a sandbox. Nil is
// none, for which the embedded database runs them.
type sandboxPostgres struct {
	mirror  *pgmirror.Mirror
	cluster *pgcluster.Cluster // nil: the server is somebody else's
	reader  string             // the address for statements
	note    string             // what could be better
}

// openSandboxPostgres copies a sandbox to PostgreSQL; without options it returns
// nil.
func openSandboxPostgres(ctx context.Context, srv *erptest.Server, o postgresOptions, log *slog.Logger) (p *sandboxPostgres, err error) {
	if o.owner == "" {
		return nil, nil
	}
	p = &sandboxPostgres{reader: o.reader}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	owner := o.owner
	switch {
	case owner == autoPostgres:
		if p.cluster, err = pgcluster.Start(ctx, nil); err != nil {
			return nil, fmt.Errorf("%w; or name the database of a running server with --postgres", err)
		}
		if p.reader, err = p.cluster.Reader(ctx, "erphub_query"); err != nil {
			return nil, err
		}
		owner = p.cluster.URL("postgres")
	case p.reader == "":
		p.reader = owner
		p.note = "statements run with the login that owns the copy; --postgres-reader names one that can only select"
	}
	var login string
	if p.reader != owner {
		config, err := pgx.ParseConfig(p.reader)
		if err != nil { // the driver's message contains parts of the address
			return nil, errors.New("the address of --postgres-reader cannot be understood; write postgres://user@host:port/database")
		}
		login = config.User
	}
	p.mirror, err = pgmirror.Open(ctx, srv, pgmirror.Options{
		URL: owner, Schema: postgres.DefaultSchema, Reader: login, Empty: []string{aiquery.AuditTableName}, Logger: log,
	})
	return p, err
}

// about says where statements run, for people.
func (p *sandboxPostgres) about() string {
	switch {
	case p == nil:
		return "the embedded database, which knows a part of PostgreSQL's SQL; --postgres auto starts an installed PostgreSQL for all of it"
	case p.cluster != nil:
		return "PostgreSQL " + p.mirror.Version() + ", a private server that ends with the sandbox"
	}
	return "PostgreSQL " + p.mirror.Version() + ", in the schema " + postgres.DefaultSchema + " of " + shell.Printable(p.mirror.String())
}

// kind is about in a word, for programs.
func (p *sandboxPostgres) kind() string {
	if p == nil {
		return "embedded"
	}
	return "postgresql"
}

// database is what runs statements and keeps the audit.
func (p *sandboxPostgres) database(ctx context.Context, srv *erptest.Server) (aiquery.Database, error) {
	own, err := embedded.Open(srv)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return own, nil
	}
	copied, err := postgres.Open(ctx, p.reader, nil)
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}
	return aiquery.Pair(copied, own, p.mirror.Enter), nil
}

// close ends what was started. The copy stays in a server of somebody else.
func (p *sandboxPostgres) close() error {
	var errs []error
	if p == nil {
		return nil
	}
	if p.mirror != nil {
		errs = append(errs, p.mirror.Close())
	}
	if p.cluster != nil {
		errs = append(errs, p.cluster.Close())
	}
	return errors.Join(errs...)
}
