package erphub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/erphub/erphub"

// rule says what a package of ours may link besides the standard library and
// the leaves below internal/. A prefix ending in /... covers what is below it,
// too.
type rule struct {
	ours    []string // packages of this module, relative to it
	outside []string // module paths
	reason  string
}

// rules has one entry per package an importer may want to keep small.
var rules = map[string]rule{
	"erp": {
		ours:    []string{"erp/internal/...", "internal/apiclient"},
		outside: []string{"github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp"},
		reason:  "a Go service that only wants the client links the retry client and nothing else",
	},
	"erp/rest": {
		ours:    []string{"internal/apiclient"},
		outside: []string{"github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp", "github.com/deepmap/oapi-codegen", "github.com/apapsch/go-jsonmerge/v2", "github.com/google/uuid"},
		reason:  "later runtimes link web frameworks into every importer of the generated client",
	},
	"erp/access": {
		ours:    []string{"erp", "erp/internal/...", "internal/apiclient"},
		outside: []string{"github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp"},
		reason:  "permissions are read over REST: neither dictionary nor database",
	},
	"erp/connect": {
		ours:    []string{"erp", "erp/internal/...", "internal/apiclient", "tokens", "tokens/internal/..."},
		outside: []string{"github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp", "github.com/golang-jwt/jwt/v5"},
		reason:  "a client that logs in by itself is the client and the tokens, and nothing that reads files",
	},
	"dict/values": {
		ours:    []string{"erp", "erp/internal/...", "dict", "dict/registry", "dict/internal/...", "internal/apiclient"},
		outside: []string{"github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp"},
		reason:  "what a value means is in the dictionary, and the records that it names are in the ERP",
	},
	"dict/transfer": {
		ours:    []string{"erp", "erp/internal/...", "erp/access", "dict", "dict/registry", "dict/values", "dict/internal/...", "internal/apiclient"},
		outside: []string{"github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp", "github.com/gofrs/flock", "golang.org/x/sys"},
		reason:  "importing needs client and dictionary; the lock keeps two runs of one file apart; workbooks are read with the standard library",
	},
	"erp/erptest": {
		ours: []string{"erp/erptest/internal/..."},
		outside: []string{
			"modernc.org/sqlite", "modernc.org/libc", "modernc.org/mathutil", "modernc.org/memory",
			"github.com/dustin/go-humanize", "github.com/google/uuid", "github.com/mattn/go-isatty",
			"github.com/ncruces/go-strftime", "github.com/remyoudompheng/bigfft", "golang.org/x/sys",
			"golang.org/x/text", "github.com/golang-jwt/jwt/v5",
		},
		reason: "client and server share no code, or a shared mistake would be invisible",
	},
	"erp/erptest/twin": {
		ours: []string{"erp", "erp/internal/...", "internal/apiclient", "erp/erptest/internal/...", "erp/erptest/twin/mask"},
		outside: []string{
			"github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp", "github.com/gofrs/flock",
			"modernc.org/sqlite", "modernc.org/libc", "modernc.org/mathutil", "modernc.org/memory",
			"github.com/dustin/go-humanize", "github.com/google/uuid", "github.com/remyoudompheng/bigfft", "golang.org/x/sys",
		},
		reason: "a twin is made of an ERP by its client or any driver of database/sql; the server itself is not needed for that",
	},
	"erp/erptest/internal/engine/...": {
		ours: []string{"erp/erptest/internal/..."},
		outside: []string{
			"modernc.org/sqlite", "modernc.org/libc", "modernc.org/mathutil", "modernc.org/memory",
			"github.com/dustin/go-humanize", "github.com/google/uuid", "github.com/remyoudompheng/bigfft", "golang.org/x/sys",
		},
		reason: "the ERP is records, rules, roles and processes over a database; routes and tokens are its REST plugin's",
	},
	"erp/erptest/twin/mask": {reason: "masking is computing: no database, no client, no file format"},
	"tokens": {
		ours:    []string{"tokens/internal/..."},
		outside: []string{"github.com/golang-jwt/jwt/v5"},
		reason:  "it makes its own calls, so a service with its own client can use it",
	},
	"tokens/filestore": {
		ours:    []string{"tokens", "tokens/internal/...", "internal/config"},
		outside: []string{"github.com/golang-jwt/jwt/v5", "go.yaml.in/yaml/v3", "github.com/gofrs/flock", "golang.org/x/sys"},
		reason:  "only who keeps tokens in the configuration file reads YAML",
	},
	"dict": {
		reason: "internal tools embed the builders and want nothing with them",
	},
	"dict/registry": {ours: []string{"dict"}, reason: "who reads the dictionary wants no client and no database driver with it"},
	"dict/restdict": {
		ours:    []string{"dict", "dict/internal/changes", "erp", "erp/internal/...", "internal/apiclient", "dict/registry"},
		outside: []string{"github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp"},
		reason:  "the runner adds the client to the dictionary and no more",
	},
	"dict/dbdict": {
		ours: []string{"dict", "dict/internal/changes", "dict/registry"},
		outside: []string{
			"github.com/jackc/pgx/v5", "github.com/jackc/pgpassfile", "github.com/jackc/pgservicefile",
			"github.com/jackc/puddle/v2", "golang.org/x/sync", "golang.org/x/text",
		},
		reason: "the database driver is for those who read the database",
	},
	"dict/ddl":       {ours: []string{"dict", "dict/registry"}, reason: "a reader of plans needs the plan"},
	"dict/pack":      {ours: []string{"dict"}, reason: "a reader of plans needs the plan"},
	"dict/diff":      {ours: []string{"dict", "dict/registry"}, reason: "comparing needs the registry's values and nothing else"},
	"dict/migration": {ours: []string{"dict", "dict/ddl", "dict/registry"}, reason: "scripts are applied through database/sql, with the caller's driver"},
	"deploylog": {
		ours:    []string{"dict", "erp", "erp/internal/...", "internal/apiclient"},
		outside: []string{"github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp"},
		reason:  "a build server links it",
	},
	"aiquery/api": {reason: "the types of the API are values: neither engine nor HTTP"},
	"aiquery/aiclient": {
		ours:    []string{"aiquery/api", "internal/apiclient"},
		outside: []string{"github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp"},
		reason:  "asking the AI API needs HTTP and nothing else: no SQL parser, no driver",
	},
	"generator": {ours: []string{"dict", "dict/..."}, reason: "making plugins needs the dictionary and no client"},
	"aiquery/guard": {
		ours:    []string{"aiquery/api"},
		outside: []string{"github.com/pganalyze/pg_query_go/v6", "google.golang.org/protobuf"},
		reason:  "securing statements needs the parser; neither database nor dictionary",
	},
	"aiquery": {
		ours:    []string{"aiquery/api", "aiquery/guard", "aiquery/internal/run", "dict", "dict/registry"},
		outside: []string{"github.com/pganalyze/pg_query_go/v6", "google.golang.org/protobuf"},
		reason:  "the engine links no driver: who asks one database does not build the other's",
	},
	"aiquery/metrics": {
		ours:    []string{"aiquery/api", "aiquery/guard", "dict", "dict/registry"},
		outside: []string{"github.com/pganalyze/pg_query_go/v6", "google.golang.org/protobuf", "go.yaml.in/yaml/v3"},
		reason:  "metrics run through an interface: who asks the AI API builds no engine and no driver",
	},
	"aiquery/postgres": {
		ours: []string{"aiquery/api", "aiquery/guard", "aiquery/internal/run", "dict", "dict/ddl", "dict/migration", "dict/registry"},
		outside: []string{
			"github.com/pganalyze/pg_query_go/v6", "google.golang.org/protobuf",
			"github.com/jackc/pgx/v5", "github.com/jackc/pgpassfile", "github.com/jackc/pgservicefile", "github.com/jackc/puddle/v2",
			"golang.org/x/sync", "golang.org/x/text",
		},
		reason: "a service that asks PostgreSQL builds no SQLite",
	},
	"aiquery/embedded": {
		ours: []string{"aiquery/api", "aiquery/embedded/internal/...", "aiquery/guard", "aiquery/internal/run", "dict", "dict/registry"},
		outside: []string{
			"github.com/pganalyze/pg_query_go/v6", "google.golang.org/protobuf",
			"modernc.org/sqlite", "modernc.org/libc", "modernc.org/mathutil", "modernc.org/memory",
			"github.com/dustin/go-humanize", "github.com/google/uuid", "github.com/remyoudompheng/bigfft", "golang.org/x/sys",
		},
		reason: "a service that asks the embedded ERP builds no driver of PostgreSQL; the ERP itself comes through an interface",
	},
	"generator/httpapi": {
		ours:    []string{"generator", "dict", "dict/...", "erp", "erp/internal/...", "internal/apiclient", "tokens", "internal/httpserver/access"},
		outside: []string{"github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp", "github.com/golang-jwt/jwt/v5", "golang.org/x/time"},
		reason:  "the API delivers through an interface: no store, forge or mail client",
	},
	"mcp": {
		ours:    []string{"erp", "erp/internal/...", "internal/apiclient", "tokens"},
		outside: []string{"github.com/google/jsonschema-go", "github.com/hashicorp/go-retryablehttp", "github.com/hashicorp/go-cleanhttp", "github.com/golang-jwt/jwt/v5"},
		reason:  "tools are values: an agent that speaks no protocol uses them without one",
	},
}

// forbidden packages of the standard library, with the reason.
var forbidden = map[string]map[string]string{
	"erp/erptest": {
		"testing":           "programs serve the embedded ERP, too",
		"net/http/httptest": "programs serve the embedded ERP, too",
	},
	"erp/erptest/internal/engine/...": {
		"net/http": "the ERP knows no requests: what it refuses gets its status from the REST plugin",
	},
}

// owners are the only packages that import a module themselves, so that one
// place changes when it does. Others link it through them.
var owners = map[string][]string{
	"github.com/modelcontextprotocol/go-sdk": {"mcp/server"},
	"github.com/gomodule/redigo":             {"cmd/internal/browserlogin", "cmd/internal/redisstate", "internal/redisconn", "internal/redisstore"},
	"github.com/aws/aws-sdk-go-v2":           {"generator/internal/objectstore"},
	"github.com/go-git/go-git/v5":            {"generator/internal/gitrepo"},
	"github.com/wneessen/go-mail":            {"generator/internal/mail"},
	"github.com/pganalyze/pg_query_go/v6":    {"aiquery/guard", "aiquery/embedded/internal/sqlite"},
	"github.com/wasilibs/go-pgquery":         {"aiquery/guard"},
	"github.com/urfave/cli/v2":               {"cmd/erphub", "cmd/internal/..."},
	"github.com/zalando/go-keyring":          {"internal/keyring"}, // programs link it; libraries take any keyring
}

func TestModulesHaveOwners(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[0], module+"/")
		for _, imp := range fields[1:] {
			for owned, by := range owners {
				if (imp == owned || strings.HasPrefix(imp, owned+"/")) && !covers(by, pkg) && !strings.HasPrefix(pkg, "internal/testkit/") {
					t.Errorf("%s imports %s, which is for %s", pkg, imp, strings.Join(by, " and "))
				}
			}
		}
	}
}

type listed struct {
	ImportPath string
	Standard   bool
	Module     *struct{ Path string }
	Deps       []string
}

// leaves are the packages below internal/ that link nothing but the standard
// library and each other. Every package may use them, because they bring no
// other module and no product logic to who imports it.
func leaves(t *testing.T) map[string]bool {
	t.Helper()
	all := deps(t, "./internal/...")
	light := map[string]bool{}
	for _, p := range all {
		light[p.ImportPath] = p.Standard || strings.HasPrefix(p.ImportPath, module+"/internal/")
	}
	found := map[string]bool{}
	for _, p := range all {
		if !p.Standard && light[p.ImportPath] && !slices.ContainsFunc(p.Deps, func(dep string) bool { return !light[dep] }) {
			found[p.ImportPath] = true
		}
	}
	return found
}

func TestLeaves(t *testing.T) {
	t.Parallel()
	found := leaves(t)
	assert.True(t, found[module+"/internal/nearest"], "links the standard library only")
	assert.False(t, found[module+"/internal/config"], "links a YAML parser")
	assert.False(t, found[module+"/internal/testkit/synthdict"], "links the dictionary")
}

func deps(t *testing.T, pkg string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Standard,Module,Deps", pkg)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

func TestImportRules(t *testing.T) {
	free := leaves(t)
	for pkg, r := range rules {
		t.Run(strings.ReplaceAll(pkg, "/", "_"), func(t *testing.T) {
			t.Parallel()
			for _, d := range deps(t, "./"+pkg) {
				if why, bad := forbidden[pkg][d.ImportPath]; bad {
					t.Errorf("%s links %s: %s", pkg, d.ImportPath, why)
				}
				if d.Standard || d.Module == nil || d.ImportPath == module+"/"+pkg || free[d.ImportPath] {
					continue
				}
				if err := r.check(d); err != nil {
					t.Errorf("%s: %v; the rule is there because %s", pkg, err, r.reason)
				}
			}
		})
	}
}

func (r rule) check(d listed) error {
	if d.Module.Path != module {
		if slices.Contains(r.outside, d.Module.Path) {
			return nil
		}
		return fmt.Errorf("links %s of module %s", d.ImportPath, d.Module.Path)
	}
	rel := strings.TrimPrefix(d.ImportPath, module+"/")
	if covers(r.ours, rel) {
		return nil
	}
	return fmt.Errorf("imports %s", rel)
}

// covers reports whether a package, relative to this module, is in a list, or below
// an entry of it that ends in /...
func covers(list []string, rel string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		tree, ok := strings.CutSuffix(entry, "/...")
		return ok && strings.HasPrefix(rel, tree+"/") || rel == entry
	})
}

// commandsShare are the packages below cmd/internal that are no families of
// commands, and that these use. All others there are families.
var commandsShare = []string{"cmd/internal/auditlog", "cmd/internal/board", "cmd/internal/browserlogin", "cmd/internal/ci", "cmd/internal/demo", "cmd/internal/diagram",
	"cmd/internal/gogen", "cmd/internal/help", "cmd/internal/javabuild", "cmd/internal/maskfile", "cmd/internal/notify", "cmd/internal/openid", "cmd/internal/outbox", "cmd/internal/output",
	"cmd/internal/planfile", "cmd/internal/plans", "cmd/internal/recordinput", "cmd/internal/redisstate", "cmd/internal/restcount",
	"cmd/internal/review", "cmd/internal/services", "cmd/internal/shell", "cmd/internal/spool", "cmd/internal/sqlshell", "cmd/internal/startpage"}

// A family of commands knows no other: what they have in common is in the packages
// that they share, and programs compose them.
func TestCommandFamiliesAreApart(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./cmd/internal/...").Output()
	require.NoError(t, err)
	families := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[0], module+"/")
		if !covers(commandsShare, pkg) {
			families++
		}
		for _, imp := range fields[1:] {
			imp, ours := strings.CutPrefix(imp, module+"/")
			switch {
			case !ours || !strings.HasPrefix(imp, "cmd/internal/"):
			case !covers(commandsShare, imp):
				t.Errorf("%s imports %s, which is a family of commands", pkg, imp)
			case pkg == "cmd/internal/shell" && imp != "cmd/internal/help" && imp != "cmd/internal/output":
				t.Errorf("%s imports %s; it links what every program needs and no more", pkg, imp)
			}
		}
	}
	assert.Greater(t, families, 5)
}

// below are the packages below internal/ that import rooms above them, which are what
// several rooms or programs share and nobody outside imports. A new one belongs into
// the room that it serves; rigs of tests may import any.
var below = map[string][]string{
	"internal/aggregate":         {"erp"},
	"internal/doctor":            {"dict", "erp", "tokens"},
	"internal/httpserver/access": {"tokens"},
	"internal/pgmirror":          {"dict"},
	"internal/redisstore":        {"mcp"},
	"internal/tablefile":         {"dict"},
	"internal/upstream":          {"erp"},
}

func TestWhatInternalImports(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./internal/...").Output()
	require.NoError(t, err)
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[0], module+"/")
		for _, imp := range fields[1:] {
			imp, ours := strings.CutPrefix(imp, module+"/")
			room, _, _ := strings.Cut(imp, "/")
			if ours && room != "internal" && !strings.HasPrefix(pkg, "internal/testkit/") && !slices.Contains(found[pkg], room) {
				found[pkg] = append(found[pkg], room)
			}
		}
	}
	assert.Equal(t, below, found)
}

// notLinked has what programs and families do without, to stay small.
var notLinked = map[string][]string{
	"cmd/erphub-mcp": {
		"erp/erptest", "erp/erptest/...", "aiquery/embedded", "aiquery/httpapi", "generator/httpapi", "cmd/internal/board", "cmd/internal/spool",
		"cmd/internal/apiserver", "cmd/internal/query", "cmd/internal/deploy", "cmd/internal/dictionary", "cmd/internal/login",
		"cmd/internal/plans", "cmd/internal/records", "cmd/internal/sandbox", "cmd/internal/services",
	},
	"cmd/erphub-demo":         {"cmd/internal/shell", "aiquery", "aiquery/...", "mcp", "mcp/...", "generator", "generator/...", "dict/dbdict", "erp/rest"},
	"cmd/internal/toolserver": {"erp/erptest", "aiquery/embedded", "cmd/internal/board"},
	"cmd/internal/apiserver":  {"erp/erptest", "aiquery/embedded"},
	"cmd/internal/shell":      {"erp/erptest", "aiquery", "aiquery/guard", "mcp", "mcp/...", "generator", "deploylog", "deploylog/..."},
}

func TestCommandsLinkNoMoreThanTheyNeed(t *testing.T) {
	t.Parallel()
	for pkg, without := range notLinked {
		for _, d := range deps(t, "./"+pkg) {
			if rel, ours := strings.CutPrefix(d.ImportPath, module+"/"); ours && covers(without, rel) {
				t.Errorf("%s links %s", pkg, rel)
			}
			if d.Module != nil && d.Module.Path == "modernc.org/sqlite" && pkg != "cmd/erphub-demo" { // which is about the ERP in it
				t.Errorf("%s links SQLite: %s", pkg, d.ImportPath)
			}
		}
	}
}

// Examples show what users write, so they may use public packages only.
func TestExamplesUsePublicPackagesOnly(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./examples/...").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		for _, imp := range fields[1:] {
			if strings.HasPrefix(imp, module+"/") && strings.Contains(imp, "/internal/") {
				t.Errorf("%s imports %s", fields[0], imp)
			}
		}
	}
}
