package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// RESTOptions change [NewREST]. Nil and the zero value are the defaults.
type RESTOptions struct {
	// Own is the program's own login, for callers that bring no token; nil
	// refuses them.
	Own erp.TokenSource
	// Transport carries the requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
	// Client adds options to the connection, such as time-outs; token source and
	// transport are not among them.
	Client []erp.Option
	// Patience is the time the ERP may be silent before it is sent a request for a sign of
	// life, and the time it may take to give one; 0 means 4 s. A request that takes
	// longer goes on as long as the ERP responds to others.
	Patience time.Duration
	// Registry keeps the dictionaries.
	Registry RegistryOptions
	Logger   *slog.Logger // nil is silent
}

// RESTBackend reaches an ERP through its REST API, as the caller: a call sends
// the token of the caller it is made for, and no other.
type RESTBackend struct {
	client     *erp.Client
	own        erp.TokenSource
	accepted   *tokens.Verifier // what the ERP thinks of the program's own token
	life       *lifeline
	tokens     callerTokens
	registries *registries
	views      views
}

var (
	_ Pinger    = (*RESTBackend)(nil)
	_ Registrar = (*RESTBackend)(nil)
	_ Refresher = (*RESTBackend)(nil)
	_ Recorder  = (*RESTBackend)(nil)
	_ Writer    = (*RESTBackend)(nil)
	_ Processor = (*RESTBackend)(nil)
	_ Jobber    = (*RESTBackend)(nil)
	_ Connector = (*RESTBackend)(nil)

	_ Identifier = (*RESTBackend)(nil)
)

// NewREST makes a backend over the ERP at an address. It sends nothing.
func NewREST(address string, opts *RESTOptions) (*RESTBackend, error) {
	o := *cmp.Or(opts, &RESTOptions{})
	b := &RESTBackend{own: o.Own, life: newLifeline(strings.TrimRight(address, "/")+"/api/v1/health", o.Transport, o.Patience, o.Logger)}
	b.tokens = callerTokens{own: o.Own, life: b.life, none: errNoToken}
	options := slices.Concat([]erp.Option{erp.WithLogger(o.Logger)}, o.Client,
		[]erp.Option{erp.WithTransport(mcp.Transport(identifying{b.life})), erp.WithTokenSource(b.tokens)})
	client, err := erp.New(address, options...)
	if err != nil {
		return nil, err
	}
	b.client = client
	b.accepted, err = tokens.NewIntrospectionVerifier(b.client.BaseURL(), tokens.ERPAlone(), tokens.VerifierHTTPClient(&http.Client{Transport: b.life}), tokens.VerifierLogger(o.Logger))
	if err != nil {
		return nil, err
	}
	b.registries = newRegistries(func(k *kept) registry.Source {
		return restdict.NewSource(client, &restdict.SourceOptions{Retry: k.retry, Progress: k.progressed, Logger: o.Logger})
	}, &o.Registry, o.Logger)
	b.registries.origin = b.Address()
	return b, nil
}

// callerKey finds the caller in the context of a call.
type callerKey struct{}

// callerTokens gives each request the token of the caller it is made for. It is a
// source of tokens for the ERP and for the AI API.
type callerTokens struct {
	own  erp.TokenSource // nil: callers without a token are refused
	life *lifeline
	none error // how they are
	// provided refuses callers with a token of an OpenID provider; nil: they are let in.
	provided error
}

var (
	_ erp.TokenInvalidator      = callerTokens{}
	_ aiclient.TokenInvalidator = callerTokens{}
)

var errNoToken = &mcp.Error{
	Code: mcp.CodeUnauthorized, Message: "the call has no bearer token for the ERP",
	Hint: "connect with an Authorization header, or give the server a login of its own (ERP_TOKEN, or ERP_USERNAME and ERP_PASSWORD)",
}

// Token is part of [erp.TokenSource].
func (t callerTokens) Token(ctx context.Context) (string, error) {
	c := callerOf(ctx)
	if c.Identity != nil && t.provided != nil {
		return "", t.provided
	}
	if token := c.Token.Reveal(); token != "" {
		return token, nil
	}
	if t.own == nil {
		return "", t.none
	}
	return t.life.token(ctx, t.own)
}

// Invalidate is part of [erp.TokenInvalidator]. A caller's own token cannot be
// replaced here: the caller has to bring another.
func (t callerTokens) Invalidate(ctx context.Context, token string) error {
	if own, ok := t.own.(erp.TokenInvalidator); ok && callerOf(ctx).Token.Reveal() == "" {
		return own.Invalidate(ctx, token)
	}
	return nil
}

// as is the context of calls for a caller.
func (b *RESTBackend) as(ctx context.Context, caller mcp.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// Name is rest.
func (b *RESTBackend) Name() Name { return REST }

// Address is the ERP's, without /api/v1.
func (b *RESTBackend) Address() string { return b.client.BaseURL() }

// Close ends the reading of dictionaries and closes idle connections.
func (b *RESTBackend) Close() {
	b.registries.close()
	b.client.CloseIdleConnections()
}

// Connect gives the connection; see [Connector].
func (b *RESTBackend) Connect(ctx context.Context, caller mcp.Caller) (context.Context, *erp.Client, error) {
	return b.as(ctx, caller), b.client, nil
}

// Identity reads the token; see [Identifier]. One of an OpenID provider names no
// records of the ERP.
func (b *RESTBackend) Identity(ctx context.Context, caller mcp.Caller) (tokens.Claims, error) {
	if id := caller.Identity; id != nil {
		return tokens.Claims{
			ClientID: caller.ClientID, UserID: caller.UserID, RoleID: caller.RoleID, OrgID: caller.OrgID, Language: id.Language, Complete: caller.Known,
		}, nil
	}
	token, err := b.tokens.Token(b.as(ctx, caller))
	if err != nil {
		return tokens.Claims{}, err
	}
	return tokens.UnverifiedClaims(token)
}

// Ping checks whether the ERP responds; see [Pinger].
func (b *RESTBackend) Ping(ctx context.Context) error { return b.life.ping(ctx) }

// Warm reads the dictionary of the program's own login before a call needs it, as
// a call would. Without a login of its own it checks whether the ERP responds.
func (b *RESTBackend) Warm(ctx context.Context) error {
	if b.own == nil {
		return b.Ping(ctx)
	}
	_, err := b.Registry(ctx, mcp.Caller{})
	return err
}

// Check requests one record every role may read: the tenant that the token acts
// in. Roles of a tenant read that of System, too, which comes first.
func (b *RESTBackend) Check(ctx context.Context, caller mcp.Caller) (string, error) {
	ctx = b.as(ctx, caller)
	token, err := b.tokens.Token(ctx)
	if err != nil {
		return "", err
	}
	q := &erp.Query{Top: 1, Select: []string{"Name"}}
	if claims, err := tokens.UnverifiedClaims(token); err == nil && claims.Complete {
		q.Filter = erp.Eq("AD_Client_ID", claims.ClientID)
	} else if caller.Known && caller.Identity != nil {
		q.Filter = erp.Eq("AD_Client_ID", caller.ClientID)
	}
	page, err := b.client.Query(ctx, "AD_Client", q)
	if err != nil {
		return "", err
	}
	if len(page.Records) == 0 {
		return "the REST API responds; the role sees no tenant", nil
	}
	name, _ := page.Records[0].Text("Name")
	return fmt.Sprintf("the REST API at %s responds; the token acts for tenant %s", b.client.BaseURL(), name), nil
}

// Registry is the dictionary as the caller's role sees it. It is read once for
// all callers of a role, apart from the calls that want it: a call that comes
// meanwhile fails after a while, with mcp.CodeLoading. While the ERP does not
// respond, what was read serves on; [StaleNote] tells.
func (b *RESTBackend) Registry(ctx context.Context, caller mcp.Caller) (registry.Registry, error) {
	return b.registries.get(ctx, caller, b.views.of(caller))
}

// Refresh checks whether the dictionary has changed.
func (b *RESTBackend) Refresh(ctx context.Context, caller mcp.Caller) error {
	return b.registries.refresh(ctx, caller, b.views.of(caller))
}

// Checked is the time when a dictionary was last read, or compared with the ERP's without
// an error, for any role; zero: none was. That happens when calls need it.
func (b *RESTBackend) Checked() time.Time { return b.registries.checked() }

// roleView begins the views of roles.
const roleView = "role "

// Search finds records.
func (b *RESTBackend) Search(ctx context.Context, caller mcp.Caller, s Search) (*Page, error) {
	q := &erp.Query{Select: s.Select, Top: s.Limit, Skip: s.Offset}
	if s.Filter != "" {
		q.Filter = erp.Raw(s.Filter)
	}
	for part := range strings.SplitSeq(s.OrderBy, ",") {
		if part = strings.TrimSpace(part); part != "" {
			q.OrderBy = append(q.OrderBy, part)
		}
	}
	page, err := b.client.Query(b.as(ctx, caller), s.Table, q)
	if err != nil {
		return nil, err
	}
	return &Page{Records: page.Records, Total: page.Rows, More: page.More()}, nil
}

// Record is one record by number or UUID.
func (b *RESTBackend) Record(ctx context.Context, caller mcp.Caller, table, id string) (erp.Record, error) {
	key, err := recordID(id)
	if err != nil {
		return erp.Record{}, err
	}
	return b.client.Get(b.as(ctx, caller), table, key, nil)
}

func recordID(id string) (erp.ID, error) {
	key, err := erp.ParseID(id)
	if err != nil {
		return key, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: err.Error(), Hint: "give the number of the record, or its UUID", Err: err}
	}
	return key, nil
}

// Create makes a record.
func (b *RESTBackend) Create(ctx context.Context, caller mcp.Caller, table string, values map[string]any) (erp.Record, error) {
	return b.client.Create(b.as(ctx, caller), table, values)
}

// Update changes columns of a record.
func (b *RESTBackend) Update(ctx context.Context, caller mcp.Caller, table, id string, values map[string]any) (erp.Record, error) {
	key, err := recordID(id)
	if err != nil {
		return erp.Record{}, err
	}
	return b.client.Update(b.as(ctx, caller), table, key, values)
}

// RunProcess runs a process and waits for it. Parameters it does not have are
// refused before anything runs.
func (b *RESTBackend) RunProcess(ctx context.Context, caller mcp.Caller, run Run) (*erp.ProcessResult, error) {
	ctx = b.as(ctx, caller)
	p, err := b.client.FindProcess(ctx, run.Process)
	if err != nil {
		return nil, err
	}
	if err := p.CheckParams(run.Params); err != nil {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: err.Error(), Hint: fmt.Sprintf("listProcesses with the argument process set to %q shows the parameters", p.Value), Err: err}
	}
	return b.client.RunProcess(ctx, p.Slug, &erp.ProcessParams{
		Values: run.Params, Table: run.Table, RecordID: run.RecordID, ReportType: run.Format,
		Timeout: -1, // the tool's own limit ends it
	})
}

// Jobs are the jobs of the ERP's server.
func (b *RESTBackend) Jobs(ctx context.Context, caller mcp.Caller) ([]Job, error) {
	list, err := b.client.ServerJobs(b.as(ctx, caller))
	if err != nil {
		return nil, err
	}
	return jobsOf(list), nil
}

func jobsOf(list []erp.ServerJob) []Job {
	jobs := make([]Job, len(list))
	for i, j := range list {
		jobs[i] = Job{ID: j.ID, Name: j.Name, Enabled: j.Started}
	}
	return jobs
}

// Job is one job, by id or name.
func (b *RESTBackend) Job(ctx context.Context, caller mcp.Caller, id string) (*Job, error) {
	j, err := b.client.FindServerJob(b.as(ctx, caller), id)
	return job(j, unknownJob(err))
}

// SetJob starts or stops a job.
func (b *RESTBackend) SetJob(ctx context.Context, caller mcp.Caller, id string, enabled bool) (*Job, error) {
	set := b.client.StopServerJob
	if enabled {
		set = b.client.StartServerJob
	}
	j, err := set(b.as(ctx, caller), id)
	return job(j, unknownJob(err))
}

func unknownJob(err error) error {
	var unknown *erp.UnknownServerJobError
	if errors.As(err, &unknown) {
		return &mcp.Error{Code: mcp.CodeNotFound, Message: err.Error(), Hint: "listServerJobs shows those there are", Err: err}
	}
	return err
}

func job(j *erp.ServerJob, err error) (*Job, error) {
	if j == nil {
		return nil, err
	}
	state := j.State()
	if j.Sleeping {
		state = "sleeping"
	}
	return &Job{
		ID: j.ID, Name: j.Name, Description: j.Description, Enabled: j.Started, State: state,
		LastRun: j.LastRun, NextRun: j.NextRun,
	}, err
}
