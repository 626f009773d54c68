package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/urfave/cli/v2"

	embedded "github.com/erphub/erphub/cmd/internal/sandbox"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
)

// nowhere is an address where nothing listens.
const nowhere = "http://127.0.0.1:1"

// sandbox runs `erphub sandbox` and returns its address.
func sandbox(t *testing.T, flags ...string) string {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready")
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan int, 1)
	go func() {
		ended <- shell.Run(ctx, append([]string{"erphub", "sandbox", "--listen", "127.0.0.1:0", "--ready-file", ready}, flags...), nil,
			shell.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard},
			func(sh *shell.Shell) *cli.App { return sh.Program(embedded.Commands(sh)...) })
	}()
	t.Cleanup(func() { cancel(); <-ended })
	var at httpserver.Ready
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(ready)
		return err == nil && json.Unmarshal(text, &at) == nil
	}, time.Minute, 5*time.Millisecond)
	return at.URL
}

// stdio runs the program over standard input and output. It sees no settings but
// env.
func stdio(t *testing.T, env []string, args ...string) (*sdk.ClientSession, *syncbuffer.Buffer) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), self, append([]string{"--stdio"}, args...)...)
	cmd.Env = append([]string{programVariable + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, env...)
	log := &syncbuffer.Buffer{}
	cmd.Stderr = log
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "start", Version: "1"}, nil).
		Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err, "%s", log)
	t.Cleanup(func() { _ = cs.Close() })
	return cs, log
}

// ends runs the program, which must end by itself.
func ends(t *testing.T, env []string, args ...string) (code int, said string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append([]string{programVariable + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, env...)
	var log bytes.Buffer
	cmd.Stderr = &log
	_ = cmd.Run() // the code says it
	return cmd.ProcessState.ExitCode(), log.String()
}

func login(url string, more ...string) []string {
	return append([]string{"ERP_URL=" + url, "ERP_USERNAME=GardenAdmin", "ERP_PASSWORD=GardenAdmin", "ERP_CLIENT_ID=11", "ERP_ROLE_ID=102"}, more...)
}

func names(t *testing.T, cs *sdk.ClientSession) (out []string) {
	t.Helper()
	list, err := cs.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range list.Tools {
		out = append(out, tool.Name)
	}
	return out
}

// A server of one login offers what suits its role; one that is told which sets, those.
func TestStdioSuitsItsLogin(t *testing.T) {
	t.Parallel()
	url := sandbox(t)
	root := []string{"ERP_URL=" + url, "ERP_USERNAME=SuperUser", "ERP_PASSWORD=System", "ERP_CLIENT_ID=0", "ERP_ROLE_ID=0"}
	for name, tc := range map[string]struct {
		env, args []string
		has, not  string
	}{
		"a tenant":               {login(url), nil, "createRecord", "createTable"},
		"System":                 {root, nil, "createTable", "createRecord"},
		"System, read-only":      {root, []string{"--read-only"}, "listTables", "createTable"},
		"a tenant, by operator":  {login(url), []string{"--toolsets", "table"}, "createTable", "createRecord"},
		"the specification":      {login(url), []string{"--toolsets", "spec"}, "generatePlugin", "listToolsets"},
		"a default of operators": {login(url), []string{"--default-toolsets", "doctor"}, "checkApi", "createRecord"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cs, log := stdio(t, tc.env, tc.args...)
			tools := names(t, cs)
			assert.Contains(t, tools, tc.has, "%s", log)
			assert.NotContains(t, tools, tc.not, "%s", log)
		})
	}
}

// With an address and a login alone, data can be read: by SQL where the ERP is,
// with the role of the login, of the token, or of AI_ROLE_ID.
func TestDefaultStartReadsData(t *testing.T) {
	t.Parallel()
	url := sandbox(t)
	type rows struct{ Rows [][]json.Number }
	const count = "SELECT count(*) FROM c_order"
	cs, log := stdio(t, login(url))
	require.Eventually(t, func() bool { // a machine that is busy may find it after the start
		return slices.Contains(names(t, cs), "executeQuery")
	}, time.Minute, 10*time.Millisecond, "%s", log)
	all := do[rows](t, cs, "executeQuery", args{"sql": count}).Rows
	require.Len(t, all, 1)
	assert.NotEqual(t, json.Number("0"), all[0][0])
	type found struct{ Total int }
	assert.Positive(t, do[found](t, cs, "searchRecords", args{"tableName": "C_Order", "limit": 1}).Total)
	text, _ := call(t, cs, "getTableColumns", args{"tableName": "C_Order"})
	assert.Contains(t, text, "DocumentNo")
	assert.NotContains(t, names(t, cs), "getBackendStatus")

	// Over HTTP it is the caller's token that says the role.
	p := run(t, []string{"ERP_URL=" + url})
	for _, c := range []struct {
		user        string
		role, other int
	}{{"GardenAdmin", 102, 0}, {"GardenUser", 103, 102}} {
		cs := connect(t, p.url, sandboxToken(t, url, c.user, 11, c.role, 11), "2026-07-28")
		require.Eventually(t, func() bool { return slices.Contains(names(t, cs), "executeQuery") }, time.Minute, 10*time.Millisecond, "%s", p.log)
		response, failed := call(t, cs, "executeQuery", args{"sql": count})
		assert.False(t, failed, "%s: %s", c.user, response)
		require.Eventually(t, func() bool { // a call that did not reach the AI API may be made again
			response, failed = call(t, cs, "executeQuery", args{"sql": count, "roleId": c.other})
			assert.True(t, failed, "%s: %s", c.user, response)
			return strings.Contains(response, "permission_denied")
		}, time.Minute, 10*time.Millisecond, "%s: %s", c.user, response)
	}
	assert.Equal(t, `{"status":"ready","parts":{"records":"ready","tools":"ready"}}`, readyz(t, p.url, http.StatusOK))
}

// sandboxToken logs in at a sandbox, whose users have their names as passwords,
// but for SuperUser.
func sandboxToken(t *testing.T, url, user string, client, role, org int) string {
	t.Helper()
	password := user
	if user == "SuperUser" {
		password = "System"
	}
	body, err := json.Marshal(map[string]any{"userName": user, "password": password, "parameters": map[string]int{"clientId": client, "roleId": role, "organizationId": org}})
	require.NoError(t, err)
	res, err := http.Post(url+"/api/v1/auth/tokens", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	defer res.Body.Close()
	var got struct{ Token string }
	require.NoError(t, json.NewDecoder(res.Body).Decode(&got))
	require.NotEmpty(t, got.Token, user)
	return got.Token
}

// readyz is what /readyz shows.
func readyz(t *testing.T, url string, status int) string {
	t.Helper()
	res, err := http.Get(url + "/readyz")
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Equal(t, status, res.StatusCode, "%s", text)
	return strings.TrimSpace(string(text))
}

// waitReady returns when /readyz says that the program is ready.
func waitReady(t *testing.T, p *program) {
	t.Helper()
	require.Eventually(t, func() bool {
		res, err := http.Get(p.url + "/readyz")
		return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
	}, time.Minute, time.Millisecond)
}

// A wrong password is said at the start, wherever the program's own login is
// used.
func TestWrongPasswordIsSaidAtTheStart(t *testing.T) {
	t.Parallel()
	srv := embeddedERP(t)
	env := []string{"ERP_URL=" + srv.URL(), "ERP_USERNAME=GardenAdmin", "ERP_PASSWORD=Kanarienvogel", "ERP_CLIENT_ID=11", "ERP_ROLE_ID=102"}
	for name, how := range map[string][]string{"stdio": {"--stdio"}, "own login": {"--own-login", "--listen", "127.0.0.1:0"}} {
		code, said := ends(t, env, how...)
		assert.Equal(t, 3, code, "%s: %s", name, said)
		assert.Contains(t, said, "logging in at the start", name)
		assert.NotContains(t, said, "Kanarienvogel", name)
	}
}

// A dead ERP is a warning, and what needs none works; where the dictionary must
// be there, by flag or setting, it is the end.
func TestStartWithADeadERP(t *testing.T) {
	t.Parallel()
	cs, log := stdio(t, login(nowhere))
	text, failed := call(t, cs, "listGenerators", nil)
	require.False(t, failed, text)
	text, failed = call(t, cs, "listTables", nil)
	assert.True(t, failed)
	assert.Contains(t, text, "unreachable")
	assert.NotContains(t, names(t, cs), "executeQuery")
	assert.Contains(t, log.String(), "cannot be used yet")
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "the ERP's dictionary is not available") }, 30*time.Second, 5*time.Millisecond)

	code, said := ends(t, login(nowhere), "--stdio", "--fail-on-missing")
	assert.Equal(t, 4, code, said)
	assert.Contains(t, said, "reading the ERP's dictionary at the start")
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("hub:\n  schema-cache:\n    fail-on-missing: true\n"), 0o600))
	code, said = ends(t, login(nowhere, "ERPHUB_CONFIG="+config), "--stdio")
	assert.Equal(t, 4, code, said)
	code, said = ends(t, []string{"ERP_URL=" + nowhere}, "--listen", "127.0.0.1:0", "--fail-on-missing")
	assert.Equal(t, 4, code, said)
}

// While the ERP is away, health, status, generators and the dictionary that was
// read respond, to clients whose token was accepted before; /readyz says what is
// missing.
func TestERPAway(t *testing.T) {
	t.Parallel()
	srv := embeddedERP(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	p := run(t, []string{"ERP_URL=" + srv.URL()}, "--toolsets", "all")
	cs := connect(t, p.url, token, "2026-07-28")
	do[json.RawMessage](t, cs, "listTables", args{"pattern": "C_Order%"})
	away := srv.Faults().On(erptest.Match{}, erptest.CutBefore())
	for _, tool := range []string{"checkHealth", "getBackendStatus", "checkApi", "listGenerators", "getStatistics"} {
		text, failed := call(t, cs, tool, nil)
		assert.False(t, failed, "%s: %s", tool, text)
	}
	assert.Equal(t, `{"status":"degraded","missing":["the ERP does not respond, so tokens of new clients cannot be checked"],"parts":{"records":"not ready","tools":"degraded"}}`, readyz(t, p.url, http.StatusOK))
	away.Remove()
	require.Eventually(t, func() bool { return strings.Contains(readyz(t, p.url, http.StatusOK), `{"status":"ready"`) }, 30*time.Second, 20*time.Millisecond)
	assert.Equal(t, "up", do[struct{ Status string }](t, cs, "checkHealth", nil).Status, "an AI API that is not there is not missed")
}

// A replica with a login of its own is not ready before it has read the ERP's
// dictionary, or has found that it cannot.
func TestNotReadyBeforeTheDictionaryIsRead(t *testing.T) {
	t.Parallel()
	srv := embeddedERP(t)
	until := make(chan struct{})
	reading := srv.Faults().On(erptest.Match{Path: "/models/AD_Column"}, erptest.Hold(until))
	p := run(t, login(srv.URL()), "--own-login")
	require.Eventually(t, func() bool { return reading.Hits() > 0 }, time.Minute, time.Millisecond)
	assert.Equal(t, `{"status":"not ready","missing":["the ERP's dictionary is being read"],"parts":{"records":"degraded","tools":"degraded"}}`, readyz(t, p.url, http.StatusServiceUnavailable))
	close(until)
	waitReady(t, p)
	res, err := http.Get(p.url + "/metrics")
	require.NoError(t, err)
	defer res.Body.Close()
	metrics, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^dictionary_checked_timestamp_seconds [1-9]`, string(metrics), "the first call has the dictionary")

	srv.Faults().On(erptest.Match{}, erptest.CutBefore())
	late := run(t, login(srv.URL()), "--own-login")
	waitReady(t, late) // what is shared is away
	assert.Contains(t, readyz(t, late.url, http.StatusOK), "the ERP does not respond")
}

// The tool server's profile has the address of the default one, and what it
// lacks is said.
func TestProfileOfTheToolServer(t *testing.T) {
	t.Parallel()
	srv := embeddedERP(t)
	dir := t.TempDir()
	for _, c := range []struct{ name, config, said string }{
		{"none", "url: " + srv.URL() + "\n", "there is no profile mcp"},
		{"without an address", "url: " + srv.URL() + "\nprofiles:\n  mcp:\n    auth:\n      username: GardenAdmin\n", "names no address"},
		{"with one", "url: " + nowhere + "\nprofiles:\n  mcp:\n    url: " + srv.URL() + "\n", ""},
	} {
		config := filepath.Join(dir, strings.ReplaceAll(c.name, " ", "-")+".yaml")
		require.NoError(t, os.WriteFile(config, []byte(c.config), 0o600))
		p := run(t, []string{"ERPHUB_CONFIG=" + config}, "--profile", "mcp")
		require.Eventually(t, func() bool { return strings.Contains(p.log.String(), srv.URL()) }, 20*time.Second, time.Millisecond, c.name)
		if c.said != "" {
			assert.Contains(t, p.log.String(), c.said, c.name)
		} else {
			assert.NotContains(t, p.log.String(), "profile mcp", c.name)
		}
	}
	code, said := ends(t, []string{"ERP_URL=" + srv.URL()}, "--profile", "msp")
	assert.Equal(t, 2, code)
	assert.Contains(t, said, `profile "msp"`)
}

// A client that starts the program by its name alone waits for a response on
// standard output; the log, which clients show, says what is missing.
func TestStartedWithAPipe(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "--listen", "127.0.0.1:0")
	cmd.Env = append([]string{programVariable + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, "ERP_URL=http://127.0.0.1:1")
	log := &syncbuffer.Buffer{}
	cmd.Stderr = log
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "needs --stdio") }, time.Minute, 5*time.Millisecond, "%s", log)
}

// A login that was revoked reads nothing over standard input and output, by whatever
// way, and the model is told what its user can do.
func TestARevokedLoginReadsNothing(t *testing.T) {
	t.Parallel()
	srv := embeddedERP(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	ai := aiAPI(t, srv) // checks signatures alone
	cs, _ := stdio(t, []string{"ERP_URL=" + srv.URL(), "ERP_TOKEN=" + token, "AI_API_URL=" + ai}, "--toolsets", "all")
	require.NoError(t, srv.BlockAPIToken(t.Context(), token))
	for tool, arguments := range map[string]args{
		"whoAmI": nil, "executeQuery": {"sql": "SELECT 1"}, "queryMetric": {"name": "open-receivables"}, "describeTable": {"table": "C_Order"},
		"getRecord": {"tableName": "C_BPartner", "id": 118}, "listGenerators": nil,
	} {
		said, failed := callOnce(t, cs, tool, arguments)
		require.True(t, failed, "%s: %s", tool, said)
		assert.Contains(t, said, `"code":"unauthorized"`, tool)
		assert.Contains(t, said, "ask your user to log in again", tool)
	}
	_, err = cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "erp://table/C_Order"})
	require.ErrorContains(t, err, "ask your user to log in again")
}
