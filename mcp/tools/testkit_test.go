package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
	"github.com/erphub/erphub/tokens"
)

// mostTokens is what a result may have at most.
const mostTokens = 20_000

// lasting is a testing.TB whose cleanups run when all tests are over.
type lasting struct {
	testing.TB
	mu    sync.Mutex
	ended []func()
}

func (l *lasting) Cleanup(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = append(l.ended, f)
}

// Context outlives the test that happened to come first.
func (l *lasting) Context() context.Context { return context.Background() }

func (l *lasting) end() {
	for i := len(l.ended) - 1; i >= 0; i-- {
		l.ended[i]()
	}
}

// common are ERPs that tests share: one that nobody changes, and one for tests
// that change it and look only at what they made themselves.
var common, changing sharedKit

type sharedKit struct {
	once sync.Once
	tb   lasting
	kit  *kit
}

func (s *sharedKit) get(t *testing.T) *kit {
	t.Helper()
	s.once.Do(func() {
		s.tb.TB = t
		s.kit = start(&s.tb)
		_, err := s.kit.rest.Registry(t.Context(), s.kit.as(t, root)) // before tools are timed
		require.NoError(t, err)
	})
	require.NotNil(t, s.kit, "the shared ERP did not start")
	return s.kit
}

func TestMain(m *testing.M) {
	code := m.Run()
	common.tb.end()
	changing.tb.end()
	os.Exit(code)
}

// kit is an ERP and the tools that work with it.
type kit struct {
	srv  *erptest.Server
	rest *backend.RESTBackend
	set  mcp.Set

	mu      sync.Mutex
	callers map[string]mcp.Caller
}

// shared is the kit of all tests that only read.
func shared(t *testing.T) *kit { t.Helper(); return common.get(t) }

// workshop is the kit of tests that change things.
func workshop(t *testing.T) *kit { t.Helper(); return changing.get(t) }

// start makes a kit with an ERP of its own. Each change may change the options
// of the tools.
func start(tb testing.TB, changes ...func(*tools.Options)) *kit {
	tb.Helper()
	k := &kit{srv: erptest.New(tb), callers: map[string]mcp.Caller{}}
	require.NoError(tb, k.srv.SetConfig(context.Background(), "REST_MAX_RECORDS_SIZE", "5000")) // the dictionary is read often
	k.rest = overREST(tb, k.srv, backend.RESTOptions{})
	k.set = k.tools(tb, changes...)
	return k
}

// overREST is a backend over an ERP. All ERPs have the same address here, so that a
// backend begins with the dictionary that another one read for the role, and reads what
// is different in its own ERP.
func overREST(tb testing.TB, srv *erptest.Server, o backend.RESTOptions) *backend.RESTBackend {
	tb.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 16, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(srv.URL(), "http://"))
	}}
	o.Transport = transport
	o.Registry = backend.RegistryOptions{Fresh: time.Hour, Wait: 5 * time.Minute} // tools say when it changes
	if tb != &changing.tb {
		// The workshop's dictionary would be kept again at every change.
		o.Registry.Shared = &dictionaries
	}
	b, err := backend.NewREST("http://erp.test", &o)
	require.NoError(tb, err)
	tb.Cleanup(func() { b.Close(); transport.CloseIdleConnections() })
	return b
}

// firstFiles keeps what comes first under a key. Whoever else looks for it meanwhile
// waits.
type firstFiles struct{ kept sync.Map }

type firstFile struct {
	mcp.File
	once sync.Once
	here chan struct{}
}

func (f *firstFiles) KeepFile(_ context.Context, key, _ string, file mcp.File, _ time.Duration) error {
	if first, found := f.kept.Load(key); found {
		first := first.(*firstFile)
		first.once.Do(func() { first.File = file; close(first.here) })
	}
	return nil
}

func (f *firstFiles) FindFile(ctx context.Context, key, _ string) (file mcp.File, found bool, err error) {
	first, looked := f.kept.LoadOrStore(key, &firstFile{here: make(chan struct{})})
	if looked {
		select {
		case <-first.(*firstFile).here:
			return first.(*firstFile).File, true, nil
		case <-ctx.Done():
		case <-time.After(time.Minute): // the first one failed
		}
	}
	return mcp.File{}, false, nil
}

var dictionaries firstFiles

// tools are tools over the kit's ERP with other options.
func (k *kit) tools(tb testing.TB, changes ...func(*tools.Options)) mcp.Set {
	tb.Helper()
	pool, err := backend.NewPool("", k.rest)
	require.NoError(tb, err)
	o := tools.Options{Pool: pool}
	for _, change := range changes {
		change(&o)
	}
	set := tools.New(o).Tools()
	require.NoError(tb, set.Check())
	return set
}

// with is the same ERP with tools made with other options.
func (k *kit) with(tb testing.TB, changes ...func(*tools.Options)) *kit {
	tb.Helper()
	return &kit{srv: k.srv, rest: k.rest, set: k.tools(tb, changes...), callers: map[string]mcp.Caller{}}
}

// login is one who calls with a token of one's own.
type login struct {
	user              string
	client, role, org int64
}

var (
	root  = login{"SuperUser", 0, 0, 0}
	admin = login{"GardenAdmin", 11, 102, 11}
	user  = login{"GardenUser", 11, 103, 11}
)

// as is the caller of a log-in.
func (k *kit) as(tb testing.TB, who login) mcp.Caller {
	tb.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if c, ok := k.callers[who.user]; ok {
		return c
	}
	token, err := k.srv.APIToken(tb.Context(), who.user, who.client, who.role, who.org, 0)
	require.NoError(tb, err)
	c := mcp.Caller{ID: who.user, Token: tokens.NewSecret(token), ClientID: int(who.client), RoleID: int(who.role), OrgID: int(who.org), Known: true}
	k.callers[who.user] = c
	return c
}

// args are arguments of a call.
type args map[string]any

// invoke calls a tool as the boundary does, again while the dictionary is being read,
// as callers are told. The result fits the tool's schema and is short enough, or the
// test fails.
func (k *kit) invoke(tb testing.TB, c *mcp.Call, tool string, arguments any) (json.RawMessage, error) {
	tb.Helper()
	t, ok := k.set.Tool(tool)
	require.True(tb, ok, "there is no tool %s", tool)
	raw, err := json.Marshal(arguments)
	require.NoError(tb, err)
	c.Arguments = raw
	out, err := t.Invoke(tb.Context(), c)
	for err != nil && mcp.ErrorOf(err).Code == mcp.CodeLoading && tb.Context().Err() == nil {
		out, err = t.Invoke(tb.Context(), c)
	}
	if err != nil {
		return nil, err
	}
	require.NoError(tb, t.CheckOutput(out))
	encoded, err := mcp.Encode(out)
	require.NoError(tb, err)
	assert.LessOrEqual(tb, mcp.EstimateTokens(len(encoded)), mostTokens, "the result of %s is too long", tool)
	return encoded, nil
}

// willing is a user who agrees to everything.
func willing(context.Context, string) (bool, error) { return true, nil }

// response is the result of a call that must succeed.
func response[T any](tb testing.TB, k *kit, who login, tool string, arguments any) T {
	tb.Helper()
	raw, err := k.invoke(tb, &mcp.Call{Caller: k.as(tb, who), Confirm: willing}, tool, arguments)
	require.NoError(tb, err, "%s of %v", tool, arguments)
	return decoded[T](tb, raw)
}

// decoded is a result as the test looks at it.
func decoded[T any](tb testing.TB, raw json.RawMessage) T {
	tb.Helper()
	var out T
	require.NoError(tb, json.Unmarshal(raw, &out))
	return out
}

// decodedNumbers is the result of a statement whose numbers are as exact as they
// came.
func decodedNumbers(tb testing.TB, raw json.RawMessage) queryResponse {
	tb.Helper()
	var out queryResponse
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	require.NoError(tb, d.Decode(&out))
	return out
}

// refusal is the error of a call that must fail with the code.
func refusal(tb testing.TB, k *kit, who login, tool string, arguments any, code string) *mcp.Error {
	tb.Helper()
	raw, err := k.invoke(tb, &mcp.Call{Caller: k.as(tb, who), Confirm: willing}, tool, arguments)
	require.Error(tb, err, "%s of %v returns %s", tool, arguments, raw)
	var e *mcp.Error
	require.ErrorAs(tb, err, &e)
	require.Equal(tb, code, e.Code, "%s: %v", e.Message, e.Err)
	return e
}

// writes counts the requests to the ERP so far that could change something.
func (k *kit) writes() (n int) {
	for _, r := range k.srv.Faults().Requests() {
		if r.Method != http.MethodGet {
			n++
		}
	}
	return n
}
