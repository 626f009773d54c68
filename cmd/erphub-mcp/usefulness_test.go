package main

import (
	"bytes"
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

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/traps"
	"github.com/erphub/erphub/mcp"
)

var updateUsefulness = flag.Bool("update", false, "write docs/usefulness.md")

// task is something a user asks an assistant, and the calls an able assistant
// makes for it.
type task struct {
	Area string `yaml:"area"`
	Ask  string `yaml:"ask"`
	// As is the login: admin (if left out), user or root.
	As    string     `yaml:"as"`
	Calls []taskCall `yaml:"calls"`
	// Default are the calls with the tool sets that are enabled without a setting,
	// where these do not have all tools of Calls; none: there is no way.
	Default []taskCall `yaml:"default"`
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

// with are the calls of a task where only some tools are offered; none: there is no
// way.
func (t task) with(tools []string) []taskCall {
	for _, calls := range [][]taskCall{t.Calls, t.Default} {
		if !slices.ContainsFunc(calls, func(c taskCall) bool { return !slices.Contains(tools, c.Tool) }) {
			return calls
		}
	}
	return nil
}

// played is what became of a task.
type played struct {
	Task    task
	Calls   []taskCall
	Missing []string // facts that no response holds, errors
	In, Out int      // tokens of arguments and of responses
}

func (p played) reached() bool { return len(p.Calls) > 0 && len(p.Missing) == 0 }

// setting is a choice of tool sets.
type setting struct {
	name, flags string // flags in words
	args        []string
	least       int // tasks that are reached, apart from traps
	// definitions are tokens of names, descriptions and input schemas, outputs those of
	// output schemas.
	tools, definitions, outputs int
	played                      []played
}

const (
	mostCalls  = 2
	mostTokens = 1500
)

// What users ask of the tool server, with all tool sets and with those that are
// enabled without a setting: how much of it an assistant reaches, with how many calls
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
		{name: "default", flags: "no setting", least: 40},
	}
	for _, s := range settings {
		s.play(t, t.TempDir(), plain)
		data := t.TempDir()
		setTraps(t, filepath.Join(data, "erp.db"))
		s.play(t, data, tricky)
		reached, calls, tokens := summary(s.played)
		t.Logf("%s: reached %d of %d; median %d calls, %d tokens", s.name, reached, len(plain), calls, tokens)
		assert.GreaterOrEqual(t, reached, s.least, s.name)
		assert.LessOrEqual(t, calls, mostCalls, s.name)
		assert.LessOrEqual(t, tokens, mostTokens, s.name)
	}

	path := filepath.Join("..", "..", "docs", "usefulness.md")
	if *updateUsefulness {
		require.NoError(t, os.WriteFile(path, []byte(usefulnessPage(settings)), 0o644))
	}
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	// Sizes of responses depend on names and times a little; the rest does not.
	assert.Equal(t, withoutTokens(usefulnessPage(settings)), withoutTokens(string(written)), "go test ./cmd/erphub-mcp -run TestUsefulness -update writes it anew")
}

// setTraps makes a sandbox's file with the traps in it.
func setTraps(t *testing.T, path string) {
	t.Helper()
	srv, err := erptest.Start(t.Context(), erptest.Options{Path: path})
	require.NoError(t, err)
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		for _, statement := range traps.Statements() {
			if _, err := tx.ExecContext(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	}, "*"))
	require.NoError(t, srv.Close())
}

// play starts a sandbox over a folder and a tool server, and plays tasks.
func (s *setting) play(t *testing.T, data string, tasks []task) {
	t.Helper()
	url := sandbox(t, "--data", data)
	truth, err := sql.Open("sqlite", "file:"+filepath.Join(data, "erp.db")+"?mode=ro")
	require.NoError(t, err)
	defer truth.Close()
	server := run(t, []string{"ERP_URL=" + url}, s.args...)
	users := map[string]*sdk.ClientSession{
		"admin": connect(t, server.url, sandboxToken(t, url, "GardenAdmin", 11, 102, 11), "2025-11-25"),
		"user":  connect(t, server.url, sandboxToken(t, url, "GardenUser", 11, 103, 11), "2025-11-25"),
		"root":  connect(t, server.url, sandboxToken(t, url, "SuperUser", 0, 0, 0), "2025-11-25"),
	}
	for _, cs := range users { // the dictionary is there before the first task
		require.Eventually(t, func() bool {
			_, failed := call(t, cs, "getStatistics", nil)
			return !failed && slices.Contains(names(t, cs), "executeQuery")
		}, 2*time.Minute, 5*time.Millisecond, "%s", server.log)
	}
	s.measure(t, users["admin"])
	for _, task := range tasks {
		cs := users["admin"]
		if task.As != "" {
			cs = users[task.As]
			require.NotNil(t, cs, task.As)
		}
		p := played{Task: task, Calls: task.with(names(t, cs))}
		if len(p.Calls) > 0 {
			p.play(t, cs, truth)
		}
		if len(p.Missing) > 0 {
			t.Logf("%s: not reached: %s\n\t%s", s.name, task.Ask, strings.Join(p.Missing, "\n\t"))
		}
		if task.Trap {
			assert.Empty(t, p.Missing, "%s: a trap: %s", s.name, task.Ask)
		}
		s.played = append(s.played, p)
	}
}

// measure takes what the definitions cost that a session is shown.
func (s *setting) measure(t *testing.T, cs *sdk.ClientSession) {
	t.Helper()
	list, err := cs.ListTools(t.Context(), nil)
	require.NoError(t, err)
	size := func(v any) int {
		raw, err := json.Marshal(v)
		require.NoError(t, err)
		return len(raw)
	}
	s.tools, s.definitions, s.outputs = len(list.Tools), 0, 0
	for _, tool := range list.Tools {
		s.definitions += mcp.EstimateTokens(len(tool.Name) + len(tool.Description) + size(tool.InputSchema))
		if tool.OutputSchema != nil {
			s.outputs += mcp.EstimateTokens(size(tool.OutputSchema))
		}
	}
}

// play makes the calls of a task and looks for its facts.
func (p *played) play(t *testing.T, cs *sdk.ClientSession, truth *sql.DB) {
	t.Helper()
	task := p.Task
	var said []string
	for i, c := range p.Calls {
		arguments := filled(t, c.Args, said)
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
	whole := strings.Join(said, "\n")
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

// summary is how many tasks apart from traps were reached, and the medians of the calls
// and tokens of those that were.
func summary(all []played) (reached, calls, tokens int) {
	var c, k []int
	for _, p := range all {
		if p.reached() && !p.Task.Trap {
			c, k = append(c, len(p.Calls)), append(k, p.In+p.Out)
		}
	}
	if len(c) == 0 {
		return 0, 0, 0
	}
	slices.Sort(c)
	slices.Sort(k)
	return len(c), c[len(c)/2], k[len(k)/2]
}

// usefulnessPage is docs/usefulness.md.
func usefulnessPage(settings []*setting) string {
	var b strings.Builder
	b.WriteString("# What an assistant reaches\n\n" +
		"Sixty things that users of an ERP ask, over the data of the sandbox, with all tool sets and with those that `erphub-mcp` enables\n" +
		"without a setting. The calls are those an able assistant makes, written by hand; no model was run. A task is reached when the\n" +
		"responses hold the expected facts, and numbers are compared with what SQL finds in the sandbox's own file. Tokens are estimated:\n" +
		"one for four bytes. Those of a task are its arguments and responses. The definitions of the tools come on top, once in each\n" +
		"conversation: names, descriptions and input schemas, and with clients that show them to the model the output schemas.\n" +
		"`go test ./cmd/erphub-mcp -run TestUsefulness -update` plays the tasks in `cmd/erphub-mcp/testdata/tasks.yaml` and writes this page.\n\n" +
		"| setting | tools | definitions | output schemas | reached | median calls | median tokens |\n|---|---|---|---|---|---|---|\n")
	for _, s := range settings {
		reached, calls, tokens := summary(s.played)
		fmt.Fprintf(&b, "| %s | %d | %d tokens | %d tokens | %d of 60 | %d | %d tokens |\n", s.flags, s.tools, s.definitions, s.outputs, reached, calls, tokens)
	}
	all := settings[0]
	reached, calls, tokens := summary(all.played)
	fmt.Fprintf(&b, "\n**Reached: %d of 60 with all tool sets.** Median: %d calls, %d tokens, after %d tokens of definitions.\n", reached, calls, tokens, all.definitions)
	for _, trap := range []bool{false, true} {
		if trap {
			b.WriteString("\n## Answers that look right and are wrong\n\n" +
				"Questions over data with traps: a second rate, an invoice in another currency, reversed invoices, a credit memo, an inactive product,\n" +
				"records that the role does not see. Responses have to say what would make the answer wrong, or the test fails.\n")
		}
		b.WriteString("\n| area | a user asks | tools | reached | tokens | without a setting | reached | tokens |\n|---|---|---|---|---|---|---|---|\n")
		for i, p := range all.played {
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
	for _, c := range p.Calls {
		tools = append(tools, c.Tool)
	}
	return fmt.Sprintf(" %s | %s | %d |", strings.Join(tools, ", "), map[bool]string{true: "yes", false: "no"}[p.reached()], p.In+p.Out)
}

var tokenCount = regexp.MustCompile(`[0-9]+ (\||tokens)`)

func withoutTokens(page string) string { return tokenCount.ReplaceAllString(page, "N $1") }
