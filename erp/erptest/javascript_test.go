package erptest_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// A client in another language, which knows only the description of the API,
// finds what it expects.
func TestJavaScriptClient(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node: install Node.js 18 or later to run the JavaScript client")
	}
	for name, opts := range map[string]erptest.Options{"relaxed": {}, "strict": {Strict: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t, opts)
			out, err := exec.CommandContext(t.Context(), node, filepath.Join("testdata", "js", "client.mjs"), srv.URL()).CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Equal(t, 11, strings.Count(string(out), "ok "), "%s", out)
		})
	}
}
