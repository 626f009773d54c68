package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// One program has two names: as erphub-mcp it is the tool server alone.
func TestNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		called string
		want   string
	}{
		"erphub":               {"erphub", "erphub version "},
		"a path":               {"/usr/local/bin/erphub", "erphub version "},
		"the tool server":      {"erphub-mcp", "erphub-mcp version "},
		"its path":             {"/opt/erphub-mcp/bin/erphub-mcp", "erphub-mcp version "},
		"a folder of its name": {"/opt/erphub-mcp/erphub", "erphub version "},
		"on Windows":           {`C:\Tools\Erphub-MCP.exe`, "erphub-mcp version "},
		"no name":              {"", "erphub version "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			code := execute(t.Context(), []string{c.called, "version"}, nil, shell.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
			assert.Equal(t, 0, code, "%s", &errs)
			assert.True(t, strings.HasPrefix(out.String(), c.want), "%s", &out)
		})
	}
}
