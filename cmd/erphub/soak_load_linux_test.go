package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	erpconnect "github.com/erphub/erphub/erp/connect"
	"github.com/erphub/erphub/internal/testkit/aitest"
	"github.com/erphub/erphub/internal/testkit/testsoak"
	"github.com/erphub/erphub/tokens"
)

// anyReplica is an address that [turns] replaces.
const anyReplica = "http://replicas.test"

// turns sends requests to replicas in turn, and on to the next where nobody listens.
type turns struct {
	targets []*member
	turn    atomic.Int64
	http    *http.Transport
}

// RoundTrip asks one of the replicas.
func (b *turns) RoundTrip(r *http.Request) (res *http.Response, err error) {
	var body []byte
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	first := int(b.turn.Add(1))
	for i := range b.targets {
		var target *url.URL
		if target, err = url.Parse(b.targets[(first+i)%len(b.targets)].url); err != nil {
			return nil, err
		}
		again := r.Clone(r.Context())
		again.URL.Scheme, again.URL.Host, again.Host = target.Scheme, target.Host, target.Host
		if r.Body != nil {
			again.Body = io.NopCloser(bytes.NewReader(body))
		}
		var dial *net.OpError
		if res, err = b.http.RoundTrip(again); !errors.As(err, &dial) || dial.Op != "dial" {
			return res, err
		}
	}
	return nil, err
}

// load is what clients do, and what was acknowledged to them.
type load struct {
	fleet   *fleet
	api     *http.Client // any replica of server api
	mcp     *turns
	direct  *http.Client // one server
	system  *erp.Client  // the ERP, as its administrator
	garden  *erp.Client  // the ERP, as a user of the tenant
	sandbox *erp.Client
	token   tokens.Source // of the user at the ERP
	done    testsoak.Counts
	number  atomic.Int64
	pace    time.Duration // the shortest time from one thing that a client does to the next
	run     string        // makes names different from those of other runs
	sign    func(user int) string

	mu          sync.Mutex // guards what follows
	deployments map[string]string
	partners    map[string]string // by search key: the UUID
	statements  map[string]string // by the id of the request
	confirmed   map[string]*confirmation
	links       []link
}

// confirmation is a change that a user agreed to, by the search key it creates.
type confirmation struct {
	times        int // the user was asked and agreed
	acknowledged bool
}

// link is a download that lives for a minute.
type link struct {
	url     string
	expires time.Time
	size    int
}

func newLoad(t *testing.T, f *fleet, pace time.Duration) *load {
	t.Helper()
	transport := func() *http.Transport {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxIdleConnsPerHost = 20
		t.Cleanup(own.CloseIdleConnections)
		return own
	}
	login := func(env []string) *erp.Client {
		c, err := erpconnect.FromEnvironment(environment(env))
		require.NoError(t, err)
		return c
	}
	settings, err := tokens.FromEnvironment(environment(gardenAdmin(f.erp.url)))
	require.NoError(t, err)
	source, err := settings.Source(nil)
	require.NoError(t, err)
	return &load{
		fleet: f, pace: pace, token: source, sign: func(user int) string { return signed(t, user, aitest.Whole) },
		api:     &http.Client{Transport: &turns{targets: f.apis, http: transport()}, Timeout: time.Minute},
		mcp:     &turns{targets: f.mcps, http: transport()},
		direct:  &http.Client{Transport: transport(), Timeout: time.Minute},
		system:  login([]string{"ERP_URL=" + f.erp.url, "ERP_USERNAME=SuperUser", "ERP_PASSWORD=System"}),
		garden:  login(gardenAdmin(f.erp.url)),
		sandbox: login(gardenAdmin(f.sandbox.url)),
		run:     fmt.Sprintf("%d", time.Now().Unix()), deployments: map[string]string{}, partners: map[string]string{}, confirmed: map[string]*confirmation{}, statements: map[string]string{},
	}
}

// environment looks variables up in a list.
func environment(env []string) func(string) string {
	return func(name string) string {
		for _, kv := range env {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// worker is something that clients do again and again.
type worker struct {
	name string
	work func(context.Context, *load, *rand.Rand) error
	pace time.Duration // the shortest time from one to the next
}

func (l *load) workers() []worker {
	pace := l.pace
	return []worker{
		{"deployment", deployRun, pace}, {"record", create, pace}, {"plugin", plugin, pace}, {"plugin", plugin, pace}, {"download", download, pace},
		{"statement", ask, pace}, {"statement", ask, pace}, {"board", board, 2 * pace}, {"board stream", boardStream, 5 * pace},
		{"tools", tools("2025-11-25"), 2 * pace}, {"tools", tools("2026-07-28"), 2 * pace}, {"confirmation", confirm, 2 * pace},
		{"sandbox records", sandboxRecords, 2 * pace}, {"sandbox services", sandboxServices, 2 * pace}, {"hostile", nuisance, 2 * pace},
	}
}

// hasDoneAll reports whether each worker has done something, and a change was confirmed.
func (l *load) hasDoneAll() bool {
	for _, w := range l.workers() {
		if l.done.Of(w.name) == 0 {
			return false
		}
	}
	return l.done.Of("confirmed") > 0
}

// repeat works until the load ends.
func (l *load) repeat(ctx context.Context, random *rand.Rand, w worker) error {
	tick := time.NewTicker(w.pace)
	defer tick.Stop()
	for {
		if err := w.work(ctx, l, random); err != nil {
			return err
		}
		l.done.Add(w.name)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// errAway is a response that says that somebody behind is away.
var errAway = errors.New("somebody is away")

// away reports whether an error is one that passes when a killed server is back.
func away(err error) bool {
	for _, passes := range []error{errAway, erp.ErrUnreachable, erp.ErrUnavailable, erp.ErrTimeout, erp.ErrBadResponse, tokens.ErrUnreachable, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, passes) {
			return true
		}
	}
	var network *net.OpError
	return errors.As(err, &network)
}

// until does something until it succeeds, while somebody is away, for a minute.
func (l *load) until(ctx context.Context, do func() error) error {
	late := time.Now().Add(time.Minute)
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		err := do()
		if err == nil || !away(err) || time.Now().After(late) {
			tick.Stop()
			return err
		}
		l.done.Add("tried again")
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// name is one that nobody used before.
func (l *load) name(what string) string { return fmt.Sprintf("%s%s.n%d", what, l.run, l.number.Add(1)) }

// call sends a request with a token and a body of JSON, and returns the body of a
// response that is one of the expected.
func (l *load) call(ctx context.Context, client *http.Client, method, address, token, body string, header http.Header, expected ...int) (http.Header, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, nil, err
	}
	for _, status := range append(expected, http.StatusOK) {
		if res.StatusCode == status {
			return res.Header, text, nil
		}
	}
	err = fmt.Errorf("%s %s: %s: %.500s", method, req.URL.Path, res.Status, text)
	switch res.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		err = fmt.Errorf("%w: %w", errAway, err)
	}
	return nil, nil, err
}

// ask runs a statement, whose record in the audit has the id of its request. There are
// few different ones, so that the plans that are kept, which have a bound, are soon
// all there.
func ask(ctx context.Context, l *load, random *rand.Rand) error {
	mark, id := fmt.Sprintf("ask-%d-", random.IntN(300)), ""
	sql := fmt.Sprintf("SELECT '%s' AS mark, count(*) FROM %s", mark, []string{"c_order", "c_bpartner", "c_orderline"}[random.IntN(3)])
	err := l.until(ctx, func() error {
		header, body, err := l.call(ctx, l.api, http.MethodPost, anyReplica+"/api/ai/query", l.sign(aitest.User), statement(sql, aitest.Whole), nil)
		id = header.Get("X-Request-Id")
		if err == nil && !bytes.Contains(body, []byte(mark)) {
			err = fmt.Errorf("a response to another statement: %s", body)
		}
		return err
	})
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.statements[id] = sql
	}
	return err
}

// plugin generates one under a key, again, and downloads it.
func plugin(ctx context.Context, l *load, random *rand.Rand) error {
	id, user := l.name("com.example.x"), 1+random.IntN(500)
	header := http.Header{"Idempotency-Key": {l.name("key")}}
	generate := func(replayed bool) (found link, err error) {
		return found, l.until(ctx, func() error {
			h, body, err := l.call(ctx, l.api, http.MethodPost, anyReplica+"/api/generate/plugin", l.sign(user), fmt.Sprintf(`{"artifactId":%q,"output":"url"}`, id), header)
			if err != nil {
				return err
			}
			if replayed && h.Get("Idempotency-Replayed") == "" {
				return fmt.Errorf("%s was delivered twice", id)
			}
			var receipt struct {
				Link    string    `json:"download_url"`
				Expires time.Time `json:"expires_at"`
			}
			err = json.Unmarshal(body, &receipt)
			found.url, found.expires = receipt.Link, receipt.Expires
			return err
		})
	}
	first, err := generate(false)
	if err != nil {
		return err
	}
	second, err := generate(true)
	if err != nil {
		return err
	}
	if first != second {
		return fmt.Errorf("%s has two links", id)
	}
	content, err := l.fetch(ctx, first)
	if err != nil {
		return err
	}
	first.size = len(content)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.links = append(l.links, first); len(l.links) > 2000 {
		l.links = l.links[1000:]
	}
	return nil
}

// fetch downloads a plugin.
func (l *load) fetch(ctx context.Context, from link) (content []byte, err error) {
	return content, l.until(ctx, func() error {
		_, content, err = l.call(ctx, l.api, http.MethodGet, from.url, "", "", nil)
		if err == nil && !bytes.HasPrefix(content, []byte("PK")) {
			err = fmt.Errorf("%s is no archive", from.url)
		}
		return err
	})
}

// download gets one that was generated before, which is there as long as its link lives.
func download(ctx context.Context, l *load, random *rand.Rand) error {
	l.mu.Lock()
	var from link
	if len(l.links) > 0 {
		from = l.links[random.IntN(len(l.links))]
	}
	l.mu.Unlock()
	if time.Until(from.expires) < 5*time.Second {
		return nil
	}
	content, err := l.fetch(ctx, from)
	if err == nil && len(content) != from.size {
		err = fmt.Errorf("%s has %d bytes, and had %d", from.url, len(content), from.size)
	}
	if time.Now().After(from.expires) {
		return nil // it took that long
	}
	return err
}
