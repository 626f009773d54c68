package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/tools"
)

var update = flag.Bool("update", false, "write the definitions of the tools to testdata")

// definitions are all tools as clients see them, made without an ERP.
func definitions(t *testing.T) (mcp.Set, []json.RawMessage) {
	t.Helper()
	set := tools.New(tools.Options{}).Tools()
	require.NoError(t, set.Check())
	list, err := set.Export(mcp.FormatMCP)
	require.NoError(t, err)
	require.Len(t, list, len(set))
	return set, list
}

// What an assistant is told about the tools changes only where somebody wants
// it to: go test ./mcp/tools -run TestDefinitions -update
func TestDefinitions(t *testing.T) {
	t.Parallel()
	_, list := definitions(t)
	var got bytes.Buffer
	for _, raw := range list {
		require.NoError(t, json.Indent(&got, raw, "", "\t"))
		got.WriteByte('\n')
	}
	path := filepath.Join("testdata", "definitions.json")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if !bytes.Equal(want, got.Bytes()) {
		assert.Equal(t, string(want), got.String(), "run the test with -update if that is wanted, and look at the difference")
	}
}

// Clients pay for definitions in every conversation.
func TestEverySetIsShort(t *testing.T) {
	t.Parallel()
	set, list := definitions(t)
	bySet, tenant, system, every := map[string]int{}, 0, 0, 0
	for i, tool := range set {
		size := mcp.EstimateTokens(len(list[i]))
		var d map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(list[i], &d))
		shown := mcp.EstimateTokens(len(d["name"]) + len(d["description"]) + len(d["inputSchema"])) // to a model
		every += shown
		if tool.In(tools.DefaultSets(tenantUser)...) {
			tenant += shown
		}
		if tool.In(tools.DefaultSets(systemUser)...) {
			system += shown
		}
		for _, name := range tool.Sets {
			bySet[name] += size
		}
		assert.LessOrEqual(t, size, 1700, tool.Name)
	}
	t.Logf("tokens of a tenant's user: %d; of System: %d; of all tools: %d; of each set, output schemas included: %v", tenant, system, every, bySet)
	assert.LessOrEqual(t, tenant, 4000)
	assert.LessOrEqual(t, system, 6500)
	assert.LessOrEqual(t, every, 10_000)
	delete(bySet, tools.SetSpec) // as many as the specification wants
	for name, size := range bySet {
		assert.LessOrEqual(t, size, 6000, name)
	}
}

// Every tool of the specification is there, in a set, and says what it does to
// the ERP.
func TestToolsOfTheSpecification(t *testing.T) {
	t.Parallel()
	set, _ := definitions(t)
	want := map[string][]string{
		tools.SetRegistry:  {"listTables", "describeTable", "listColumns", "listWindows", "listProcesses", "listReferences", "searchRegistry", "getStatistics"},
		tools.SetQuery:     {"executeQuery", "explainQuery", "getQueryTemplates"},
		tools.SetTable:     {"createTable", "addColumn", "syncTable", "listTablesByEntity", "deleteTable", "getColumnPrefixHelp"},
		tools.SetGenerator: {"listGenerators", "getGeneratorInfo", "generatePlugin", "generateModel", "generateProcess", "generateCallout", "runGenerator"},
		tools.SetDoctor:    {"checkEnvironment", "checkApi", "checkDatabase", "getConfigStatus"},
		tools.SetRecords:   {"createRecord", "updateRecord", "deleteRecord", "writeRecords", "decideWorkflow", "processDocument", "printRecord", "recordAttachments", "executeProcess"},
		tools.SetMetrics:   {"listMetrics", "queryMetric", "aggregateRecords"},
		tools.SetDeploy:    {"currentDeployments", "deploymentHistory", "startDeployment", "updateDeployment", "completeDeployment"},
		tools.SetChat: {
			"searchRecords", "getTableColumns", "getRecord", "listProcesses", "executeProcess", "listServerJobs", "getServerJob", "toggleServerJob",
			"searchKnowledge", "executeQuery", "checkHealth", "getBackendStatus", "whoAmI",
		},
		tools.SetAccess: {"whoAmI", "explainAccess", "listToolsets"},
	}
	specified := slices.DeleteFunc(slices.Concat(want[tools.SetRegistry], want[tools.SetQuery], want[tools.SetTable], want[tools.SetGenerator], want[tools.SetDoctor]),
		func(name string) bool { return name == "addColumn" }) // came later
	assert.ElementsMatch(t, specified, set.Filter([]string{tools.SetSpec}).Names())
	for name, names := range want {
		for _, n := range names {
			tool, ok := set.Tool(n)
			if assert.True(t, ok, n) {
				assert.Contains(t, tool.Sets, name, n)
			}
		}
	}
	writes := []string{
		"createTable", "syncTable", "deleteTable", "generatePlugin", "generateModel", "generateProcess", "generateCallout", "runGenerator",
		"createRecord", "updateRecord", "startDeployment", "updateDeployment", "completeDeployment", "executeProcess", "toggleServerJob",
		"processDocument", "printRecord", "recordAttachments", "deleteRecord", "writeRecords", "decideWorkflow", "addColumn",
	}
	destroys := []string{"deleteTable", "updateRecord", "executeProcess", "processDocument", "deleteRecord", "recordAttachments", "writeRecords", "decideWorkflow"}
	for _, tool := range set {
		assert.Equal(t, !slices.Contains(writes, tool.Name), tool.Hints.ReadOnly, tool.Name)
		if slices.Contains(destroys, tool.Name) {
			assert.True(t, tool.Hints.Destructive, tool.Name)
		}
		if tool.Hints.ReadOnly {
			assert.True(t, tool.Hints.Idempotent, tool.Name)
		}
		assert.NotNil(t, tool.Output, "%s has no output schema", tool.Name)
		assert.NotEmpty(t, tool.Title, tool.Name)
		assert.NotEmpty(t, tool.Sets, tool.Name)
		undescribed(t, tool.Name, tool.Input)
	}
}

// undescribed reports arguments without a description, those of objects in
// lists as well.
func undescribed(t *testing.T, at string, s *jsonschema.Schema) {
	t.Helper()
	if s == nil {
		return
	}
	for name, p := range s.Properties {
		assert.NotEmpty(t, p.Description, "%s: the argument %s has no description", at, name)
		undescribed(t, at+"."+name, p)
	}
	undescribed(t, at, s.Items)
}
