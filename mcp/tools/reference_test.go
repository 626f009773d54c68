package tools_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
)

// setTitles are the chapters of the reference, one for each set that has tools which
// are not in one before it.
var setTitles = map[string]string{
	tools.SetRegistry: "The dictionary", tools.SetQuery: "Queries", tools.SetMetrics: "Metrics", tools.SetRecords: "Records", tools.SetTable: "Tables",
	tools.SetAccess: "Permissions", tools.SetDeploy: "Deployments", tools.SetGenerator: "Plugins", tools.SetDoctor: "Diagnosis", tools.SetChat: "Chat agents",
}

// toolNeeds are the kinds of backends; a tool is available where one of those
// that it is available with is in use.
var toolNeeds = []struct {
	name    string
	backend backend.Backend
}{
	{"the REST API", new(backend.RESTBackend)}, {"the AI API", new(backend.AIBackend)},
	{"the database", new(backend.DBBackend)}, {"the command line program", new(backend.CLIBackend)},
}

const toolReferenceHead = `# Tools of the tool server

Every tool that ` + "`erphub server mcp`" + ` and ` + "`erphub-mcp`" + ` serve, as assistants see it, by tool set. ` + "`--toolsets`" + ` enables sets
(` + "`all`" + ` for every one), ` + "`--read-only`" + ` disables every tool that changes something, and ` + "`--allow-tool`" + ` and ` + "`--deny-tool`" + ` choose
single tools. ` + "`erphub tools list`" + ` prints what the settings at hand offer, ` + "`erphub tools call NAME`" + ` calls one tool, and
` + "`erphub tools list --schemas`" + ` writes the function schemas for agents that do not speak the protocol.

- A tool works with the permissions of the caller's login: what the role may not see or change, the tool does not show or change.
- Arguments are checked before anything happens. Unknown names, wrong types and values outside the limits are errors that say what is
  allowed. Arguments marked **required** have to be given; the others have the default that is named, or none.
- A list that is longer than a page has ` + "`truncated`" + ` and ` + "`nextCursor`" + `. The same call with this value as ` + "`cursor`" + ` returns the next page.
- A tool that asks for confirmation asks the user through the client before it changes anything: it shows all that will be written, what
  that replaces, and what follows as far as the ERP's records tell. It does not ask for a dry run, nor where the call changes nothing. What
  changed between question and answer refuses the change, and is told. A client that cannot ask gets an error, unless the server runs
  with ` + "`--confirm client`" + `.
- ` + "`outcome_unknown`" + ` is the code of a change that was made or not: look before you call again. Creations name a UUID with which they can be
  called again and create once.
- A failure has a code, a message and a hint that says what to do next.

This page is written by a test from the definitions of the tools (` + "`go test ./mcp/tools -run TestToolReference -update`" + `).

`

// The reference of the tools is what their definitions say.
func TestToolReference(t *testing.T) {
	t.Parallel()
	want := toolReference(t)
	path := filepath.Join("..", "..", "docs", "tools.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, want == string(got), "docs/tools.md is not what the code says: go test ./mcp/tools -run TestToolReference -update")
}

func toolReference(t *testing.T) string {
	t.Helper()
	set, _ := definitions(t)
	calls, sets, about := exampleCalls(t), setsByBackend(t), describedSets(t, set)
	var b strings.Builder
	b.WriteString(toolReferenceHead)
	fmt.Fprintf(&b, "## Tool sets\n\n%d tools. Where neither the operator nor the client names sets, the role of the login decides: a tenant's user gets\n%s; a role of the System tenant, which may change\nthe dictionary, %s. A session switches on\nothers with [listToolsets](#listtoolsets).\n\n| Set | What it is for | Tools |\n|---|---|---|\n",
		len(set), codes(defaultSets(tenantUser)...), codes(defaultSets(systemUser)...))
	for _, s := range about {
		var links []string
		for _, name := range s.Tools {
			links = append(links, "["+name+"](#"+strings.ToLower(name)+")")
		}
		tableRow(&b, code(s.Name), s.About, strings.Join(links, ", "))
	}
	tableRow(&b, code(tools.SetOwn), "queries of the operator's own, each a tool: see [queries.md](queries.md)", "those of `--queries`")
	for _, s := range about {
		of := set.Filter(nil, func(tool mcp.Tool) bool { return tool.Sets[0] == s.Name })
		if len(of) == 0 {
			continue
		}
		require.NotEmpty(t, setTitles[s.Name], s.Name)
		fmt.Fprintf(&b, "\n## %s\n", setTitles[s.Name])
		for _, tool := range of {
			writeTool(t, &b, tool, needed(sets, tool.Name), calls[tool.Name])
		}
	}
	return b.String()
}

// describedSet is a tool set as listToolsets describes it.
type describedSet struct {
	Name, About, On string
	Tools           []string
	Tokens          int
}

// describedSets are all tool sets, each of which has a description.
func describedSets(t *testing.T, set mcp.Set) []describedSet {
	t.Helper()
	list, ok := set.Tool("listToolsets")
	require.True(t, ok)
	res, err := list.Invoke(t.Context(), &mcp.Call{})
	require.NoError(t, err)
	raw, err := json.Marshal(res)
	require.NoError(t, err)
	var out struct{ Toolsets []describedSet }
	require.NoError(t, json.Unmarshal(raw, &out))
	var names []string
	for _, s := range out.Toolsets {
		assert.NotEmpty(t, s.About, s.Name)
		assert.Equal(t, "yes", s.On, s.Name)
		names = append(names, s.Name)
	}
	require.ElementsMatch(t, set.SetNames(), names)
	return out.Toolsets
}

// defaultSets are the sets of a caller who names none, apart from the operator's own.
func defaultSets(c mcp.Caller) []string {
	return slices.DeleteFunc(tools.DefaultSets(c), func(name string) bool { return name == tools.SetOwn })
}

var tenantUser, systemUser = mcp.Caller{Known: true, ClientID: 11, RoleID: 103}, mcp.Caller{Known: true}

// writeTool writes one tool, with the arguments of a call as they are in the file
// of examples.
func writeTool(t *testing.T, b *strings.Builder, tool mcp.Tool, needs []string, call json.RawMessage) {
	t.Helper()
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", tool.Name, escaped(tool.Description))
	fmt.Fprintf(b, "- **Tool sets:** %s\n- **Effect:** %s\n", codes(tool.Sets...), effect(tool))
	if len(needs) < len(toolNeeds) {
		fmt.Fprintf(b, "- **Needs one of:** %s\n", strings.Join(needs, ", "))
	}
	fmt.Fprintf(b, "- **Time limit:** %d s\n", int(tool.Limit().Seconds()))
	fmt.Fprintf(b, "- **Result:** %s\n", codes(order(tool.Output)...))
	if len(tool.Input.Properties) == 0 {
		b.WriteString("- **Arguments:** none\n")
	} else {
		b.WriteString("\n| Argument | Type | Default | Limits | What it is |\n|---|---|---|---|---|\n")
		writeArguments(t, b, "", tool.Input)
	}
	if len(call) > len("{}") {
		fmt.Fprintf(b, "\n```json\n%s\n```\n", call)
	}
}

// effect is what the hints say.
func effect(tool mcp.Tool) string {
	if tool.Hints.ReadOnly {
		return "reads only"
	}
	parts := []string{"adds to what is there"}
	if tool.Hints.Destructive {
		parts[0] = "changes what is there; what it replaces or deletes may be lost"
	}
	if tool.Hints.OpenWorld {
		parts = append(parts, "may reach beyond the ERP")
	}
	if tool.Hints.Idempotent {
		parts = append(parts, "calling it again with the same arguments changes nothing more")
	}
	if tool.Confirms {
		parts = append(parts, "**asks for confirmation**")
	}
	if tool.Unasked != "" {
		parts = append(parts, tool.Unasked)
	}
	return strings.Join(parts, "; ")
}

// setsByBackend are all tools as they are with each kind of backend alone.
func setsByBackend(t *testing.T) []mcp.Set {
	t.Helper()
	var sets []mcp.Set
	for _, n := range toolNeeds {
		pool, err := backend.NewPool("", n.backend)
		require.NoError(t, err)
		sets = append(sets, tools.New(tools.Options{Pool: pool}).Tools())
	}
	return sets
}

// needed are the backends with which a tool is available.
func needed(sets []mcp.Set, name string) []string {
	var names []string
	for i, set := range sets {
		if tool, ok := set.Tool(name); ok && (tool.Available == nil || tool.Available(mcp.Caller{})) {
			names = append(names, toolNeeds[i].name)
		}
	}
	return names
}

// writeArguments writes a line for each property, and for those of objects and of
// objects in lists.
func writeArguments(t *testing.T, b *strings.Builder, within string, s *jsonschema.Schema) {
	t.Helper()
	for _, name := range order(s) {
		p := s.Properties[name]
		def := ""
		switch {
		case slices.Contains(s.Required, name):
			def = "**required**"
		case p.Default != nil:
			def = code(string(p.Default))
		}
		tableRow(b, code(within+name), kind(p), def, limits(p), escaped(p.Description))
		inner, suffix := p, "."
		if p.Items != nil {
			inner, suffix = p.Items, "[]."
		}
		writeArguments(t, b, within+name+suffix, inner)
	}
}

// order are the names of the properties as the schema lists them.
func order(s *jsonschema.Schema) []string {
	var names []string
	for _, name := range s.PropertyOrder {
		if s.Properties[name] != nil {
			names = append(names, name)
		}
	}
	var rest []string
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

func kind(p *jsonschema.Schema) string {
	switch {
	case p.Items != nil:
		return "list of " + kind(p.Items)
	case len(p.Types) > 0:
		return strings.Join(slices.DeleteFunc(slices.Clone(p.Types), func(s string) bool { return s == "null" }), " or ")
	case p.Type == "":
		return "any"
	}
	return p.Type
}

func limits(p *jsonschema.Schema) string {
	var parts []string
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	switch {
	case p.Minimum != nil && p.Maximum != nil:
		parts = append(parts, number(*p.Minimum)+" to "+number(*p.Maximum))
	case p.Minimum != nil:
		parts = append(parts, "at least "+number(*p.Minimum))
	case p.Maximum != nil:
		parts = append(parts, "at most "+number(*p.Maximum))
	}
	most := func(least, most *int, what string) {
		switch {
		case least != nil && *least > 0 && most != nil:
			parts = append(parts, fmt.Sprintf("%d to %d %s", *least, *most, what))
		case least != nil && *least > 0:
			parts = append(parts, fmt.Sprintf("at least %d %s", *least, what))
		case most != nil:
			parts = append(parts, fmt.Sprintf("at most %d %s", *most, what))
		}
	}
	most(p.MinLength, p.MaxLength, "characters")
	most(p.MinItems, p.MaxItems, "entries")
	most(p.MinProperties, p.MaxProperties, "members")
	if values := p.Enum; len(values) > 0 {
		var texts []string
		for _, v := range values {
			texts = append(texts, fmt.Sprint(v))
		}
		parts = append(parts, codes(texts...))
	}
	if p.Items != nil {
		if each := limits(p.Items); each != "" {
			parts = append(parts, "each: "+each)
		}
	}
	return strings.Join(parts, "; ")
}

// exampleCalls are the arguments of one call of each tool.
func exampleCalls(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "examples.json"))
	require.NoError(t, err)
	var calls map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &calls))
	return calls
}

// Every tool has an example. Its arguments fit the schema, and tools that only
// read succeed with them in the embedded ERP.
func TestToolExamples(t *testing.T) {
	t.Parallel()
	k := reachable(t).db
	set, _ := definitions(t)
	calls := exampleCalls(t)
	for name := range calls {
		_, ok := set.Tool(name)
		assert.True(t, ok, "there is an example of %s, which is no tool", name)
	}
	elsewhere := []string{
		"currentDeployments", "deploymentHistory", // TestDeployments installs the log
	}
	for _, tool := range set {
		call, ok := calls[tool.Name]
		if !assert.True(t, ok, "%s has no example in testdata/examples.json", tool.Name) {
			continue
		}
		schema, err := tool.Input.Resolve(nil)
		require.NoError(t, err, tool.Name)
		var arguments map[string]any
		require.NoError(t, json.Unmarshal(call, &arguments), tool.Name)
		assert.NoError(t, schema.Validate(arguments), tool.Name)
		if tool.Hints.ReadOnly && !slices.Contains(elsewhere, tool.Name) {
			who := root
			if tool.In(tools.SetQuery, tools.SetMetrics) || tool.Name == "explainAccess" {
				who = admin // data are the tenant's
			}
			_, err := k.invoke(t, &mcp.Call{Caller: k.as(t, who)}, tool.Name, arguments)
			assert.NoError(t, err, tool.Name)
		}
	}
}

func code(s string) string { return "`" + s + "`" }

func codes(texts ...string) string {
	var quoted []string
	for _, s := range texts {
		quoted = append(quoted, code(s))
	}
	return strings.Join(quoted, ", ")
}

// escaped is text that Markdown shows as it is.
func escaped(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "<", `\<`, "`", "\\`", "[", `\[`).Replace(s)
}

func tableRow(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + strings.ReplaceAll(strings.ReplaceAll(c, "|", `\|`), "\n", " ") + " ")
	}
	b.WriteString("|\n")
}
