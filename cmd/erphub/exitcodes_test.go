package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/help"
	"github.com/erphub/erphub/cmd/internal/shell"
)

// Each exit code that help documents is how such a run ends, and no other is
// documented.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	definition := filepath.Join(t.TempDir(), "table.yaml")
	require.NoError(t, os.WriteFile(definition, []byte("table: XX_Missing\ncolumns:\n  - {name: Text, type: Text}\n"), 0o600))
	home := t.TempDir()
	environment := []string{"HOME=" + home, "ERPHUB_CONFIG=" + filepath.Join(home, "config.yaml")}
	serve(t, environment, "sandbox", "--write-profiles")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	interrupting := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(interrupting.Close)
	codes := map[int]string{
		0:   "--profile garden record list C_Order --top 1",
		1:   "--profile garden record get C_Order 1",
		2:   "record list",
		3:   "--profile garden cache list",
		4:   "--url http://127.0.0.1:1 record list C_Order",
		5:   "--profile system dict diff -f " + definition,
		130: "--url " + interrupting.URL + " record list C_Order",
	}
	for want, line := range codes {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			var out, problems bytes.Buffer
			run, token := t.Context(), ""
			if want == 130 {
				run = ctx
			}
			if want == 4 || want == 130 { // the profiles are for the sandbox
				token = "x"
			}
			code := execute(run, append([]string{"erphub"}, strings.Fields(line)...), append(environment, "ERP_TOKEN="+token), shell.Streams{In: strings.NewReader(""), Out: &out, Err: &problems})
			assert.Equal(t, want, code, "%s: %s%s", line, &out, &problems)
		})
	}
	page, ok := help.Topic([]string{"exit-codes"})
	require.True(t, ok)
	var text bytes.Buffer
	require.NoError(t, page.WriteText(&text, 80))
	documented := regexp.MustCompile(`(?m)^ {4}(\d+) `).FindAllStringSubmatch(text.String(), -1)
	assert.Len(t, documented, len(codes))
	for _, d := range documented {
		assert.Contains(t, fmt.Sprint(codes), d[1]+":")
	}
}
