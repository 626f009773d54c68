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

	"github.com/erphub/erphub/mcp"
)

var updateUsefulness = flag.Bool("update", false, "write docs/usefulness.md")

// task is something a user asks an assistant, and the calls an able assistant
// makes for it.
type task struct {
	Area string `yaml:"area"`
	Ask  string `yaml:"ask"`
	// As is the login: admin (if left out), user or root.
	As    string `yaml:"as"`
	Calls []struct {
		Tool string         `yaml:"tool"`
		Args map[string]any `yaml:"args"`
	} `yaml:"calls"`
	// Facts are texts that the responses hold, in any case.
	Facts []string `yaml:"facts"`
	// Truth is SQL over the sandbox's own file, run after the calls and past all
	// tools: the responses hold every cell of it.
	Truth string `yaml:"truth"`
	// Never are texts that no response holds.
	Never []string `yaml:"never"`
}

// played is what became of a task.
type played struct {
	Task    task
	Missing []string // facts that no response holds, errors
	Calls   int
	In, Out int // tokens of arguments and of responses
}

const (
	leastReached = 56
	mostCalls    = 2
	mostTokens   = 1500
)

// What users ask of the tool server, started as the README says with all tool
// sets: how much of it an assistant reaches, with how many calls and tokens.
// A tool is worth its place if it makes a task possible, or shorter. Numbers are
// compared with what SQL finds in the sandbox's file.
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
	require.Len(t, tasks, 60)

	data := t.TempDir()
	url := sandbox(t, "--data", data)
	truth, err := sql.Open("sqlite", "file:"+filepath.Join(data, "erp.db")+"?mode=ro")
	require.NoError(t, err)
	defer truth.Close()
	server := run(t, []string{"ERP_URL=" + url}, "--toolsets", "all")
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

	var all []played
	for _, task := range tasks {
		cs := users["admin"]
		if task.As != "" {
			cs = users[task.As]
			require.NotNil(t, cs, task.As)
		}
		p := play(t, cs, truth, task)
		if len(p.Missing) > 0 {
			t.Logf("not reached: %s\n\t%s", task.Ask, strings.Join(p.Missing, "\n\t"))
		}
		all = append(all, p)
	}
	reached, calls, tokens := summary(all)
	t.Logf("reached %d of %d; median %d calls, %d tokens", reached, len(all), calls, tokens)
	assert.GreaterOrEqual(t, reached, leastReached)
	assert.LessOrEqual(t, calls, mostCalls)
	assert.LessOrEqual(t, tokens, mostTokens)

	path := filepath.Join("..", "..", "docs", "usefulness.md")
	if *updateUsefulness {
		require.NoError(t, os.WriteFile(path, []byte(usefulnessPage(all)), 0o644))
	}
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	// Sizes of responses depend on names and times a little; the rest does not.
	assert.Equal(t, withoutTokens(usefulnessPage(all)), withoutTokens(string(written)), "go test ./cmd/erphub-mcp -run TestUsefulness -update writes it anew")
}

// play makes the calls of a task and looks for its facts.
func play(t *testing.T, cs *sdk.ClientSession, truth *sql.DB, task task) played {
	t.Helper()
	p := played{Task: task, Calls: len(task.Calls)}
	var said []string
	for i, c := range task.Calls {
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
	return p
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

// holds tells whether a text holds a value: numbers in any form.
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

// summary is how many tasks were reached, and the medians of the calls and
// tokens of those that were.
func summary(all []played) (reached, calls, tokens int) {
	var c, k []int
	for _, p := range all {
		if len(p.Missing) == 0 {
			c, k = append(c, p.Calls), append(k, p.In+p.Out)
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
func usefulnessPage(all []played) string {
	var b strings.Builder
	reached, calls, tokens := summary(all)
	fmt.Fprintf(&b, "# What an assistant reaches\n\n"+
		"Sixty things that users of an ERP ask, over the data of the sandbox, with `erphub-mcp --toolsets all` and no other setting.\n"+
		"The calls are those an able assistant makes, written by hand; a task is reached when the responses hold the expected facts, and\n"+
		"numbers are compared with what SQL finds in the sandbox's own file. Tokens are estimated: one for four bytes of arguments and\n"+
		"responses. `go test ./cmd/erphub-mcp -run TestUsefulness -update` plays the tasks in `cmd/erphub-mcp/testdata/tasks.yaml`\n"+
		"and writes this page.\n\n"+
		"**Reached: %d of %d.** Median: %d calls, %d tokens.\n\n| area | a user asks | tools | reached | tokens |\n|---|---|---|---|---|\n", reached, len(all), calls, tokens)
	for _, p := range all {
		var tools []string
		for _, c := range p.Task.Calls {
			tools = append(tools, c.Tool)
		}
		yes := "yes"
		if len(p.Missing) > 0 {
			yes = "no"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d |\n", p.Task.Area, p.Task.Ask, strings.Join(tools, ", "), yes, p.In+p.Out)
	}
	return b.String()
}

var tokenCount = regexp.MustCompile(`[0-9]+ (\||tokens)`)

func withoutTokens(page string) string { return tokenCount.ReplaceAllString(page, "N $1") }
