package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/erphub/erphub/internal/testkit/aitest"
	"github.com/erphub/erphub/internal/testkit/testsoak"
	"github.com/erphub/erphub/mcp"
)

// soaker is a client of the soak.
type soaker struct {
	rawClient
	random *rand.Rand
	done   *testsoak.Counts
	host   string
	left   []string // sessions that were left alone
	apart  string   // token of a login that no other soaker has
	calls  int
	after  context.Context // outlives the load
}

func newSoaker(t testing.TB, p *program, number int, random *rand.Rand, done *testsoak.Counts) *soaker {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	users := []int{aitest.User, aitest.Stranger}
	return &soaker{
		rawClient: rawClient{
			url: p.url, token: signed(t, users[number%len(users)], aitest.Whole), http: &http.Client{Transport: transport},
		},
		apart: signed(t, aitest.User, aitest.Narrow), random: random, done: done, after: context.WithoutCancel(t.Context()), host: strings.TrimPrefix(p.url, "http://"),
	}
}

// close ends the sessions the client left alone.
func (s *soaker) close() {
	ctx, cancel := context.WithTimeout(s.after, time.Minute)
	defer cancel()
	for _, s.session = range append(s.left, s.session) {
		if s.session != "" {
			_ = s.drop(ctx) // the server may have ended it
		}
	}
	s.http.CloseIdleConnections()
}

// soakWorkers are what clients do, each again and again.
func soakWorkers() []func(context.Context, *soaker) error {
	return []func(context.Context, *soaker) error{
		comeAndGo, comeAndGo, leave, ask, ask, lookUp, lookUp, withoutSession, listen, listenToEvents, goAway, hostile, hostile, slowBody, slowBody,
	}
}

// within makes sure that the client has a session.
func (s *soaker) within(ctx context.Context) error {
	if s.session != "" && s.calls < 200 {
		s.calls++
		return nil
	}
	if s.session != "" {
		if err := s.drop(ctx); err != nil {
			return err
		}
	}
	s.calls = 0
	return s.open(ctx)
}

// comeAndGo opens a session, lists the tools and ends it.
func comeAndGo(ctx context.Context, s *soaker) error {
	s.done.Add("sessions")
	if err := s.open(ctx); err != nil {
		return err
	}
	if err := listTools(ctx, &s.rawClient); err != nil {
		return err
	}
	err := s.drop(ctx)
	s.session = ""
	return err
}

// leave opens a session and forgets it. The server ends the oldest of too many when it
// was not used for minutes, and until then it refuses further ones to this login alone.
func leave(ctx context.Context, s *soaker) error {
	s.token = s.apart
	if err := s.open(ctx); err != nil {
		if strings.Contains(err.Error(), "status 429") {
			s.done.Add("sessions refused")
			return nil
		}
		return err
	}
	s.done.Add("sessions left")
	if s.left = append(s.left, s.session); len(s.left) > 200 {
		s.left = s.left[100:]
	}
	s.session = ""
	return nil
}

// soakStatements are queries by whether they can be run.
var soakStatements = map[string]bool{
	"SELECT count(*) FROM c_order":                                   true,
	"SELECT documentno, grandtotal FROM c_order ORDER BY c_order_id": true,
	"SELECT p.name, sum(l.qtyordered) FROM c_orderline l JOIN m_product p ON p.m_product_id = l.m_product_id GROUP BY p.name ORDER BY 2 DESC": true,
	"SELECT name FROM c_bpartner WHERE name LIKE 'C%' ORDER BY name":                                                                          true,
	"SELECT * FROM nowhere":                            false,
	"SELECT password FROM ad_user; DROP TABLE ad_user": false,
	"SELECT pg_sleep(1)":                               false,
	"SELEC name":                                       false,
	"SELECT " + strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500):                    false,
	"SELECT name FROM c_bpartner WHERE " + strings.Repeat("name = 'x' OR ", 10_000) + "true": false,
}

// ask runs a query.
func ask(ctx context.Context, s *soaker) error {
	s.done.Add("queries")
	if err := s.within(ctx); err != nil {
		return err
	}
	for sql, fine := range soakStatements { // in any order
		tool := "executeQuery"
		if s.random.IntN(4) == 0 {
			tool = "explainQuery"
		}
		messages, err := s.post(ctx, toolCall(s.random.IntN(1e6), tool, args{"sql": sql}))
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%s", messages)
		failed := strings.Contains(text, `"isError":true`)
		limited := strings.Contains(text, mcp.CodeRateLimitExceeded) || strings.Contains(text, mcp.CodeTimeout)
		switch {
		case failed && limited:
			s.done.Add("queries beyond a limit")
		case failed == fine:
			return fmt.Errorf("%s of %.80s: %.500s", tool, sql, text)
		}
		break
	}
	return nil
}

// lookUp uses a tool of the dictionary.
func lookUp(ctx context.Context, s *soaker) error {
	s.done.Add("dictionary")
	if err := s.within(ctx); err != nil {
		return err
	}
	calls := []struct {
		tool      string
		arguments args
	}{
		{"listTables", args{"pattern": "C_%"}}, {"describeTable", args{"table": "C_Order"}}, {"listColumns", args{"table": "M_Product"}},
		{"searchRegistry", args{"query": "business partner"}}, {"getStatistics", nil}, {"listReferences", args{"pattern": "%Status%"}},
		{"getQueryTemplates", args{}}, {"generatePlugin", args{"artifactId": "com.example.soak"}}, {"getColumnPrefixHelp", args{}},
		{"describeTable", args{"table": "C_Ordr"}}, {"listTables", args{"patern": 1}},
	}
	c := calls[s.random.IntN(len(calls))]
	_, err := s.post(ctx, toolCall(s.random.IntN(1e6), c.tool, c.arguments))
	return err
}

// withoutSession speaks the newer era of the protocol.
func withoutSession(ctx context.Context, s *soaker) error {
	s.done.Add("without sessions")
	const version = "2026-07-28"
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":%q,`+
		`"io.modelcontextprotocol/clientInfo":{"name":"soak","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, s.random.IntN(1e6), version)
	status, text, err := s.send(ctx, http.MethodPost, "/mcp", strings.NewReader(body), "Mcp-Protocol-Version", version, "Mcp-Method", "tools/list")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the list of tools without a session: %d %.300s", status, text)
	}
	return err
}

// listen opens the stream of a session and goes away.
func listen(ctx context.Context, s *soaker) error {
	s.done.Add("streams")
	if err := s.open(ctx); err != nil {
		return err
	}
	inner, cancel := context.WithCancel(ctx)
	res, err := s.request(inner, http.MethodGet, "/mcp", nil, "Mcp-Session-Id", s.session, "Mcp-Protocol-Version", "2025-11-25")
	cancel()
	if err == nil {
		_ = res.Body.Close()
	} else if !errors.Is(err, context.Canceled) {
		return err
	}
	err = s.drop(ctx)
	s.session = ""
	return err
}

// listenToEvents opens a connection of server-sent events, calls a tool over it
// and goes away.
func listenToEvents(ctx context.Context, s *soaker) error {
	s.done.Add("server-sent events")
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	res, err := s.request(inner, http.MethodGet, "/mcp/sse", nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("server-sent events: %s", res.Status)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	next := func(prefix string) (string, error) {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && strings.HasPrefix(data, prefix) {
				return data, nil
			}
		}
		return "", fmt.Errorf("the events ended: %w", cmpErr(lines.Err(), io.ErrUnexpectedEOF))
	}
	endpoint, err := next("/")
	if err != nil {
		return err
	}
	for i, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"soak","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		toolCall(2, "listTables", args{"pattern": "C_Order%"}),
	} {
		status, text, err := s.send(ctx, http.MethodPost, endpoint, strings.NewReader(message))
		if err != nil || status != http.StatusAccepted {
			return fmt.Errorf("message %d of server-sent events: %d %.200s: %w", i, status, text, cmpErr(err, errors.New("not accepted")))
		}
		if i != 1 {
			if _, err := next(`{"jsonrpc"`); err != nil {
				return err
			}
		}
	}
	return nil
}

func cmpErr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// goAway breaks off a request at any time.
func goAway(ctx context.Context, s *soaker) error {
	s.done.Add("broken off")
	if err := s.within(ctx); err != nil {
		return err
	}
	inner, cancel := context.WithTimeout(ctx, time.Duration(s.random.IntN(20))*time.Millisecond)
	defer cancel()
	_, err := s.post(inner, toolCall(s.random.IntN(1e9), "executeQuery", args{"sql": "SELECT count(*) FROM c_orderline a, c_orderline b"}))
	if inner.Err() != nil {
		return nil
	}
	return err
}

// hostile sends what no client should.
func hostile(ctx context.Context, s *soaker) error {
	if err := s.within(ctx); err != nil {
		return err
	}
	call := toolCall(7, "listTables", args{"pattern": "C_%"})
	many := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/list"},`, n), ",") + "]"
	}
	attacks := []struct {
		name, body string
		status     int // 0: any that says no
		header     []string
	}{
		{"huge", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 5<<20) + `"}}`, 413, nil},
		{"large", toolCall(1, "listTables", args{"pattern": strings.Repeat("x", 3<<20)}), 200, nil},
		{"truncated", call[:len(call)/2], 400, nil},
		{"deep", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listTables","arguments":` + strings.Repeat(`{"a":`, 100_000), 400, nil},
		{"deep lists", strings.Repeat("[", 1_000_000), 400, nil},
		{"deep arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listTables","arguments":` + strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 501) + "}", 0, nil},
		{"wrong types", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["listTables"],"arguments":7}}`, 0, nil},
		{"wrong arguments", toolCall(1, "listTables", args{"pattern": []any{1, nil, args{}}, "limit": "many"}), 200, nil},
		{"no method", `{"jsonrpc":"2.0","id":1,"method":7}`, 400, nil},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"tools/explode"}`, 400, nil},
		{"an unknown tool", toolCall(1, strings.Repeat("tool", 1000), args{}), 200, nil},
		{"nothing", "", 400, nil},
		{"no JSON", "\x00\xff<xml/>", 400, nil},
		{"a batch of 5,000", many(5000), 400, nil},
		{"a batch", many(5), 400, nil},
		{"another type", call, 415, []string{"Content-Type", "text/plain"}},
		{"a bad token", call, 401, []string{"Authorization", "Bearer " + s.token[:len(s.token)-6] + "AAAAAA"}},
		{"another's session", call, 404, []string{"Mcp-Session-Id", "AAAAAAAAAAAAAAAAAAAAAAAAAA"}},
		{"an unknown revision", call, 400, []string{"Mcp-Protocol-Version", "1066-10-14"}},
		{"another name", call, 403, []string{"Host", "evil.example.net"}},
	}
	a := attacks[s.random.IntN(len(attacks))]
	s.done.Add("hostile: " + a.name)
	header := append([]string{"Mcp-Session-Id", s.session, "Mcp-Protocol-Version", "2025-11-25"}, a.header...)
	status, text, err := s.send(ctx, http.MethodPost, "/mcp", strings.NewReader(a.body), header...)
	if a.name == "huge" && err != nil {
		return nil // the server does not read on, and may have closed
	}
	if err != nil {
		return fmt.Errorf("%s: %w", a.name, err)
	}
	refused := status >= 400 && status < 500 || bytes.Contains(text, []byte(`"error"`)) || bytes.Contains(text, []byte(`"isError":true`))
	if a.status != 0 && status != a.status || a.status == 0 && !refused {
		return fmt.Errorf("%s: status %d: %.300s", a.name, status, text)
	}
	return nil
}

// slowBody sends a request piece by piece and stops in the middle: the server
// waits no longer than it does for anybody.
func slowBody(ctx context.Context, s *soaker) error {
	s.done.Add("hostile: slow body")
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.host)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	body := toolCall(1, "listTables", args{"pattern": "C_%"})
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
		s.host, s.token, len(body), body[:len(body)/2])
	if s.random.IntN(2) == 0 {
		return nil // it goes away in the middle
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("a slow body: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestTimeout {
		return fmt.Errorf("a slow body: %s", res.Status)
	}
	return nil
}

// send is a request with headers of its own, read to the end.
func (s *soaker) send(ctx context.Context, method, path string, body io.Reader, header ...string) (int, []byte, error) {
	res, err := s.request(ctx, method, path, body, header...)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, text, err
}

func (s *soaker) request(ctx context.Context, method, path string, body io.Reader, header ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+s.token)
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	return s.http.Do(req)
}
