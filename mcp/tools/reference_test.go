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

// setTexts say what the tool sets are for, in the order of the reference.
var setTexts = []struct{ name, title, about string }{
	{tools.SetRegistry, "The dictionary", "look up tables, columns, windows, processes and lists"},
	{tools.SetQuery, "Queries", "read data: SQL with the permissions of a role, and records by filter"},
	{tools.SetMetrics, "Metrics", "figures with a definition, and sums without SQL"},
	{tools.SetRecords, "Records", "create, change and delete records, process documents, run processes"},
	{tools.SetTable, "Tables", "create and change tables of the dictionary"},
	{tools.SetAccess, "Permissions", "who the caller is, and who may do what"},
	{tools.SetDeploy, "Deployments", "the log of builds and deployments"},
	{tools.SetGenerator, "Plugins", "generate the sources of plugins"},
	{tools.SetDoctor, "Diagnosis", "examine the environment, the connections and the configuration"},
	{tools.SetChat, "Chat agents", "what a chat agent inside the ERP needs; most of it is in other sets, too"},
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
	calls, sets := exampleCalls(t), setsByBackend(t)
	var known []string
	for _, s := range setTexts {
		known = append(known, s.name)
	}
	for _, name := range set.SetNames() {
		require.Contains(t, known, name, "setTexts says what a set is for")
	}

	var b strings.Builder
	b.WriteString(toolReferenceHead)
	fmt.Fprintf(&b, "## Tool sets\n\n%d tools. Enabled by default: %s.\n\n| Set | What it is for | Tools |\n|---|---|---|\n", len(set), codes(tools.DefaultSets()...))
	for _, s := range setTexts {
		var links []string
		for _, name := range set.Filter([]string{s.name}).Names() {
			links = append(links, "["+name+"](#"+strings.ToLower(name)+")")
		}
		require.NotEmpty(t, links, "the set %s has no tools", s.name)
		tableRow(&b, code(s.name), s.about, strings.Join(links, ", "))
	}
	tableRow(&b, code(tools.SetOwn), "queries of the operator's own, each a tool: see [queries.md](queries.md)", "those of `--queries`")
	for _, s := range setTexts {
		of := set.Filter(nil, func(tool mcp.Tool) bool { return tool.Sets[0] == s.name })
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n", s.title)
		for _, tool := range of {
			writeTool(t, &b, tool, needed(sets, tool.Name), calls[tool.Name])
		}
	}
	return b.String()
}

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
