package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// record watch writes a line per change and ends with 130 when it is
// interrupted.
func TestRecordWatch(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	t.Cleanup(client.CloseIdleConnections)

	for name, c := range map[string]struct {
		args []string
		path string
		want func(*testing.T, string)
	}{
		"people": {nil, "/models/C_BPartner/118", func(t *testing.T, line string) {
			require.Regexp(t, `^\d\d:\d\d:\d\d  updated  C_BPartner 118  Name [0-9]+  Name: .* → Name [0-9]+`, line)
		}},
		"programs": {[]string{"--json"}, "/models/C_BPartner/117", func(t *testing.T, line string) {
			var out struct {
				Kind    string
				Columns []string
				Record  map[string]any
			}
			require.NoError(t, json.Unmarshal([]byte(line), &out))
			require.Equal(t, "updated", out.Kind)
			require.Contains(t, out.Columns, "Name")
			require.Contains(t, out.Record["Name"], "Name ")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			id := c.path[strings.LastIndexByte(c.path, '/')+1:]
			var out, problems lockedBuffer
			code := make(chan int, 1)
			go func() {
				args := append([]string{"erphub", "record", "watch", "C_BPartner", id, "--every", "100ms"}, c.args...)
				code <- execute(ctx, args, []string{"ERP_URL=" + srv.URL(), "ERP_TOKEN=" + token, "HOME=" + t.TempDir()},
					shell.Streams{In: strings.NewReader(""), Out: &out, Err: &problems})
			}()
			require.Eventually(t, func() bool { return srv.Faults().Count(erptest.Match{Method: http.MethodGet, Path: c.path}) > 0 },
				20*time.Second, time.Millisecond)
			parsed, err := erp.ParseID(id)
			require.NoError(t, err)
			for n := 0; out.String() == ""; n++ { // the first one may come before the first look
				require.Less(t, n, 10_000)
				_, err := client.Update(ctx, "C_BPartner", parsed, map[string]any{"Name": "Name " + time.Now().Format("150405.000")[7:]})
				require.NoError(t, err)
			}
			interrupt()
			require.Equal(t, 130, <-code, problems.String())
			line, _, _ := strings.Cut(out.String(), "\n")
			c.want(t, line)
		})
	}
}

// lockedBuffer is a buffer that is read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
