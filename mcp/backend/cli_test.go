package backend_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testproc"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/tokens"
)

// script is a program that does something else than the real one.
func script(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o755))
	return path
}

// What the program is given, and what becomes of programs that misbehave.
func TestCLIProgram(t *testing.T) {
	t.Setenv("ERP_PASSWORD", "of-this-process")
	t.Setenv("AI_API_TOKEN", "of-this-process")
	t.Setenv("HOME", "/of-this-process")
	who := mcp.Caller{Known: true, RoleID: 102, Token: tokens.NewSecret("secret.of.caller")}
	open := func(lines string, o backend.CLIOptions) *backend.CLIBackend {
		o.Program = script(t, lines)
		b, err := backend.NewCLI("http://erp.example.com", &o)
		require.NoError(t, err)
		return b
	}
	seen := filepath.Join(t.TempDir(), "seen")
	b := open(`env > `+seen+`; echo "$@" > `+seen+`.args; cat > `+seen+`.in; echo '{"columns":[],"rows":[],"rowCount":0}'`, backend.CLIOptions{AIURL: "http://ai.example.com"})
	_, err := b.Query(t.Context(), who, backend.Query{SQL: "SELECT $1 -- it's \"x\"", Params: []json.RawMessage{[]byte(`"--role=0"`)}, MaxRows: 7})
	require.NoError(t, err)
	read := func(name string) string {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(text)
	}
	assert.Equal(t, "--json query --file=- --role=102 --max-rows=7 --param=:=\"--role=0\"\n", read(seen+".args"))
	assert.Equal(t, "SELECT $1 -- it's \"x\"", read(seen+".in"))
	env := read(seen)
	assert.Contains(t, env, "ERP_TOKEN=secret.of.caller\n")
	assert.Contains(t, env, "ERP_URL=http://erp.example.com\n")
	assert.Contains(t, env, "AI_API_URL=http://ai.example.com\n")
	assert.NotContains(t, env, "of-this-process", "who this process is, is nothing to the caller")

	_, err = b.Query(t.Context(), mcp.Caller{Known: true, RoleID: 102}, backend.Query{SQL: "SELECT 1"})
	assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code)
	own := open(`env > `+seen+`; echo '{"rows":[]}'`, backend.CLIOptions{Own: []string{"ERP_USERNAME=robot", "ERP_URL=http://elsewhere"}})
	_, err = own.Search(t.Context(), mcp.Caller{}, backend.Search{Table: "C_Order", Limit: 1})
	require.NoError(t, err)
	assert.Contains(t, read(seen), "ERP_USERNAME=robot\n")
	assert.NotContains(t, read(seen), "elsewhere")

	for name, c := range map[string]struct {
		lines string
		o     backend.CLIOptions
		code  string
		says  string
	}{
		"too much":       {"yes '{\"rows\":[' | head -c 2000000", backend.CLIOptions{MaxOutput: 10_000}, mcp.CodeTooLarge, "10000"},
		"for ever":       {"yes", backend.CLIOptions{MaxOutput: 10_000}, mcp.CodeTooLarge, "10000"},
		"too long":       {"exec sleep 30", backend.CLIOptions{Timeout: 50 * time.Millisecond}, mcp.CodeTimeout, "50ms"},
		"wrong usage":    {"echo 'erphub: no such flag' >&2; exit 2", backend.CLIOptions{}, mcp.CodeInvalidArguments, "no such flag"},
		"not allowed":    {"echo 'erphub: GET /x: 403 Access denied' >&2; exit 3", backend.CLIOptions{}, mcp.CodePermissionDenied, "denied"},
		"not logged in":  {"echo 'erphub: GET /x: 401 secret.of.caller' >&2; exit 3", backend.CLIOptions{}, mcp.CodeUnauthorized, "[token]"},
		"unreachable":    {"exit 4", backend.CLIOptions{}, mcp.CodeUnreachable, "without a word"},
		"not there":      {"echo 'erphub: GET /x: 404 Record not found' >&2; exit 1", backend.CLIOptions{}, mcp.CodeNotFound, "not found"},
		"refused":        {"echo 'erphub: POST /x: 400 no' >&2; exit 1", backend.CLIOptions{}, mcp.CodeInvalidArguments, "no"},
		"much to say":    {"yes error | head -c 100000 >&2; exit 1", backend.CLIOptions{}, mcp.CodeRefused, "…"},
		"something else": {"echo hello", backend.CLIOptions{}, mcp.CodeInternal, ""},
		"nothing":        {"true", backend.CLIOptions{}, mcp.CodeInternal, ""},
		"killed":         {"kill -9 $$", backend.CLIOptions{}, mcp.CodeInternal, ""},
	} {
		begun := time.Now()
		_, err := open(c.lines, c.o).Query(t.Context(), who, backend.Query{SQL: "SELECT 1"})
		e := mcp.ErrorOf(err)
		require.NotNil(t, e, name)
		assert.Equal(t, c.code, e.Code, "%s: %v", name, err)
		assert.Contains(t, e.Message, c.says, name)
		assert.Less(t, len(e.Message), 5000, name)
		assert.NotContains(t, err.Error(), "secret.of.caller", name)
		assert.Less(t, time.Since(begun), 10*time.Second, name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	started := filepath.Join(t.TempDir(), "started")
	require.NoError(t, exec.CommandContext(t.Context(), "mkfifo", started).Run())
	go func() {
		_, _ = os.ReadFile(started) // until the program writes
		cancel()
	}()
	_, err = open("echo x > "+started+"; exec sleep 30", backend.CLIOptions{}).Query(ctx, who, backend.Query{SQL: "SELECT 1"})
	require.ErrorIs(t, err, context.Canceled)

	_, err = backend.NewCLI("http://erp.example.com", &backend.CLIOptions{Program: filepath.Join(t.TempDir(), "none")})
	require.ErrorContains(t, err, "needs the program")
	_, err = backend.NewCLI("", nil)
	require.ErrorContains(t, err, "ERP_URL")
}

// Nothing a caller says becomes a flag.
func TestCLIRefusesFlags(t *testing.T) {
	t.Parallel()
	b, err := backend.NewCLI("http://erp.example.com", &backend.CLIOptions{Program: script(t, `echo "$@" >&2; exit 1`)})
	require.NoError(t, err)
	who := mcp.Caller{Known: true, RoleID: 102, Token: tokens.NewSecret("secret.of.caller")}
	ctx := t.Context()
	for _, table := range []string{"--help", "-", "", "C_Order;ls", "../x", "a b", strings.Repeat("x", 200)} {
		_, err := b.Search(ctx, who, backend.Search{Table: table, Limit: 1})
		assert.Equal(t, mcp.CodeInvalidArguments, mcp.ErrorOf(err).Code, table)
		_, err = b.Create(ctx, who, table, nil)
		assert.Equal(t, mcp.CodeInvalidArguments, mcp.ErrorOf(err).Code, table)
	}
	_, err = b.Record(ctx, who, "C_Order", "--help")
	assert.Equal(t, mcp.CodeInvalidArguments, mcp.ErrorOf(err).Code)
	_, err = b.Search(ctx, who, backend.Search{Table: "C_Order", Filter: "--token-file=/etc/passwd", OrderBy: "-x", Limit: 1})
	assert.Equal(t, "--json record list --top=2 --filter=--token-file=/etc/passwd --orderby=-x -- C_Order", mcp.ErrorOf(err).Message)
	_, err = b.RunProcess(ctx, who, backend.Run{Process: "--token-file=/etc/passwd"})
	assert.Equal(t, "--json process run --data=- -- --token-file=/etc/passwd", mcp.ErrorOf(err).Message)
	_, err = b.SetJob(ctx, who, "--url=http://evil", true)
	assert.Equal(t, "--json server jobs --start -- --url=http://evil", mcp.ErrorOf(err).Message)
	for _, empty := range []string{"", "  "} {
		_, err = b.RunProcess(ctx, who, backend.Run{Process: empty})
		assert.Equal(t, mcp.CodeInvalidArguments, mcp.ErrorOf(err).Code)
		_, err = b.Job(ctx, who, empty)
		assert.Equal(t, mcp.CodeInvalidArguments, mcp.ErrorOf(err).Code)
	}
	_, err = b.Record(ctx, who, "C_Order", "1\x00")
	assert.Equal(t, mcp.CodeInvalidArguments, mcp.ErrorOf(err).Code)
}

// The real program returns the same results as the other backends.
func TestCLI(t *testing.T) {
	t.Parallel()
	program := testproc.Program(t, "erphub")
	q := openQueries(t, aiquery.Options{PerUser: 8})
	b, err := backend.NewCLI(q.srv.URL(), &backend.CLIOptions{Program: program, AIURL: q.api.URL})
	require.NoError(t, err)
	other, err := backend.NewREST(q.srv.URL(), nil)
	require.NoError(t, err)
	t.Cleanup(other.Close)
	ctx := t.Context()
	admin := known(t, q.srv, "GardenAdmin", 11, 101, 102, 11)
	root := known(t, q.srv, "SuperUser", 0, 100, 0, 0)
	var got, want any

	text, err := b.Check(ctx, admin)
	require.NoError(t, err)
	assert.Contains(t, text, "reaches the ERP")

	ask := backend.Query{SQL: `SELECT documentno, grandtotal FROM c_order WHERE grandtotal > $1 AND documentno <> $2 ORDER BY c_order_id`, Params: []json.RawMessage{[]byte(`10.5`), []byte(`"it's"`)}, MaxRows: 5}
	a, err := b.Query(ctx, admin, ask)
	require.NoError(t, err)
	d, err := q.db.Query(ctx, admin, ask)
	require.NoError(t, err)
	a.RequestID, d.RequestID, a.ExecutionTimeMs, d.ExecutionTimeMs = "", "", 0, 0
	assert.Equal(t, d, a)
	for sql, hint := range map[string]string{
		"SELECT * FROM c_ordr":                      `did you mean C_Order or I_Order?`,
		"SELECT 1 AS \"; x\" FROM \"; y\"":          "",
		"SELECT repeat('x', 3)":                     "use lpad with a constant length",
		"SELECT 1; SELECT 2":                        "send one SELECT",
		"SELECT 1 FROM c_bpartner WHERE name = 1 +": "",
	} {
		_, err = b.Query(ctx, admin, backend.Query{SQL: sql})
		_, want := q.db.Query(ctx, admin, backend.Query{SQL: sql})
		e, d := mcp.ErrorOf(err), mcp.ErrorOf(want)
		assert.Equal(t, []string{d.Code, d.Message}, []string{e.Code, e.Message}, "code and message are those of other backends")
		if hint == "" {
			hint = d.Hint
		}
		assert.Equal(t, hint, e.Hint, sql)
	}
	_, err = b.Explain(ctx, admin, ask)
	require.NoError(t, err)

	s := backend.Search{Table: "C_BPartner", Filter: "IsCustomer eq true and Name neq 'x y'", OrderBy: "Name desc", Select: []string{"Name", "C_BP_Group_ID"}, Limit: 3, Offset: 1}
	page, err := b.Search(ctx, admin, s)
	require.NoError(t, err)
	whole, err := other.Search(ctx, admin, s)
	require.NoError(t, err)
	assert.Equal(t, -1, page.Total, "there are more")
	assert.True(t, page.More)
	require.Len(t, page.Records, 3)
	for i := range page.Records {
		assert.JSONEq(t, whole.Records[i].String(), page.Records[i].String())
	}
	s.Limit = 100
	page, err = b.Search(ctx, admin, s)
	require.NoError(t, err)
	assert.Equal(t, whole.Total, page.Total)
	assert.False(t, page.More)
	s.Offset = 5000
	page, err = b.Search(ctx, admin, s)
	require.NoError(t, err)
	assert.Equal(t, -1, page.Total, "there is nothing here, and that says nothing of the rest")

	one, err := b.Record(ctx, admin, "C_Order", "104")
	require.NoError(t, err)
	same, err := other.Record(ctx, admin, "C_Order", "104")
	require.NoError(t, err)
	require.NoError(t, one.Decode(&got))
	require.NoError(t, same.Decode(&want))
	assert.Equal(t, want, got)
	_, err = b.Record(ctx, admin, "C_Order", "99999999")
	assert.Equal(t, mcp.CodeNotFound, mcp.ErrorOf(err).Code)
	require.ErrorIs(t, err, erp.ErrNotFound)
	_, err = b.Search(ctx, admin, backend.Search{Table: "C_Order", Select: []string{"DocumentNr"}, Limit: 1})
	assert.Equal(t, `did you mean "DocumentNo"?`, mcp.ErrorOf(err).Hint)
	_, err = b.Search(ctx, admin, backend.Search{Table: "C_Order", Filter: "Foo eq 1", Limit: 1})
	assert.NotEmpty(t, mcp.ErrorOf(err).Hint)

	made, err := b.Create(ctx, admin, "C_BPartner", map[string]any{"Name": "--help", "Value": "CLI", "C_BP_Group_ID": 103})
	require.NoError(t, err)
	var partner struct {
		ID   json.Number `json:"id"`
		Name string
	}
	require.NoError(t, made.Decode(&partner))
	assert.Equal(t, "--help", partner.Name)
	changed, err := b.Update(ctx, admin, "C_BPartner", partner.ID.String(), map[string]any{"Name": "Joe"})
	require.NoError(t, err)
	require.NoError(t, changed.Decode(&partner))
	assert.Equal(t, "Joe", partner.Name)

	run, err := b.RunProcess(ctx, root, backend.Run{Process: "Cache Reset"})
	require.NoError(t, err)
	assert.Positive(t, run.InstanceID)
	assert.Equal(t, "Cache Reset", run.Summary)
	jobs, err := b.Jobs(ctx, root)
	require.NoError(t, err)
	require.NotEmpty(t, jobs)
	now, err := b.SetJob(ctx, root, jobs[0].ID, !jobs[0].Enabled)
	require.NoError(t, err)
	assert.Equal(t, !jobs[0].Enabled, now.Enabled)
	_, err = b.Jobs(ctx, admin)
	assert.Equal(t, mcp.CodePermissionDenied, mcp.ErrorOf(err).Code)
	bad := admin
	bad.Token = tokens.NewSecret("not.a.token")
	_, err = b.Check(ctx, bad)
	assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code)
	assert.Equal(t, []string{"query", "records", "write", "processes", "jobs"}, backend.Abilities(b))

	greeting := erptest.Match{Method: http.MethodPost, Path: "/models/C_Greeting"}
	rule := q.srv.Faults().On(greeting, erptest.CutAfter())
	_, err = b.Create(ctx, admin, "C_Greeting", map[string]any{"Name": "whose response is lost"})
	require.NoError(t, err, "the program finds the record")
	rule.Remove()
	rule = q.srv.Faults().On(greeting, erptest.HTML(504))
	_, err = b.Create(ctx, admin, "C_Greeting", map[string]any{"Name": "whose response is a proxy's"})
	require.Error(t, err)
	assert.Equal(t, mcp.CodeOutcomeUnknown, mcp.ErrorOf(err).Code, err)
	rule.Remove()
}
