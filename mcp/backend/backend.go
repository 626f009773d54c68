package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// Name is the name of a backend, as BACKEND and --backend spell it.
type Name string

// The backends, in the order in which they are tried.
const (
	REST Name = "rest" // the ERP's REST API
	AI   Name = "ai"   // the AI API
	DB   Name = "db"   // the ERP's database
	CLI  Name = "cli"  // the program erphub
)

// names are all backends, in the order in which they are tried.
func names() []Name { return []Name{REST, AI, DB, CLI} }

// ParseName reads a name, in any case.
func ParseName(text string) (Name, error) {
	n := Name(strings.ToLower(strings.TrimSpace(text)))
	if !slices.Contains(names(), n) {
		return "", fmt.Errorf("%q is not a backend: rest, ai, db or cli", text)
	}
	return n, nil
}

// Backend is one way to reach an ERP. What it can do beyond that are the
// interfaces below it implements. It is safe for concurrent use.
type Backend interface {
	Name() Name
	// Check tests whether the other side works for this caller. The text says
	// what responded; the error, why nothing can be done.
	Check(ctx context.Context, caller mcp.Caller) (string, error)
}

// Optional is a Backend that may not be there: where it is not, it is not used,
// and not counted among those that are.
type Optional interface {
	// Present reports whether the other side is there, as far as is known. It does
	// not wait.
	Present() bool
}

// Pinger is a Backend that can check whether its other side responds at all,
// without anybody's login.
type Pinger interface {
	Ping(ctx context.Context) error
}

// Registrar knows the dictionary.
type Registrar interface {
	Registry(ctx context.Context, caller mcp.Caller) (registry.Registry, error)
}

// Refresher is a Registrar that keeps the dictionary and can look again.
type Refresher interface {
	Refresh(ctx context.Context, caller mcp.Caller) error
}

// Query is a statement to run.
type Query struct {
	SQL    string
	Params []json.RawMessage
	// RoleID is the role to query under; nil means the caller's.
	RoleID *int
	// MaxRows is by the rules of [aiquery.Request].
	MaxRows int
}

// Querier runs SQL under a role.
type Querier interface {
	Query(ctx context.Context, caller mcp.Caller, q Query) (*api.Result, error)
	Explain(ctx context.Context, caller mcp.Caller, q Query) (*api.Explanation, error)
}

// Search requests records of a table.
type Search struct {
	Table   string
	Filter  string   // $filter of the ERP's REST API; empty: all
	OrderBy string   // $orderby; empty: by the ERP
	Select  []string // columns; empty: all
	Limit   int      // most records, above 0
	Offset  int
}

// Page is a part of the records that were searched for.
type Page struct {
	Records []erp.Record
	// Total is the number of records over all pages; -1 if it is not known.
	Total int
	// More says that there are records after these, as far as anybody knows.
	More bool
}

// Recorder reads records with the caller's permissions.
type Recorder interface {
	Search(ctx context.Context, caller mcp.Caller, s Search) (*Page, error)
	Record(ctx context.Context, caller mcp.Caller, table, id string) (erp.Record, error)
}

// Writer makes and changes records with the caller's permissions.
type Writer interface {
	Create(ctx context.Context, caller mcp.Caller, table string, values map[string]any) (erp.Record, error)
	Update(ctx context.Context, caller mcp.Caller, table, id string, values map[string]any) (erp.Record, error)
}

// Run is a process to run.
type Run struct {
	// Process is a number, a search key or a slug.
	Process string
	Params  map[string]any
	// Table and RecordID are the record it works on; without one RecordID is 0.
	Table    string
	RecordID int64
	// Format is that of a report; empty: PDF.
	Format erp.ReportType
}

// Processor runs processes of the ERP.
type Processor interface {
	RunProcess(ctx context.Context, caller mcp.Caller, run Run) (*erp.ProcessResult, error)
}

// Job is a job of the ERP's server.
type Job struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Type        string `json:"type,omitempty" jsonschema:"what kind of job: scheduler, workflow, alert …"`
	Enabled     bool   `json:"enabled" jsonschema:"whether the job is started"`
	State       string `json:"state,omitempty"`
	LastRun     string `json:"lastRun,omitempty"`
	NextRun     string `json:"nextRun,omitempty"`
}

// Jobber looks after the jobs of the ERP's server.
type Jobber interface {
	Jobs(ctx context.Context, caller mcp.Caller) ([]Job, error)
	Job(ctx context.Context, caller mcp.Caller, id string) (*Job, error)
	// SetJob starts or stops a job and returns it as it is then.
	SetJob(ctx context.Context, caller mcp.Caller, id string, enabled bool) (*Job, error)
}

// Connector gives a connection to the ERP's REST API that acts as the caller. The
// caller is taken from the context: use the returned one for every call.
type Connector interface {
	Connect(ctx context.Context, caller mcp.Caller) (context.Context, *erp.Client, error)
}

// Identifier knows whom a caller acts for.
type Identifier interface {
	// Identity is what the caller's token says, or that of the program's own login
	// where the caller has none. It is not verified here.
	Identity(ctx context.Context, caller mcp.Caller) (tokens.Claims, error)
}

// Pool is the backends in use.
type Pool struct{ backends []Backend }

// NewPool orders backends: the chosen one first, then the others in the order
// of [Names]. An empty choice keeps that order. It fails when the chosen one is
// not among them, or one is there twice.
func NewPool(chosen Name, backends ...Backend) (*Pool, error) {
	if len(backends) == 0 {
		return nil, errors.New("no backend is configured: give the address of an ERP (ERP_URL), of an AI API (AI_API_URL) or of a database")
	}
	p := &Pool{backends: slices.Clone(backends)}
	place := func(b Backend) int {
		if b.Name() == chosen {
			return -1
		}
		return slices.Index(names(), b.Name())
	}
	slices.SortStableFunc(p.backends, func(a, b Backend) int { return place(a) - place(b) })
	for i, b := range p.backends[1:] {
		if b.Name() == p.backends[i].Name() {
			return nil, fmt.Errorf("backend %s is configured twice", b.Name())
		}
	}
	if chosen != "" && p.backends[0].Name() != chosen {
		return nil, fmt.Errorf("backend %s was chosen and is not configured", chosen)
	}
	return p, nil
}

// Backends are those in use now, in the order in which they are tried.
func (p *Pool) Backends() []Backend {
	return slices.DeleteFunc(slices.Clone(p.backends), func(b Backend) bool {
		o, ok := b.(Optional)
		return ok && !o.Present()
	})
}

// Can reports whether a backend in use implements T. A nil pool can do
// everything: it is there before anything is known about the ERP.
func Can[T any](p *Pool) bool {
	if p == nil {
		return true
	}
	_, ok := Find[T](p)
	return ok
}

// Find is the first backend in use that implements T.
func Find[T any](p *Pool) (T, bool) {
	for _, b := range p.Backends() {
		if t, ok := b.(T); ok {
			return t, true
		}
	}
	var none T
	return none, false
}

// Read lets the backends that implement T try in order, until one can be
// reached and can do the work. what names the work, such as "list tables". For
// work that changes something see [Change].
func Read[T, R any](ctx context.Context, p *Pool, what string, work func(context.Context, T) (R, error)) (R, Name, error) {
	return try(ctx, p, what, makesWay, work)
}

// Change is [Read] for work that must not be done twice: a backend that was
// lost on the way may have done it, so another is tried only when the request
// never reached it.
func Change[T, R any](ctx context.Context, p *Pool, what string, work func(context.Context, T) (R, error)) (R, Name, error) {
	if err := mcp.Changes(ctx); err != nil {
		var none R
		return none, "", err
	}
	return try(ctx, p, what, func(err error) bool {
		var lost *erp.ConnError
		return errors.Is(err, errors.ErrUnsupported) || errors.As(err, &lost) && !lost.Sent
	}, work)
}

func try[T, R any](ctx context.Context, p *Pool, what string, next func(error) bool, work func(context.Context, T) (R, error)) (R, Name, error) {
	var none R
	var away error
	backends := p.Backends()
	for _, b := range backends {
		t, ok := b.(T)
		if !ok {
			continue
		}
		r, err := work(ctx, t)
		switch {
		case err == nil:
			return r, b.Name(), nil
		case ctx.Err() != nil || !next(err):
			return none, b.Name(), err
		}
		if away == nil || !errors.Is(err, errors.ErrUnsupported) {
			away = err
		}
	}
	if away == nil {
		names := make([]string, len(backends))
		for i, b := range backends {
			names[i] = string(b.Name())
		}
		away = &mcp.Error{
			Code: mcp.CodeUnsupported, Message: fmt.Sprintf("no backend in use can %s; in use: %s", what, strings.Join(names, ", ")),
			Hint: "getBackendStatus tells what each can do", Err: errors.ErrUnsupported,
		}
	}
	return none, "", away
}

// makesWay reports whether the next backend may try: nothing was decided about
// the caller's permissions, and nothing has happened.
func makesWay(err error) bool {
	if errors.Is(err, errors.ErrUnsupported) {
		return true
	}
	var e *mcp.Error
	if errors.As(err, &e) {
		return e.Code == mcp.CodeUnreachable || e.Code == mcp.CodeLoading
	}
	return errors.Is(err, erp.ErrUnreachable) || errors.Is(err, tokens.ErrUnreachable)
}

// abilities are the names that getBackendStatus uses.
var abilities = []struct {
	name string
	has  func(Backend) bool
}{
	{"dictionary", func(b Backend) bool { _, ok := b.(Registrar); return ok }},
	{"query", func(b Backend) bool { _, ok := b.(Querier); return ok }},
	{"records", func(b Backend) bool { _, ok := b.(Recorder); return ok }},
	{"write", func(b Backend) bool { _, ok := b.(Writer); return ok }},
	{"processes", func(b Backend) bool { _, ok := b.(Processor); return ok }},
	{"jobs", func(b Backend) bool { _, ok := b.(Jobber); return ok }},
	{"tables and deployments", func(b Backend) bool { _, ok := b.(Connector); return ok }},
}

// Abilities returns the abilities of a backend, in words.
func Abilities(b Backend) []string {
	var can []string
	for _, a := range abilities {
		if a.has(b) {
			can = append(can, a.name)
		}
	}
	return can
}
