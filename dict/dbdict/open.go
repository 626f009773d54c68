package dbdict

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// maxConns bounds the connections that [Open] makes.
const maxConns = 4

// Open connects to a PostgreSQL database and makes a source of it, which the
// caller closes. The address is a URL (postgres://user:password@host/database)
// or a list of settings (host=... dbname=...); what it leaves out comes from
// the environment (PGHOST, PGPASSFILE and so on). No error shows it.
func Open(ctx context.Context, url string, opts *Options) (*Source, error) {
	db, origin, err := Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	var own Options
	if opts != nil {
		own = *opts
	}
	own.Origin = cmp.Or(own.Origin, origin)
	s, err := New(db, PostgreSQL, &own)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// Connect connects to a PostgreSQL database as [Open] does, for those who do
// more than read the dictionary. The origin names the database without user and
// password.
func Connect(ctx context.Context, url string) (db *sql.DB, origin string, err error) {
	if !strings.HasPrefix(url, "postgres://") && !strings.HasPrefix(url, "postgresql://") && !strings.Contains(url, "=") {
		return nil, "", errors.New("open the database of the ERP: the address is no PostgreSQL address; write postgres://user@host/database")
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The driver's message contains parts of the address.
		return nil, "", errors.New("open the database of the ERP: the address cannot be understood; write postgres://user@host:port/database " +
			"with special characters of the password escaped (%40 for @)")
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "erphub"
	}
	origin = "postgres://" + config.Host + ":" + port(config.Port) + "/" + config.Database
	db = stdlib.OpenDB(*config)
	db.SetMaxOpenConns(maxConns)
	if err := db.PingContext(ctx); err != nil {
		return nil, "", errors.Join(fmt.Errorf("connect to the database of the ERP (%s): %w", origin, clean(err)), db.Close())
	}
	return db, origin, nil
}

// clean takes the driver's account of how it tried to connect off an error: it
// names the user. What went wrong is behind it.
func clean(err error) error {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		if cause := connect.Unwrap(); cause != nil {
			return cause
		}
	}
	return err
}
