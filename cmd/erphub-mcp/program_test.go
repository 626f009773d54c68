package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Spans reach a collector, with the names of tools and nothing of arguments and
// tokens.
func TestTracesAreSent(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex // guards names and all
	names, all := map[string]bool{}, ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			var z *gzip.Reader
			if z, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
				body, err = io.ReadAll(z)
			}
		}
		var sent tracepb.TracesData
		if err == nil {
			err = proto.Unmarshal(body, &sent)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("X-Key") != "two words" || r.Header.Get("Content-Encoding") != "gzip" {
			http.Error(w, fmt.Sprint(r.URL.Path, err), http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		all += sent.String()
		for _, resource := range sent.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					names[span.Name] = true
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(srv.Close)
	erp := embeddedERP(t)
	token, err := erp.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	p := run(t, []string{"ERP_URL=" + erp.URL(), "OTEL_EXPORTER_OTLP_ENDPOINT=" + srv.URL,
		"OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "OTEL_EXPORTER_OTLP_HEADERS=x-key=two%20words"}, "--toolsets", "registry")
	cs := connect(t, p.url, token, "2025-11-25")
	_, failed := call(t, cs, "listTables", args{"pattern": "Kanarienvogel%"})
	require.False(t, failed)
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt)) // what was not sent yet is sent at the end
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return names["tools/call listTables"] && names["initialize"]
	}, 20*time.Second, 5*time.Millisecond, "%s", p.log)
	mu.Lock()
	defer mu.Unlock()
	assert.Contains(t, all, "erphub-mcp")
	assert.NotContains(t, all, "Kanarienvogel")
	assert.NotContains(t, all+p.log.String(), token)
}

// With --stdio nothing but the protocol is on standard output, and the program
// ends when it is told to.
func TestStandardOutputIsClean(t *testing.T) {
	t.Parallel()
	erp := embeddedERP(t)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "--stdio", "--debug")
	cmd.Env = []string{
		programVariable + "=1", "HOME=" + t.TempDir(), "ERP_URL=" + erp.URL(),
		"ERP_USERNAME=GardenAdmin", "ERP_PASSWORD=GardenAdmin", "ERP_CLIENT_ID=11", "ERP_ROLE_ID=102", "ERP_ORG_ID=11",
	}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var log bytes.Buffer
	cmd.Stderr = &log
	require.NoError(t, cmd.Start())
	lines, last := bufio.NewScanner(out), ""
	send := func(message string) {
		_, err := io.WriteString(in, message+"\n")
		require.NoError(t, err)
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for id := 2; id == 2 || strings.Contains(last, `\"code\":\"loading\"`); id++ { // in the text of a result
		send(toolCall(id, "describeTable", args{"table": "C_Ordr"}))
		for last = ""; !strings.Contains(last, fmt.Sprintf(`"id":%d`, id)) && lines.Scan(); {
			last = lines.Text()
			assert.True(t, strings.HasPrefix(last, `{"jsonrpc":"2.0"`), "%s", last)
		}
	}
	assert.Contains(t, last, "C_Order", "the nearest name is in the response")
	require.NoError(t, in.Close())
	assert.False(t, lines.Scan(), "nothing comes behind it")
	require.NoError(t, cmd.Wait(), log.String())
	assert.Contains(t, log.String(), `"tool":"describeTable"`, "the audit is on standard error")
	assert.NotContains(t, log.String(), "ERP_PASSWORD")
}
