package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// deployRun records a run from its start to its end.
func deployRun(ctx context.Context, l *load, _ *rand.Rand) error {
	log, build := deploylog.New(l.system, nil), l.name("build")
	var run deploylog.Run
	step := func(do func() (deploylog.Run, error)) func() error {
		return func() (err error) {
			var next deploylog.Run
			if next, err = do(); err == nil {
				run = next
			}
			return err
		}
	}
	op := string(dict.NewUUID())
	for _, do := range []func() error{
		step(func() (deploylog.Run, error) {
			return log.Start(ctx, deploylog.NewRun{Environment: deploylog.Development, BuildNo: build, Version: build})
		}),
		step(func() (deploylog.Run, error) {
			return log.Update(ctx, erp.UUID(run.UUID), deploylog.Update{Status: deploylog.Deploying, Op: op})
		}),
		step(func() (deploylog.Run, error) {
			return log.Complete(ctx, erp.UUID(run.UUID), deploylog.Completion{Status: deploylog.Success})
		}),
	} {
		if err := l.until(ctx, do); err != nil {
			return fmt.Errorf("%s: %w", build, err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deployments[build] = run.UUID
	return nil
}

// create makes a record under a UUID of its own: a retry finds that it is there.
func create(ctx context.Context, l *load, _ *rand.Rand) error {
	key, uuid := l.name("partner"), string(dict.NewUUID())
	err := l.until(ctx, func() error {
		_, err := l.garden.Create(ctx, "C_BPartner", map[string]any{"C_BPartner_UU": uuid, "Value": key, "Name": key, "C_BP_Group_ID": 103})
		if errors.Is(err, erp.ErrExists) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partners[key] = uuid
	return nil
}

// board reads what the pages of the board read.
func board(ctx context.Context, l *load, _ *rand.Rand) error {
	for _, path := range []string{"/deployments", "/api/deployments", "/api/deployments/history?env=DEV"} {
		err := l.until(ctx, func() error {
			_, _, err := l.call(ctx, l.api, http.MethodGet, anyReplica+path, "", "", nil)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// boardStream follows the board for a moment, and goes away.
func boardStream(ctx context.Context, l *load, random *rand.Rand) error {
	inner, cancel := context.WithTimeout(ctx, time.Duration(random.Int64N(int64(2*time.Second))))
	defer cancel()
	_, _, err := l.call(inner, l.api, http.MethodGet, anyReplica+"/api/deployments/events", "", "", http.Header{"Accept": {"text/event-stream"}})
	if inner.Err() != nil || away(err) {
		return nil
	}
	return err
}

// bearerOf sends the user's token with each request.
type bearerOf struct {
	l    *load
	next http.RoundTripper
}

func (b bearerOf) RoundTrip(r *http.Request) (*http.Response, error) {
	token, err := b.l.token.Token(r.Context())
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return b.next.RoundTrip(r)
}

// session connects to any replica of the tool server. agree is called when the user is
// asked; nil: nobody is.
func (l *load) session(ctx context.Context, version string, next http.RoundTripper, agree func()) (*sdk.ClientSession, error) {
	var o sdk.ClientOptions
	if agree != nil {
		o.ElicitationHandler = func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			agree()
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}, nil
		}
	}
	return sdk.NewClient(&sdk.Implementation{Name: "soak", Version: "1"}, &o).Connect(ctx,
		&sdk.StreamableClientTransport{Endpoint: anyReplica + "/mcp", HTTPClient: &http.Client{Transport: bearerOf{l, next}}, MaxRetries: -1},
		&sdk.ClientSessionOptions{ProtocolVersion: version})
}

// errTool is a tool's response that it should not give.
var errTool = errors.New("the tool failed")

// tools connects, calls some tools and leaves. A call that fails since somebody is away is
// tried again; where the connection fails, with a new one.
func tools(version string) func(context.Context, *load, *rand.Rand) error {
	return func(ctx context.Context, l *load, random *rand.Rand) error {
		return l.until(ctx, func() error {
			cs, err := l.session(ctx, version, l.mcp, nil)
			if err != nil {
				return fmt.Errorf("%w: %w", errAway, err)
			}
			defer cs.Close()
			for range 5 {
				name, arguments, says := "describeTable", map[string]any{"table": "C_Order"}, "DocumentNo"
				if random.IntN(2) == 0 {
					name, arguments, says = "getRecord", map[string]any{"table": "C_BPartner", "id": 118}, "Joe Block"
				}
				err := l.until(ctx, func() error {
					text, failed, err := toolText(ctx, cs, name, arguments)
					switch {
					case err != nil:
						return err
					case failed && toolIsAway(text):
						return fmt.Errorf("%w: %s", errAway, text)
					case failed || !strings.Contains(text, says):
						return fmt.Errorf("%w: %s: %.500s", errTool, name, text)
					}
					return nil
				})
				switch {
				case errors.Is(err, errTool), errors.Is(err, errAway):
					return err
				case err != nil: // of the connection
					return fmt.Errorf("%w: %w", errAway, err)
				}
			}
			return nil
		})
	}
}

// toolIsAway reports whether a tool failed because the ERP, or Redis, is away, or because
// the server was started a moment ago.
func toolIsAway(text string) bool {
	for _, code := range []string{"unreachable", "unavailable", "timeout", "loading", "cannot be reached"} {
		if strings.Contains(text, code) {
			return true
		}
	}
	return false
}

// toolText calls a tool and returns all that it says.
func toolText(ctx context.Context, cs *sdk.ClientSession, tool string, arguments map[string]any) (text string, failed bool, err error) {
	res, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", false, err
	}
	raw, err := json.Marshal(res)
	return string(raw), res.IsError, err
}

// twice sends what carries the agreement of a user to all replicas at the same time.
// One does it and the others refuse it, or read the dictionary still; unless that one is
// killed.
type twice struct {
	l    *load
	next *turns
}

func (b twice) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		return b.next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_ = r.Body.Close()
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	if !bytes.Contains(body, []byte(`"inputResponses"`)) {
		return b.next.RoundTrip(r)
	}
	type response struct {
		*http.Response
		text []byte
		err  error
	}
	responses := make(chan response)
	for _, m := range b.next.targets {
		own := r.Clone(r.Context())
		own.Body = io.NopCloser(bytes.NewReader(body))
		go func() {
			var got response
			got.Response, got.err = (&turns{targets: []*member{m}, http: b.next.http}).RoundTrip(own)
			if got.err == nil {
				got.text, got.err = io.ReadAll(got.Response.Body)
				_ = got.Response.Body.Close()
			}
			responses <- got
		}()
	}
	done := func(text []byte) bool { return bytes.Contains(text, []byte(`"status":"written"`)) }
	refusal := func(text []byte) bool { return bytes.Contains(text, []byte("confirmation_required")) }
	var chosen response
	for i := range b.next.targets {
		got := <-responses
		if i == 0 || refusal(chosen.text) || !done(chosen.text) && !refusal(got.text) {
			chosen = got
		}
	}
	b.l.done.Add("agreement sent to both")
	if chosen.err != nil {
		return nil, chosen.err
	}
	chosen.Response.Body = io.NopCloser(bytes.NewReader(chosen.text))
	return chosen.Response, nil
}

// confirm has a tool create a record that the user agrees to.
func confirm(ctx context.Context, l *load, _ *rand.Rand) error {
	key := l.name("confirmed")
	c := new(confirmation)
	l.mu.Lock()
	l.confirmed[key] = c
	l.mu.Unlock()
	cs, err := l.session(ctx, "2026-07-28", twice{l, l.mcp}, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		c.times++
	})
	if err != nil {
		l.done.Add("confirmation without a connection")
		return nil
	}
	defer cs.Close()
	text, failed, err := toolText(ctx, cs, "writeRecords", map[string]any{"operations": []any{
		map[string]any{"op": "create", "table": "C_BPartner", "values": map[string]any{"Value": key, "Name": key, "C_BP_Group_ID": 103}},
	}})
	switch {
	case err == nil && !failed && strings.Contains(text, "written"):
		l.mu.Lock()
		defer l.mu.Unlock()
		c.acknowledged = true
		l.done.Add("confirmed")
	case err == nil && !failed, failed && !toolIsAway(text) && !strings.Contains(text, "unknown"):
		return fmt.Errorf("%s: %.600s", key, text)
	default:
		l.done.Add("confirmation without a result")
	}
	return nil
}

// sandboxRecords reads and changes a record of the sandbox.
func sandboxRecords(ctx context.Context, l *load, random *rand.Rand) error {
	for rec, err := range l.sandbox.Records(ctx, "C_BPartner", &erp.Query{Filter: erp.Eq("IsCustomer", true), Select: []string{"Value", "Name"}}) {
		if err != nil {
			return err
		}
		if name, _ := rec.Text("Name"); name == "" {
			return fmt.Errorf("a record without a name: %v", rec)
		}
	}
	text := fmt.Sprint("soak ", random.IntN(1000))
	if _, err := l.sandbox.Update(ctx, "C_BPartner", erp.IntID(118), map[string]any{"Description": text}); err != nil {
		return err
	}
	rec, err := l.sandbox.Get(ctx, "C_BPartner", erp.IntID(118), nil)
	if err != nil {
		return err
	}
	if got, _ := rec.Text("Description"); got != text {
		return fmt.Errorf("the description is %q, and was written as %q", got, text)
	}
	return nil
}

// sandboxServices uses the AI API and the generator of the sandbox.
func sandboxServices(ctx context.Context, l *load, random *rand.Rand) error {
	_, body, err := l.call(ctx, l.direct, http.MethodPost, l.fleet.sandbox.url+"/api/v1/auth/tokens", "",
		`{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":11,"roleId":102,"organizationId":11}}`, nil)
	if err != nil {
		return err
	}
	var login struct{ Token string }
	if err := json.Unmarshal(body, &login); err != nil {
		return err
	}
	for range 10 {
		path, sent := "/api/ai/query", statement("SELECT count(*) FROM c_order", 102)
		if random.IntN(4) == 0 {
			path, sent = "/api/generate/plugin", `{"artifactId":"com.example.demo","output":"archive"}`
		}
		// Its request limits are for one user.
		if _, _, err := l.call(ctx, l.direct, http.MethodPost, l.fleet.sandbox.url+path, login.Token, sent, nil, http.StatusTooManyRequests); err != nil {
			return err
		}
	}
	return nil
}

// nuisance sends what no client should, and gets no more than a refusal.
func nuisance(ctx context.Context, l *load, random *rand.Rand) error {
	servers := []string{l.fleet.apis[0].url, l.fleet.mcps[0].url, l.fleet.sandbox.url}
	paths := []string{"/api/ai/query", "/api/generate/plugin", "/mcp", "/api/v1/models/C_Order", "/api/artifacts/" + strings.Repeat("a", 64) + "/download", "/api/nothing/../ai", "/readyz"}
	bodies := []string{"", "{", `{"sql":7}`, strings.Repeat("[", 100_000), `{"artifactId":"../../etc"}`, `{"artifactId":"` + strings.Repeat("x", 3<<20) + `"}`, "\x00\xff"}
	address := servers[random.IntN(len(servers))] + paths[random.IntN(len(paths))]
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if random.IntN(4) == 0 {
		time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, cancel)
	}
	token := []string{"", "nonsense", l.sign(7), l.sign(7) + "x"}[random.IntN(4)]
	method := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}[random.IntN(4)]
	_, _, err := l.call(inner, l.direct, method, address, token, bodies[random.IntN(len(bodies))], nil, 201, 202, 204, 400, 401, 403, 404, 405, 406, 411, 413, 415, 421, 422, 429, 501, 503)
	if away(err) || inner.Err() != nil {
		return nil // it does not read on, and may have closed
	}
	return err
}

// verify looks for all that was acknowledged.
func (l *load) verify(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	runs := map[string][]deploylog.Run{}
	for run, err := range deploylog.New(l.system, nil).History(ctx, deploylog.HistoryQuery{}) {
		require.NoError(t, err)
		runs[run.BuildNo] = append(runs[run.BuildNo], run)
	}
	assert.NotEmpty(t, l.deployments)
	for build, uuid := range l.deployments {
		if assert.Len(t, runs[build], 1, build) {
			assert.Equal(t, uuid, runs[build][0].UUID, build)
			assert.Equal(t, deploylog.Success, runs[build][0].Status, build)
		}
	}

	uuids := map[string][]string{}
	for rec, err := range l.garden.Records(ctx, "C_BPartner", &erp.Query{Select: []string{"Value"}, Top: 1 << 20}) {
		require.NoError(t, err)
		key, _ := rec.Text("Value")
		uuid, _ := rec.Text("uid")
		uuids[key] = append(uuids[key], uuid)
	}
	assert.NotEmpty(t, l.partners)
	for key, uuid := range l.partners {
		assert.Equal(t, []string{uuid}, uuids[key], key)
	}
	acknowledged, unknown := 0, 0
	for key, c := range l.confirmed {
		assert.LessOrEqual(t, len(uuids[key]), c.times, "%s was done more often than the user agreed", key)
		switch {
		case c.acknowledged:
			acknowledged++
			assert.NotEmpty(t, uuids[key], "%s was done, as the user was told", key)
		case c.times > 0:
			unknown++
		}
	}
	assert.Positive(t, acknowledged)

	conn, err := pgx.Connect(ctx, l.fleet.database)
	require.NoError(t, err)
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `SELECT aig_requestid, aig_querysql FROM adempiere.aig_querylog WHERE aig_querystatus='Success'`)
	require.NoError(t, err)
	audited := map[string]string{}
	var id, sql string
	_, err = pgx.ForEachRow(rows, []any{&id, &sql}, func() error {
		if _, ok := audited[id]; ok {
			t.Errorf("the audit has two records of request %s", id)
		}
		audited[id] = sql
		return nil
	})
	require.NoError(t, err)
	assert.NotEmpty(t, l.statements)
	for id, sql := range l.statements {
		if audited[id] != sql {
			t.Errorf("request %s ran %q, and its record in the audit is %q", id, sql, audited[id])
		}
	}

	alive := 0
	for _, from := range l.links {
		if time.Until(from.expires) > 5*time.Second && alive < 100 {
			alive++
			content, err := l.fetch(ctx, from)
			require.NoError(t, err)
			assert.Len(t, content, from.size)
		}
	}
	assert.Positive(t, alive)
	t.Logf("there as acknowledged: %d deployments, %d records, %d confirmed changes (%d more without a response), %d statements in the audit, %d downloads",
		len(l.deployments), len(l.partners), acknowledged, unknown, len(l.statements), alive)
}
