package doctor_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/doctor"
	"github.com/erphub/erphub/internal/testkit/synthdict"
	"github.com/erphub/erphub/internal/testkit/testpg"
	"github.com/erphub/erphub/tokens"
)

// canary stands for secrets, none of which may be part of a finding.
const canary = "Kanarienvogel"

func find(t *testing.T, checks []doctor.Check, name string) doctor.Check {
	t.Helper()
	for _, c := range checks {
		assert.NotContains(t, c.Found+c.Fix, canary, c.Name)
		if c.Status != doctor.OK && c.Status != doctor.Skipped {
			assert.NotEmpty(t, c.Fix, "%s must say how to fix it", c.Name)
		}
	}
	for _, c := range checks {
		if c.Name == name {
			return c
		}
	}
	require.Failf(t, "no such check", "%s in %v", name, checks)
	return doctor.Check{}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	open := filepath.Join(t.TempDir(), "open")
	require.NoError(t, os.Mkdir(open, 0o700))
	require.NoError(t, os.Chmod(open, 0o777))
	tests := []struct {
		name, check string
		environ     map[string]string
		path        string
		pathErr     error
		status      doctor.Status
		says        string
	}{
		{"nothing set", "variables", nil, "", nil, doctor.OK, "no variables"},
		{"set", "variables", map[string]string{"ERP_TOKEN": canary, "ERP_URL": "http://x", "PATH": "/bin"}, "", nil, doctor.OK, "set: ERP_TOKEN, ERP_URL"},
		{"mistyped", "variables", map[string]string{"ERP_PASWORD": canary}, "", nil, doctor.Warning, "nothing reads ERP_PASWORD"},
		{"empty is unset", "variables", map[string]string{"ERP_PASWORD": ""}, "", nil, doctor.OK, "no variables"},
		{"database", "variables", map[string]string{doctor.DatabaseVariable: canary}, "", nil, doctor.OK, doctor.DatabaseVariable},
		{"half a login", "login variables", map[string]string{"ERP_PASSWORD": canary}, "", nil, doctor.Warning, "only one"},
		{"login and token", "login variables", map[string]string{"ERP_PASSWORD": canary, "ERP_USERNAME": "u", "ERP_TOKEN": canary}, "", nil, doctor.Warning, "ERP_TOKEN is set besides"},
		{"token", "login variables", map[string]string{"ERP_TOKEN": canary}, "", nil, doctor.OK, "ERP_TOKEN"},
		{"proxy", "proxy", map[string]string{"https_proxy": "http://u:" + canary + "@p"}, "", nil, doctor.OK, "HTTPS_PROXY"},
		{"no home", "configuration folder", nil, "", errors.New("no home"), doctor.Warning, "no home"},
		{"not there yet", "configuration folder", nil, filepath.Join(t.TempDir(), "a", "b.yaml"), nil, doctor.OK, "does not exist yet"},
		{"open folder", "configuration folder", nil, filepath.Join(open, "b.yaml"), nil, doctor.Warning, "0777"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.name == "open folder" && runtime.GOOS == "windows" {
				t.Skip("modes mean nothing there")
			}
			c := find(t, doctor.Environment(t.Context(), doctor.Host{
				Program: "test", Environ: tt.environ, ConfigPath: tt.path, ConfigErr: tt.pathErr,
			}), tt.check)
			assert.Equal(t, doctor.AreaEnvironment, c.Area)
			assert.Equal(t, tt.status, c.Status, c.Found)
			assert.Contains(t, c.Found, tt.says)
		})
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	stored := func(st tokens.Status) func(context.Context) (tokens.Status, error) {
		return func(context.Context) (tokens.Status, error) { return st, nil }
	}
	const url = "url: https://erp.example.com\n"
	tests := []struct {
		name, yaml string
		mode       os.FileMode // beyond that of the owner
		environ    map[string]string
		given      doctor.Settings
		check      string
		status     doctor.Status
		says       string
	}{
		{"no file", "", 0, nil, doctor.Settings{}, "configuration file", doctor.OK, "no file for it"},
		{"not there", "", 0, nil, doctor.Settings{File: filepath.Join(t.TempDir(), "none.yaml")}, "configuration file", doctor.OK, "does not exist"},
		{"not usable", "", 0, nil, doctor.Settings{Err: errors.New("no such token file")}, "configuration file", doctor.Failed, "no such token file"},
		{"readable by others", url, 0o044, nil, doctor.Settings{}, "configuration file", doctor.Failed, "others may"},
		{"no YAML", "url: [", 0, nil, doctor.Settings{}, "configuration file", doctor.Failed, "reading the configuration"},
		{"no such profile", url, 0, nil, doctor.Settings{Profile: "test"}, "configuration file", doctor.Failed, `profile "test"`},
		{"no such profile in a variable", url, 0, map[string]string{"ERPHUB_PROFILE": "test"}, doctor.Settings{}, "configuration file", doctor.Failed, `profile "test"`},
		{"address of a profile", "profiles: {test: {url: https://test.example.com}}", 0, nil, doctor.Settings{Profile: "test"}, "server address", doctor.OK, "https://test.example.com (from profile)"},
		{"address of a flag", url, 0, map[string]string{"ERP_URL": "https://env.example.com"}, doctor.Settings{Flags: map[string]string{"url": "https://flag.example.com"}}, "server address", doctor.OK, "https://flag.example.com (from flag)"},
		{"well-formed", url, 0, nil, doctor.Settings{}, "settings", doctor.OK, "1 set"},
		{"bad value", url + "auth.refresh-buffer: soon\n", 0, nil, doctor.Settings{}, "settings", doctor.Failed, "soon"},
		{"bad secret", url + "token: \"" + canary + "\\n\"\n", 0, nil, doctor.Settings{}, "settings", doctor.Failed, "token"},
		{"unknown key", url + "auth.usrname: " + canary + "\n", 0, nil, doctor.Settings{}, "settings", doctor.Warning, "auth.usrname"},
		{"bad sources", url, 0, nil, doctor.Settings{Source: errors.New("belong together")}, "settings", doctor.Failed, "belong together"},
		{"address", url, 0, nil, doctor.Settings{}, "server address", doctor.OK, "https://erp.example.com (from profile)"},
		{"no address", "", 0, nil, doctor.Settings{}, "server address", doctor.Failed, "no address"},
		{"clear text", "url: http://erp.example.com\n", 0, nil, doctor.Settings{}, "server address", doctor.Warning, "clear text"},
		{"clear text at home", "url: http://[::1]:8080\n", 0, nil, doctor.Settings{}, "server address", doctor.OK, "::1"},
		{"password in the address", "url: https://u:" + canary + "@erp.example.com\n", 0, nil, doctor.Settings{}, "server address", doctor.Warning, "not an address such as"},
		{"nobody", url, 0, nil, doctor.Settings{}, "login", doctor.Warning, "nothing to log in with"},
		{"token", url, 0, map[string]string{"ERP_TOKEN": canary}, doctor.Settings{}, "login", doctor.OK, "environment"},
		{"user", url, 0, map[string]string{"ERP_USERNAME": "ann"}, doctor.Settings{}, "login", doctor.OK, `"ann"`},
		{"stored", url, 0, nil, doctor.Settings{Status: stored(tokens.Status{State: tokens.StateValid, User: "ann"})}, "login", doctor.OK, `"ann", valid`},
		{"stored and over", url, 0, nil, doctor.Settings{Status: stored(tokens.Status{State: tokens.StateExpired, User: "ann"})}, "login", doctor.Warning, "expired"},
		{"stored for elsewhere", url, 0, nil, doctor.Settings{Status: stored(tokens.Status{State: tokens.StateOtherServer})}, "login", doctor.Warning, "another server"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.mode != 0 && runtime.GOOS == "windows" {
				t.Skip("modes mean nothing there")
			}
			tt.given.Environ = tt.environ
			if tt.yaml != "" {
				tt.given.File = filepath.Join(t.TempDir(), "config.yaml")
				require.NoError(t, os.WriteFile(tt.given.File, []byte(tt.yaml), tt.mode|0o600))
			}
			c := find(t, doctor.Configuration(t.Context(), tt.given), tt.check)
			assert.Equal(t, tt.status, c.Status, c.Found)
			assert.Contains(t, c.Found, tt.says)
			assert.Equal(t, tt.status == doctor.Failed, c.Err != nil)
		})
	}
}

func connect(t *testing.T, srv *erptest.Server) *erp.Client {
	t.Helper()
	m, err := tokens.NewManager(srv.URL(), tokens.WithCredentials(tokens.Login{
		Username: "SuperUser", Password: tokens.NewSecret("System"), Client: "0", Role: "0", Organization: "0",
	}))
	require.NoError(t, err)
	c, err := erp.New(srv.URL(), erp.WithTokenSource(m))
	require.NoError(t, err)
	return c
}

// The clocks of client and server are compared by the header Date of a response.
func TestClocks(t *testing.T) {
	t.Parallel()
	client := connect(t, erptest.New(t))
	tests := []struct {
		name   string
		ours   time.Duration // our clock minus the server's
		status doctor.Status
		says   string
	}{
		{"together", 0, doctor.OK, "less than 30 s"},
		{"a little apart", 10 * time.Second, doctor.OK, "less than 30 s"},
		{"we are late", -time.Hour, doctor.Warning, "ahead of this one"},
		{"we are early", time.Hour, doctor.Warning, "behind this one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checks := doctor.API(t.Context(), client, doctor.Options{Now: func() time.Time { return time.Now().Add(tt.ours) }})
			c := find(t, checks, "clocks agree")
			assert.Equal(t, tt.status, c.Status)
			assert.Contains(t, c.Found, tt.says)
			assert.Equal(t, tt.status, doctor.Worst(checks))
		})
	}
}

// A configured process is checked whether it is given by number or slug. The
// numbers of the specification are other processes in the ERP's own dictionary.
func TestProcesses(t *testing.T) {
	t.Parallel()
	client := connect(t, erptest.New(t, erptest.Options{Strict: true}))
	tests := []struct {
		name, sync, imports string
		syncs, imported     doctor.Status
	}{
		{"found by themselves", "", "", doctor.OK, doctor.OK},
		{"numbers", "181", "50008", doctor.OK, doctor.OK},
		{"slugs", "ad_column-sync", "packin", doctor.OK, doctor.OK},
		{"the specification's numbers", "291", "194", doctor.Warning, doctor.Warning},
		{"mixed up", "packin", "ad_column-sync", doctor.Warning, doctor.Warning},
		{"nothing there", "987654", "no-such-process", doctor.Warning, doctor.Warning},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checks := doctor.API(t.Context(), client, doctor.Options{SyncProcess: tt.sync, ImportProcess: tt.imports})
			assert.Equal(t, tt.syncs, find(t, checks, "table synchronisation").Status)
			assert.Equal(t, tt.imported, find(t, checks, "package import").Status)
		})
	}
}

// After a failure the rest of an area is skipped, and the cause is kept.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	client, err := erp.New("http://127.0.0.1:1")
	require.NoError(t, err)
	checks := doctor.API(t.Context(), client, doctor.Options{})
	first := find(t, checks, "server responds")
	assert.Equal(t, doctor.Failed, first.Status)
	require.ErrorIs(t, first.Err, erp.ErrUnreachable)
	for _, c := range checks[1:] {
		assert.Equal(t, doctor.Skipped, c.Status, c.Name)
	}
	assert.Equal(t, doctor.Failed, doctor.Worst(checks))
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	checks := doctor.Database(t.Context(), "", "")
	assert.Equal(t, doctor.Skipped, find(t, checks, "database responds").Status)
	assert.Equal(t, doctor.OK, doctor.Worst(checks))

	checks = doctor.Database(t.Context(), "postgres://reader:"+canary+"@127.0.0.1:1/erp", "")
	assert.Equal(t, doctor.Failed, find(t, checks, "database responds").Status)
	assert.Equal(t, doctor.Skipped, find(t, checks, "dictionary is readable").Status)

	url := testpg.URL(t)
	checks = doctor.Database(t.Context(), url, "")
	assert.Equal(t, doctor.OK, find(t, checks, "database responds").Status)
	c := find(t, checks, "dictionary is readable")
	assert.Equal(t, doctor.Failed, c.Status, "a database without the ERP's tables: %s", c.Found)

	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, synthdict.New(synthdict.Options{Tables: 40, Columns: 900}).Create(t.Context(), db, synthdict.PostgreSQL, dbdict.DefaultSchema))
	c = find(t, doctor.Database(t.Context(), url, ""), "dictionary is readable")
	assert.Equal(t, doctor.OK, c.Status, c.Found)
	assert.True(t, strings.Contains(c.Found, "rows"), c.Found)
	c = find(t, doctor.Database(t.Context(), url, "elsewhere"), "dictionary is readable")
	assert.Equal(t, doctor.Failed, c.Status)
}

func TestCompatibility(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, check string
		fault       erptest.Match
		with        erptest.Action
		status      doctor.Status
		says        string
	}{
		{name: "release", check: "release of the ERP", status: doctor.OK, says: "release "},
		{name: "there", check: "uploads", status: doctor.OK, says: "there"},
		{name: "counted", check: "number of records in lists", status: doctor.OK, says: "there"},
		{"no references in batches", "references in batches", erptest.Match{Path: "/batch"}, erptest.Fail(400), doctor.Warning, "not there"},
		{"no archives", "archives of records", erptest.Match{Path: "/models/c_currency/100/archives"}, erptest.Fail(404), doctor.Warning, "not there"},
		{"archives not for the role", "archives of records", erptest.Match{Path: "/models/c_currency/100/archives"}, erptest.Fail(403), doctor.Skipped, "may not read"},
		{"no views", "views", erptest.Match{Path: "/views"}, erptest.Fail(404), doctor.Warning, "not there"},
		{"no batches", "batches", erptest.Match{Path: "/batch"}, erptest.Fail(404), doctor.Warning, "not there"},
		{"no id in filters", "id and uid in filters", erptest.Match{Path: "/models/ad_client"}, erptest.Fail(400), doctor.Warning, "not there"},
		{"not for the role", "tasks", erptest.Match{Path: "/tasks"}, erptest.Fail(403), doctor.OK, "not for this role"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t, erptest.Options{Strict: true})
			token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, 0)
			require.NoError(t, err)
			client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
			require.NoError(t, err)
			before := records(t, client)
			if tt.fault.Path != "" {
				srv.Faults().On(tt.fault, tt.with)
			}
			checks := doctor.Compatibility(t.Context(), client)
			c := find(t, checks, tt.check)
			assert.Equal(t, doctor.AreaCompatibility, c.Area)
			assert.Equal(t, tt.status, c.Status, c.Found)
			assert.Contains(t, c.Found, tt.says)
			if tt.fault.Path == "" {
				missing := []string{}
				for _, c := range checks {
					if c.Status != doctor.OK {
						missing = append(missing, c.Name)
					}
				}
				assert.Equal(t, []string{"conditions of webhooks", "callouts"}, missing, "what the embedded ERP does not have: %+v", checks)
			}
			assert.Equal(t, before, records(t, client), "a probe changed something")
		})
	}
}

// records is the number of changes the ERP has logged and of what probes could make.
func records(t *testing.T, client *erp.Client) (counts []int) {
	t.Helper()
	for _, table := range []string{"AD_ChangeLog", "REST_Upload", "AD_PInstance"} {
		page, err := client.Query(t.Context(), table, &erp.Query{Limit: 1})
		require.NoError(t, err)
		counts = append(counts, page.Rows)
	}
	return counts
}

// The rule about the audit of queries: there is none, it is in force, and it came
// after the ERP had read the rules.
func TestAuditRule(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	plan, err := aiquery.AuditPlan()
	require.NoError(t, err)
	look := func(user string, role int) doctor.Check {
		token, err := srv.APIToken(t.Context(), user, 11, int64(role), 11, time.Hour)
		require.NoError(t, err)
		client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
		require.NoError(t, err)
		return find(t, doctor.API(t.Context(), client, doctor.Options{RoleID: role}), "audit of queries")
	}
	assert.Equal(t, doctor.Skipped, look("GardenAdmin", 102).Status)
	system, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, time.Hour)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(system)))
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client, plan, nil)
	require.NoError(t, err)
	_, err = client.Create(t.Context(), "AIG_QueryLog", map[string]any{"AIG_QuerySQL": "SELECT 1", "AIG_QueryStatus": "Success"})
	require.NoError(t, err)
	assert.Equal(t, doctor.OK, look("GardenAdmin", 102).Status)
	assert.Equal(t, doctor.OK, look("GardenUser", 103).Status)
	page, err := client.Query(t.Context(), "AD_TableValRule", &erp.Query{Filter: erp.Contains("Description", "Queries of AI assistants"), Top: 1})
	require.NoError(t, err)
	require.Len(t, page.Records, 1)
	_, err = client.Update(t.Context(), "AD_TableValRule", page.Records[0].ID(), map[string]any{"Code": "1=1"}) // as the ERP that has not read it
	require.NoError(t, err)
	late := look("GardenUser", 103)
	assert.Equal(t, doctor.Warning, late.Status, late.Found)
	assert.Contains(t, late.Found, "has not read the rule")
	assert.Contains(t, late.Fix, "cache reset-all")
	_, err = client.Update(t.Context(), "AD_TableValRule", page.Records[0].ID(), map[string]any{"IsActive": false})
	require.NoError(t, err)
	assert.Contains(t, look("GardenUser", 103).Found, "no rule")
}
