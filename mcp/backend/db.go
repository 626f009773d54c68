package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/mcp"
)

// DBOptions change [OpenDB] and [NewDB]. Nil and the zero value are the
// defaults.
type DBOptions struct {
	// Postgres says how the database is used; only OpenDB reads it.
	Postgres postgres.Options
	// Engine are the bounds of statements and what they may read.
	Engine aiquery.Options
	// Registry keeps the dictionary.
	Registry RegistryOptions
	Logger   *slog.Logger // nil is silent
}

// DBBackend reads the ERP's database. Statements run with the permissions
// of the role, as the ERP's own permission tables say; who the caller is comes from
// a verified token alone, so callers that are not Known are refused. The
// dictionary is what the ERP shows to everybody.
type DBBackend struct {
	db         aiquery.Database
	source     registry.Source
	close      func() error // of the source; nil: it is the caller's
	engine     *aiquery.Engine
	registries *registries
}

var (
	_ Pinger    = (*DBBackend)(nil)
	_ Registrar = (*DBBackend)(nil)
	_ Refresher = (*DBBackend)(nil)
	_ Querier   = (*DBBackend)(nil)
	_ Describer = (*DBBackend)(nil)
)

// OpenDB connects to the ERP's PostgreSQL database; see [postgres.Open]
// for the address and the privileges its login needs. No error shows the address.
func OpenDB(ctx context.Context, url string, opts *DBOptions) (*DBBackend, error) {
	o := *cmp.Or(opts, &DBOptions{})
	db, err := postgres.Open(ctx, url, &o.Postgres)
	if err != nil {
		return nil, err
	}
	source, err := dbdict.Open(ctx, url, &dbdict.Options{Schema: o.Postgres.Schema})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	b, err := NewDB(db, source, &o)
	if err != nil {
		return nil, errors.Join(err, db.Close(), source.Close())
	}
	b.close = source.Close
	return b, nil
}

// NewDB makes a backend of a database, which it closes with itself, and a
// source of the dictionary in it, which stays the caller's.
func NewDB(db aiquery.Database, source registry.Source, opts *DBOptions) (*DBBackend, error) {
	o := *cmp.Or(opts, &DBOptions{})
	if o.Engine.Logger == nil {
		o.Engine.Logger = o.Logger
	}
	b := &DBBackend{db: db, source: source, registries: newRegistries(func(*kept) registry.Source { return source }, &o.Registry, o.Logger)}
	// Engine and tools look into the same dictionary. It is read by the first
	// call that needs it.
	engine, err := aiquery.New(db, b.registries.keep(""), &o.Engine)
	if err != nil {
		return nil, err
	}
	b.engine = engine
	return b, nil
}

// Name is db.
func (b *DBBackend) Name() Name { return DB }

// Close writes the audit records that are late, as long as ctx allows, and
// closes the database.
func (b *DBBackend) Close(ctx context.Context) error {
	b.registries.close()
	err := errors.Join(b.engine.Close(ctx), b.db.Close())
	if b.close != nil {
		err = errors.Join(err, b.close())
	}
	return err
}

var errNotKnown = &mcp.Error{
	Code: mcp.CodeUnauthorized, Message: "the database is read with the permissions of a user, and it is not known who calls",
	Hint: "connect with a bearer token of the ERP that the server can verify",
}

// who is the caller for the engine, once the dictionary is there.
func (b *DBBackend) who(ctx context.Context, caller mcp.Caller) (aiquery.Caller, error) {
	if !caller.Known {
		return aiquery.Caller{}, errNotKnown
	}
	if err := mcp.Spend(ctx, 1); err != nil {
		return aiquery.Caller{}, err
	}
	if _, err := b.Registry(ctx, caller); err != nil {
		return aiquery.Caller{}, err
	}
	return aiquery.Caller{UserID: caller.UserID, ClientID: caller.ClientID, Name: caller.ID}, nil
}

// Check looks at the database, the audit and the caller's role.
func (b *DBBackend) Check(ctx context.Context, caller mcp.Caller) (string, error) {
	who, err := b.who(ctx, caller)
	if err != nil {
		return "", err
	}
	health := b.engine.Health(ctx)
	if !health.OK {
		return "", &mcp.Error{
			Code: mcp.CodeUnreachable, Message: fmt.Sprintf("queries cannot be run: database %s, audit %s", health.Database, health.Audit),
			Hint: "tell the operator: the server's log has the details",
		}
	}
	roles, err := b.engine.Roles(ctx, who)
	if err != nil {
		return "", queryError(ctx, err)
	}
	text := fmt.Sprintf("%s responds", b.db)
	for _, r := range roles {
		if r.ID == caller.RoleID {
			text += " under role " + r.Name
		}
	}
	if len(health.Warnings) > 0 {
		text += "; warning: " + strings.Join(health.Warnings, "; ")
	}
	return text, nil
}

// Ping checks whether statements can be run; see [Pinger].
func (b *DBBackend) Ping(ctx context.Context) error {
	if h := b.engine.Health(ctx); !h.OK {
		return &mcp.Error{Code: mcp.CodeUnreachable, Message: fmt.Sprintf("queries cannot be run: database %s, audit %s", h.Database, h.Audit)}
	}
	return nil
}

// Warm reads the dictionary before a call needs it, as a call would.
func (b *DBBackend) Warm(ctx context.Context) error {
	_, err := b.dictionary(ctx, mcp.Caller{})
	return err
}

// Registry is the dictionary. A caller that is not known is refused here, too: a
// database is not a place to look at without a name.
func (b *DBBackend) Registry(ctx context.Context, caller mcp.Caller) (registry.Registry, error) {
	if !caller.Known {
		return nil, errNotKnown
	}
	return b.dictionary(ctx, caller)
}

// Checked is the time when the dictionary was last read, or compared with the database's
// without an error; zero: never. That happens when calls need it.
func (b *DBBackend) Checked() time.Time { return b.registries.checked() }

func (b *DBBackend) dictionary(ctx context.Context, caller mcp.Caller) (registry.Registry, error) {
	reg, err := b.registries.get(ctx, caller, "")
	var own *mcp.Error
	if err != nil && ctx.Err() == nil && !errors.As(err, &own) {
		return nil, &mcp.Error{Code: mcp.CodeUnreachable, Message: "the dictionary cannot be read from the database", Hint: "try again later; the server's log has the details", Err: err}
	}
	return reg, err
}

// Refresh checks whether the dictionary has changed, and forgets what is known
// about tables and permissions.
func (b *DBBackend) Refresh(ctx context.Context, caller mcp.Caller) error {
	err := b.registries.refresh(ctx, caller, "")
	b.engine.Invalidate()
	return err
}

func (b *DBBackend) request(caller mcp.Caller, q Query) aiquery.Request {
	role, _ := roleOf(caller, q.RoleID) // who makes sure that the caller is known
	return aiquery.Request{SQL: q.SQL, Params: q.Params, RoleID: role, MaxRows: q.MaxRows}
}

// Query runs a statement.
func (b *DBBackend) Query(ctx context.Context, caller mcp.Caller, q Query) (*api.Result, error) {
	who, err := b.who(ctx, caller)
	if err != nil {
		return nil, err
	}
	r, err := b.engine.Query(ctx, who, b.request(caller, q))
	return r, queryError(ctx, err)
}

// Explain tells how a statement would be run.
func (b *DBBackend) Explain(ctx context.Context, caller mcp.Caller, q Query) (*api.Explanation, error) {
	who, err := b.who(ctx, caller)
	if err != nil {
		return nil, err
	}
	e, err := b.engine.Explain(ctx, who, b.request(caller, q))
	return e, queryError(ctx, err)
}

// Describe describes a table.
func (b *DBBackend) Describe(ctx context.Context, caller mcp.Caller, role *int, table string) (*api.TableMetadata, error) {
	who, err := b.who(ctx, caller)
	if err != nil {
		return nil, err
	}
	id, _ := roleOf(caller, role)
	m, err := b.engine.TableMetadata(ctx, who, id, table)
	return m, queryError(ctx, err)
}
