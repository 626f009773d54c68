package main

import (
	"bytes"
	"cmp"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	_ "modernc.org/sqlite" // the sandbox's file, read beside it

	"github.com/erphub/erphub/internal/testkit/traps"
	"github.com/erphub/erphub/mcp"
)

var updateDocuments = flag.Bool("update", false, "write docs/usefulness.md, or the picture of an assistant")

// task is something a user asks an assistant, and the calls an able assistant
// makes for it.
type task struct {
	Area string `yaml:"area"`
	Ask  string `yaml:"ask"`
	// As is the login: admin (if left out), user or root.
	As    string     `yaml:"as"`
	Calls []taskCall `yaml:"calls"`
	// Facts are texts that the responses hold, in any case.
	Facts []string `yaml:"facts"`
	// Truth is SQL over the sandbox's own file, run after the calls and past all
	// tools: the responses hold every cell of it.
	Truth string `yaml:"truth"`
	// Never are texts that no response holds.
	Never []string `yaml:"never"`
	// Trap is a question whose answer looks right when it is wrong. It is asked of
	// other data, and has to be reached.
	Trap bool `yaml:"trap"`
}

type taskCall struct {
	Tool string         `yaml:"tool"`
	Args map[string]any `yaml:"args"`
}

// missing are the tools of a task that are not offered.
func (t task) missing(tools []string) (names []string) {
	for _, c := range t.Calls {
		if !slices.Contains(tools, c.Tool) && !slices.Contains(names, c.Tool) {
			names = append(names, c.Tool)
		}
	}
	return names
}

// switching are the calls by which an assistant finds and switches on the tool sets of
// tools that it is not offered; none: it cannot.
func switching(t *testing.T, cs *sdk.ClientSession, missing []string) (calls []taskCall) {
	t.Helper()
	if len(missing) == 0 || !slices.Contains(names(t, cs), "listToolsets") {
		return nil
	}
	type toolset struct {
		Name, On string
		Tools    []string
		Tokens   int
	}
	all := do[struct{ Toolsets []toolset }](t, cs, "listToolsets", nil).Toolsets
	slices.SortStableFunc(all, func(a, b toolset) int { return a.Tokens - b.Tokens })
	calls = []taskCall{{Tool: "listToolsets"}}
	for len(missing) > 0 {
		i := slices.IndexFunc(all, func(s toolset) bool { return s.On != "yes" && slices.Contains(s.Tools, missing[0]) })
		if i < 0 {
			return nil
		}
		calls = append(calls, taskCall{Tool: "listToolsets", Args: map[string]any{"switchOn": all[i].Name}})
		missing = slices.DeleteFunc(missing, func(tool string) bool { return slices.Contains(all[i].Tools, tool) })
	}
	return calls
}

// played is what became of a task.
type played struct {
	Task    task
	Before  []taskCall // to switch on tool sets
	Calls   []taskCall
	Missing []string // facts that no response holds, errors
	In, Out int      // tokens of arguments and of responses
}

func (p played) reached() bool { return len(p.Calls) > 0 && len(p.Missing) == 0 }

// setting is a choice of tool sets.
type setting struct {
	name, flags string // flags in words
	args        []string
	as          string // one login for all tasks; empty: each task's own
	least       int    // tasks that are reached, apart from traps

	session func(as string) *sdk.ClientSession
	users   map[string]*sdk.ClientSession
	truth   *sql.DB            // the sandbox's file
	offers  map[string]offered // by login
	played  []played
}

// offered is what the definitions cost that a session is shown: tokens of names,
// descriptions and input schemas, and those of output schemas.
type offered struct{ tools, definitions, outputs int }

// logins are those of tasks.
var logins = []struct {
	as, user          string
	client, role, org int
}{
	{"user", "GardenUser", 11, 103, 11},
	{"admin", "GardenAdmin", 11, 102, 11},
	{"root", "SuperUser", 0, 0, 0},
}

const (
	mostCalls  = 2
	mostTokens = 1500
)

// What users ask of the tool server, with all tool sets and with those that their roles
// get without a setting: how much of it an assistant reaches, with how many calls
// and tokens, and what the definitions of the tools cost besides. A tool is worth its
// place if it makes a task possible, or shorter. Numbers are compared with what SQL
// finds in the sandbox's file. Traps are reached, or the test fails.
func TestUsefulness(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after another")
	}
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "tasks.yaml"))
	require.NoError(t, err)
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	var tasks []task
	require.NoError(t, d.Decode(&tasks))
	tricky := slices.DeleteFunc(slices.Clone(tasks), func(t task) bool { return !t.Trap })
	plain := slices.DeleteFunc(slices.Clone(tasks), func(t task) bool { return t.Trap })
	require.Len(t, plain, 60)
	require.Len(t, tricky, 16)

	settings := []*setting{
		{name: "all", flags: "`--toolsets all`", args: []string{"--toolsets", "all"}, least: 56},
		{name: "default", flags: "no setting", least: 56},
		{name: "user", flags: "no setting", as: "user", least: 30},
		{name: "root", flags: "no setting", as: "root", least: 15},
	}
	for _, s := range settings {
		s.start(t)
		s.play(t, plain)
		reached, _, calls, tokens := summary(s.played, "")
		t.Logf("%s: reached %d of %d; median %d calls, %d tokens", s.name, reached, len(plain), calls, tokens)
		assert.GreaterOrEqual(t, reached, s.least, s.name)
		assert.LessOrEqual(t, calls, mostCalls, s.name)
		assert.LessOrEqual(t, tokens, mostTokens, s.name)
	}
	for _, s := range settings[:2] { // the traps are what single roles do not see
		setTraps(t, s.truth)
		s.play(t, tricky)
	}

	path := filepath.Join("..", "..", "docs", "usefulness.md")
	if *updateDocuments {
		require.NoError(t, os.WriteFile(path, []byte(usefulnessPage(settings)), 0o644))
	}
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	// Sizes of responses depend on names and times a little; the rest does not.
	assert.Equal(t, withoutTokens(usefulnessPage(settings)), withoutTokens(string(written)), "go test ./cmd/erphub-mcp -run TestUsefulness -update writes it anew")
}

// setTraps writes the traps into a sandbox's file.
func setTraps(t *testing.T, file *sql.DB) {
	t.Helper()
	for _, statement := range traps.Statements() {
		_, err := file.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
}

// start starts a sandbox and a tool server, and measures what its logins are shown.
func (s *setting) start(t *testing.T) {
	t.Helper()
	data := t.TempDir()
	url := sandbox(t, "--data", data, "--fixed-dates")
	truth, err := sql.Open("sqlite", "file:"+filepath.Join(data, "erp.db")+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { _ = truth.Close() })
	server := run(t, []string{"ERP_URL=" + url}, s.args...)
	s.truth, s.users, s.offers = truth, map[string]*sdk.ClientSession{}, map[string]offered{}
	s.session = func(as string) *sdk.ClientSession {
		for _, l := range logins {
			if l.as == as {
				return connect(t, server.url, sandboxToken(t, url, l.user, l.client, l.role, l.org), "2025-11-25")
			}
		}
		t.Fatalf("there is no login %s", as)
		return nil
	}
	for _, l := range logins {
		if s.as != "" && s.as != l.as {
			continue
		}
		cs := s.session(l.as)
		s.users[l.as] = cs
		require.Eventually(t, func() bool { // the dictionary is there before the first task
			_, failed := call(t, cs, "describeTable", args{"table": "C_Order"})
			return !failed && slices.Contains(names(t, cs), "executeQuery")
		}, 2*time.Minute, 5*time.Millisecond, "%s", server.log)
		s.offers[l.as] = definitionsOf(t, cs)
	}
}

// play plays tasks.
func (s *setting) play(t *testing.T, tasks []task) {
	t.Helper()
	for _, task := range tasks {
		task.As = cmp.Or(s.as, task.As, "admin")
		cs := s.users[task.As]
		p := played{Task: task, Calls: task.Calls}
		if missing := task.missing(names(t, cs)); len(missing) > 0 {
			cs = s.session(task.As) // the next task begins with the default
			if p.Before = switching(t, cs, missing); p.Before == nil {
				p.Calls = nil
			}
		}
		if len(p.Calls) > 0 {
			p.play(t, cs, s.truth)
		}
		if len(p.Missing) > 0 && s.as == "" { // other roles see other records
			t.Logf("%s: not reached: %s\n\t%s", s.name, task.Ask, strings.Join(p.Missing, "\n\t"))
		}
		if task.Trap {
			assert.Empty(t, p.Missing, "%s: a trap: %s", s.name, task.Ask)
		}
		s.played = append(s.played, p)
	}
}

// definitionsOf measures what a session is shown.
func definitionsOf(t *testing.T, cs *sdk.ClientSession) (o offered) {
	t.Helper()
	list, err := cs.ListTools(t.Context(), nil)
	require.NoError(t, err)
	size := func(v any) int {
		raw, err := json.Marshal(v)
		require.NoError(t, err)
		return len(raw)
	}
	o.tools = len(list.Tools)
	for _, tool := range list.Tools {
		o.definitions += mcp.EstimateTokens(len(tool.Name) + len(tool.Description) + size(tool.InputSchema))
		if tool.OutputSchema != nil {
			o.outputs += mcp.EstimateTokens(size(tool.OutputSchema))
		}
	}
	return o
}

// play makes the calls of a task and looks for its facts.
func (p *played) play(t *testing.T, cs *sdk.ClientSession, truth *sql.DB) {
	t.Helper()
	task := p.Task
	var said []string
	for i, c := range slices.Concat(p.Before, p.Calls) {
		arguments := filled(t, c.Args, said[min(i, len(p.Before)):])
		raw, err := json.Marshal(arguments)
		require.NoError(t, err)
		res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: c.Tool, Arguments: arguments})
		if err != nil {
			p.Missing = append(p.Missing, fmt.Sprintf("call %d: %v", i+1, err))
			break
		}
		var b strings.Builder
		for _, part := range res.Content {
			switch part := part.(type) {
			case *sdk.TextContent:
				b.WriteString(part.Text)
			case *sdk.EmbeddedResource:
				b.WriteString(part.Resource.Text)
			case *sdk.ResourceLink:
				b.WriteString(part.URI)
			}
		}
		said = append(said, b.String())
		p.In += mcp.EstimateTokens(len(raw))
		p.Out += mcp.EstimateTokens(b.Len())
		if res.IsError {
			p.Missing = append(p.Missing, fmt.Sprintf("call %d: %s %s: %s", i+1, c.Tool, raw, b.String()))
		}
	}
	whole := strings.Join(said[min(len(said), len(p.Before)):], "\n")
	for _, fact := range task.Facts {
		if !strings.Contains(strings.ToLower(whole), strings.ToLower(fact)) {
			p.Missing = append(p.Missing, fmt.Sprintf("%q is not in %s", fact, shortened(whole)))
		}
	}
	for _, never := range task.Never {
		if strings.Contains(strings.ToLower(whole), strings.ToLower(never)) {
			p.Missing = append(p.Missing, fmt.Sprintf("%q must not be in %s", never, shortened(whole)))
		}
	}
	if task.Truth != "" {
		known := cells(t, truth, task.Truth)
		if len(known) == 0 {
			p.Missing = append(p.Missing, "nothing is true of it: "+task.Truth)
		}
		for _, cell := range known {
			if !holds(whole, cell) {
				p.Missing = append(p.Missing, fmt.Sprintf("%v is true and not in %s", cell, shortened(whole)))
			}
		}
	}
}

func shortened(s string) string { return s[:min(len(s), 1500)] }

var reference = regexp.MustCompile(`^\$\{([0-9]+)\.([^}]+)\}$`)

// filled are arguments with the references in them, such as ${1.records.0.id},
// replaced by what the response of that call holds there.
func filled(t *testing.T, v map[string]any, said []string) map[string]any {
	t.Helper()
	var fill func(v any) any
	fill = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			out := make(map[string]any, len(v))
			for k, e := range v {
				out[k] = fill(e)
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i, e := range v {
				out[i] = fill(e)
			}
			return out
		case time.Time: // YAML's dates
			return v.Format(time.DateOnly)
		case string:
			if m := reference.FindStringSubmatch(v); m != nil {
				n, err := strconv.Atoi(m[1])
				require.NoError(t, err)
				if n > len(said) {
					return v
				}
				return inside(said[n-1], strings.Split(m[2], "."))
			}
		}
		return v
	}
	return fill(v).(map[string]any)
}

// inside is what JSON holds at a path, nil for nothing.
func inside(text string, path []string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	for _, step := range path {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// cells are all values that a statement returns.
func cells(t *testing.T, db *sql.DB, statement string) (out []any) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), statement)
	require.NoError(t, err, statement)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(t, rows.Scan(into...))
		out = append(out, values...)
	}
	require.NoError(t, rows.Err())
	return out
}

var numeral = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)

// holds reports whether a text holds a value: numbers in any form.
func holds(text string, value any) bool {
	want := fmt.Sprint(value)
	if n, err := strconv.ParseFloat(want, 64); err == nil {
		for _, found := range numeral.FindAllString(text, -1) {
			if f, err := strconv.ParseFloat(found, 64); err == nil && math.Abs(f-n) < 1e-6 { // sums of SQLite are binary

				return true
			}
		}
		return false
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(want))
}

// summary is how many tasks of a login (empty: of all), apart from traps, were reached,
// how many of them without switching on a tool set, and the medians of the calls and
// tokens of those that were reached.
func summary(all []played, as string) (reached, atOnce, calls, tokens int) {
	var c, k []int
	for _, p := range all {
		if p.reached() && !p.Task.Trap && (as == "" || as == p.Task.As) {
			c, k = append(c, len(p.Before)+len(p.Calls)), append(k, p.In+p.Out)
			if len(p.Before) == 0 {
				atOnce++
			}
		}
	}
	if len(c) == 0 {
		return 0, 0, 0, 0
	}
	slices.Sort(c)
	slices.Sort(k)
	return len(c), atOnce, c[len(c)/2], k[len(k)/2]
}

// usefulnessPage is docs/usefulness.md.
func usefulnessPage(settings []*setting) string {
	var b strings.Builder
	b.WriteString("# What an assistant reaches\n\n" +
		"Sixty things that users of an ERP ask, over the data of `erphub sandbox --fixed-dates`, with all tool sets and with those that `erphub-mcp` offers\n" +
		"without a setting. The calls are those an able assistant makes, written by hand; no model was run. A task is reached when the\n" +
		"responses hold the expected facts, and numbers are compared with what SQL finds in the sandbox's own file. Tokens are estimated:\n" +
		"one for four bytes. Those of a task are its arguments and responses. The definitions of the tools come on top, once in each\n" +
		"conversation: names, descriptions and input schemas, and with clients that show them to the model the output schemas.\n" +
		"`go test ./cmd/erphub-mcp -run TestUsefulness -update` plays the tasks in `cmd/erphub-mcp/testdata/tasks.yaml` and writes this page.\n\n" +
		"Without a setting the role of the login decides which tools a session gets first; with others it switches them on (`listToolsets`),\n" +
		"which is two calls more.\n\n" +
		"| setting | login | tools | definitions | output schemas | reached at once | with a switch | median calls | median tokens |\n|---|---|---|---|---|---|---|---|---|\n")
	row := func(s *setting, about, shown, as string) {
		o := s.offers[shown]
		reached, atOnce, calls, tokens := summary(s.played, as)
		fmt.Fprintf(&b, "| %s | %s | %d | %d tokens | %d tokens | %d of 60 | %d of 60 | %d | %d tokens |\n", s.flags, about, o.tools, o.definitions, o.outputs, atOnce, reached, calls, tokens)
	}
	row(settings[0], "each task's own", "admin", "")
	row(settings[1], "each task's own, mostly the admin's", "admin", "")
	row(settings[2], "a user of a tenant (GardenUser)", "user", "")
	row(settings[1], "an admin of a tenant (GardenAdmin)", "admin", "admin")
	row(settings[3], "System Administrator (SuperUser)", "root", "")
	b.WriteString("\nThe tasks of the last rows are the same for every role. What a role does not reach is about records that it does not see, or changes what\nit may not change.\n")
	settings = settings[:2]
	for _, trap := range []bool{false, true} {
		if trap {
			b.WriteString("\n## Answers that look right and are wrong\n\n" +
				"Questions over data with traps: a second rate, an invoice in another currency, reversed invoices, a credit memo, an inactive product,\n" +
				"records that the role does not see. Responses have to say what would make the answer wrong, or the test fails.\n")
		}
		b.WriteString("\n| area | a user asks | tools | reached | tokens | without a setting | reached | tokens |\n|---|---|---|---|---|---|---|---|\n")
		for i, p := range settings[0].played {
			if p.Task.Trap != trap {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s |", p.Task.Area, p.Task.Ask)
			for _, s := range settings {
				b.WriteString(s.played[i].cells())
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// cells are the tools of a task, whether it was reached, and its tokens.
func (p played) cells() string {
	if len(p.Calls) == 0 {
		return " no tool | no | |"
	}
	var tools []string
	for _, c := range slices.Concat(p.Before, p.Calls) {
		tools = append(tools, c.Tool)
	}
	return fmt.Sprintf(" %s | %s | %d |", strings.Join(tools, ", "), map[bool]string{true: "yes", false: "no"}[p.reached()], p.In+p.Out)
}

var tokenCount = regexp.MustCompile(`[0-9]+ (\||tokens)`)

func withoutTokens(page string) string { return tokenCount.ReplaceAllString(page, "N $1") }
