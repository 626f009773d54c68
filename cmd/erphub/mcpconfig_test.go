package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
	"github.com/erphub/erphub/internal/testkit/testproc"
)

// What mcp config prints starts this program, which serves an assistant over standard
// input and output. That a program that was not installed will be gone is said.
func TestMCPConfigIsWhatStartsTheServer(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a program that is not built for the race detector")
	}
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, time.Hour)
	require.NoError(t, err)
	env := []string{"HOME=" + t.TempDir(), "ERP_URL=" + srv.URL(), "ERP_TOKEN=" + token}
	program := testproc.Program(t, "erphub")
	print := exec.CommandContext(t.Context(), program, "mcp", "config", "--client", "claude-code", "--toolsets", "registry")
	var printed, said bytes.Buffer
	print.Env, print.Stdout, print.Stderr = env, &printed, &said
	require.NoError(t, print.Run(), said.String())
	assert.Contains(t, said.String(), "the program is in a temporary folder")
	assert.NotContains(t, printed.String(), token)

	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	require.NoError(t, json.Unmarshal(printed.Bytes(), &config), printed.String())
	entry := config.Servers["erphub"]
	assert.Equal(t, program, entry.Command)
	assert.Equal(t, srv.URL(), entry.Env["ERP_URL"])
	server := exec.CommandContext(t.Context(), entry.Command, entry.Args...)
	log := &syncbuffer.Buffer{}
	server.Env, server.Stderr = env, log
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "assistant", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: server}, nil)
	require.NoError(t, err, "%s", log)
	defer cs.Close()
	list, err := cs.ListTools(t.Context(), nil)
	require.NoError(t, err, "%s", log)
	assert.True(t, slices.ContainsFunc(list.Tools, func(tool *sdk.Tool) bool { return tool.Name == "describeTable" }), "%s", log)
}
