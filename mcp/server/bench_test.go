//go:build unix

package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/testkit/cputime"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
	"github.com/erphub/erphub/tokens"
)

// callers is how many clients call at the same time at most.
const callers = 16

// benchVariable makes the test binary the server of the benchmark.
const benchVariable = "ERPHUB_BENCH_SERVER"

// benchServers is where both servers of the benchmark are.
type benchServers struct {
	Ours, Theirs, Token string
}

// BenchmarkTools compares tools of this server, with tokens checked, limits
// counted and calls audited, with a trivial tool of the SDK alone, in turns within
// one run. Both are served by one process that does nothing else: throughput-ratio
// is ours by theirs, cpu-ratio the same of that process's time per call.
func BenchmarkTools(b *testing.B) {
	servers := startForBench(b)
	for tool, arguments := range map[string]map[string]string{"listTables": {"pattern": "C_Ord%"}, "describeTable": {"table": "C_Order"}} {
		for _, how := range []string{legacyHTTP, modernHTTP} {
			for _, n := range []int{1, callers} {
				b.Run(fmt.Sprintf("%s/%s/callers=%d", tool, how, n), func(b *testing.B) { compare(b, servers, how, n, tool, arguments) })
			}
		}
	}
}

func compare(b *testing.B, servers benchServers, how string, n int, tool string, arguments map[string]string) {
	mine := clientsForBench(b, servers.Ours, how, servers.Token, n)
	sdks := clientsForBench(b, servers.Theirs, how, "", n)
	const round = 400
	run := func(clients []*sdk.ClientSession, name string, arguments map[string]string) (took, cpu time.Duration) {
		var next atomic.Int64
		var group sync.WaitGroup
		before, start := serverTime(b, servers), time.Now()
		for _, cs := range clients {
			group.Go(func() {
				for next.Add(1) <= round {
					res, err := cs.CallTool(b.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
					if err != nil || res.IsError {
						b.Error(name, err, res)
						return
					}
				}
			})
		}
		group.Wait()
		return time.Since(start), serverTime(b, servers) - before
	}
	greeting := map[string]string{"pattern": "C_Ord%"}
	run(mine, tool, arguments) // the registry is read, everything is warm
	run(sdks, "greet", greeting)
	var took, took0, cpu, cpu0 time.Duration
	calls := 0
	for b.Loop() {
		t, c := run(mine, tool, arguments)
		t0, c0 := run(sdks, "greet", greeting)
		took, cpu, took0, cpu0 = took+t, cpu+c, took0+t0, cpu0+c0
		calls += round
	}
	b.ReportMetric(float64(calls)/took.Seconds(), "calls/s")
	b.ReportMetric(float64(calls)/took0.Seconds(), "sdk-calls/s")
	b.ReportMetric(took0.Seconds()/took.Seconds(), "throughput-ratio")
	b.ReportMetric(cpu.Seconds()/cpu0.Seconds(), "cpu-ratio")
	b.ReportMetric(float64(cpu.Microseconds())/float64(calls), "cpu-us/call")
	b.ReportMetric(0, "ns/op")
}

// startForBench starts this binary as the server.
func startForBench(b *testing.B) (servers benchServers) {
	b.Helper()
	program, err := os.Executable()
	require.NoError(b, err)
	cmd := exec.CommandContext(b.Context(), program, "-test.run=^$", "-test.bench=^BenchmarkServer$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), benchVariable+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if line, ok := strings.CutPrefix(lines.Text(), readyPrefix); ok {
			require.NoError(b, json.Unmarshal([]byte(line), &servers), line)
			return servers
		}
	}
	b.Fatal("the server did not start")
	return servers
}

// BenchmarkServer is the server of the other benchmark, and nothing by itself.
func BenchmarkServer(b *testing.B) {
	if os.Getenv(benchVariable) == "" {
		b.Skip("it is started by BenchmarkTools")
	}
	erp := erptest.New(b)
	token, err := erp.APIToken(b.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(b, err)
	line, err := json.Marshal(benchServers{Ours: oursForBench(b, erp), Theirs: theirsForBench(b), Token: token})
	require.NoError(b, err)
	fmt.Println("\n" + readyPrefix + string(line))
	<-b.Context().Done() // it is killed
}

// readyPrefix is in front of what the server prints: benchmarks print, too.
const readyPrefix = "server: "

// serverTime is the time the server's process used so far.
func serverTime(b testing.TB, servers benchServers) time.Duration {
	res, err := http.Get(servers.Theirs + "/cpu")
	require.NoError(b, err)
	defer res.Body.Close()
	var used int64
	_, err = fmt.Fscan(res.Body, &used)
	require.NoError(b, err)
	return time.Duration(used)
}

// oursForBench is a server as the program makes it.
func oursForBench(b testing.TB, erp *erptest.Server) string {
	b.Helper()
	rest, err := backend.NewREST(erp.URL(), nil)
	require.NoError(b, err)
	pool, err := backend.NewPool("", rest)
	require.NoError(b, err)
	metrics := NewMetrics()
	limits, err := mcp.NewBoundary(&mcp.BoundaryOptions{
		Limits: mcp.Limits{CallsPerMinute: 1 << 30, Concurrent: 2 * callers}, Metrics: metrics.Boundary(),
		Audit: mcp.AuditTo(discard{}),
	})
	require.NoError(b, err)
	verifier, err := tokens.NewIntrospectionVerifier(erp.URL())
	require.NoError(b, err)
	s, err := New(Options{Catalog: *tools.New(tools.Options{Pool: pool}).Catalog(), Boundary: limits, Verifier: verifier, Metrics: metrics})
	require.NoError(b, err)
	ln, err := httpserver.Listen(b.Context(), "127.0.0.1:0")
	require.NoError(b, err)
	in := &instance{Server: s, url: httpserver.URL(ln.Addr())}
	in.serve(b, ln)
	return in.url
}

// theirsForBench is a trivial tool of the SDK over both handlers of the SDK.
func theirsForBench(b testing.TB) string {
	b.Helper()
	type in struct {
		Pattern string `json:"pattern"`
	}
	type out struct {
		Tables []string `json:"tables"`
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "trivial", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "greet", Description: "Greets."}, func(_ context.Context, _ *sdk.CallToolRequest, in in) (*sdk.CallToolResult, out, error) {
		return nil, out{[]string{"C_Order", in.Pattern}}, nil
	})
	get := func(*http.Request) *sdk.Server { return s }
	modern := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	legacy := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{SessionTimeout: 30 * time.Minute})
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(versionHeader) >= modernVersion {
			modern.ServeHTTP(w, r)
			return
		}
		legacy.ServeHTTP(w, r)
	})
	mux.HandleFunc("/cpu", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, cputime.Used(b).Nanoseconds())
	})
	srv := httptest.NewServer(mux)
	b.Cleanup(srv.Close)
	return srv.URL
}

func clientsForBench(b *testing.B, url, how, token string, n int) []*sdk.ClientSession {
	b.Helper()
	clients := make([]*sdk.ClientSession, n)
	for i := range clients {
		cs, err := dial(b.Context(), url, how, &bearer{token: token}, nil)
		require.NoError(b, err)
		b.Cleanup(func() { _ = cs.Close() })
		clients[i] = cs
	}
	return clients
}

// discard is a writer for the audit.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
