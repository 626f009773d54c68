package tools_test

import (
	"context"
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/tools"
)

// What a login gets first is what its role can use; a set of dictionary tools is for
// roles of the System tenant.
func TestTheDefaultSuitsTheRole(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		who      login
		has, not []string
	}{
		"a user of a tenant": {user, []string{"queryMetric", "aggregateRecords", "searchRecords", "executeQuery", "describeTable", "createRecord", "processDocument", "printRecord", "whoAmI", "explainAccess", "listToolsets"}, []string{"createTable", "addColumn", "generatePlugin", "checkApi", "startDeployment"}},
		"an admin of one":    {admin, []string{"queryMetric", "writeRecords", "whoAmI", "listToolsets"}, []string{"createTable", "syncTable", "generateModel", "checkDatabase"}},
		"System":             {root, []string{"createTable", "addColumn", "syncTable", "generatePlugin", "checkEnvironment", "listTables", "executeQuery", "listToolsets"}, []string{"queryMetric", "createRecord", "processDocument"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names, _ := shared(t).sessionAs(t, tc.who, presence(true), mcp.BoundaryOptions{DefaultToolsets: tools.DefaultSets}, nil).listed(t)
			assert.Subset(t, names, tc.has)
			for _, tool := range tc.not {
				assert.NotContains(t, names, tool)
			}
		})
	}
}

// A session finds what else there is, as far as it is allowed, and switches it on.
func TestListToolsets(t *testing.T) {
	t.Parallel()
	heard := make(chan struct{}, 1)
	s := shared(t).session(t, presence(true), mcp.BoundaryOptions{
		DefaultToolsets: tools.DefaultSets, Rules: []mcp.Rule{{Deny: []string{"set:generator", "startDeployment"}}},
	}, &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { heard <- struct{}{} }})
	assert.Contains(t, s.InitializeResult().Instructions, "listToolsets")
	ask := func(arguments map[string]any) (map[string]describedSet, *mcp.Error) {
		t.Helper()
		res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "listToolsets", Arguments: arguments})
		require.NoError(t, err)
		text := []byte(res.Content[0].(*sdk.TextContent).Text)
		if res.IsError {
			var failed mcp.Error
			require.NoError(t, json.Unmarshal(text, &failed))
			return nil, &failed
		}
		var out struct{ Toolsets []describedSet }
		require.NoError(t, json.Unmarshal(text, &out))
		sets := map[string]describedSet{}
		for _, set := range out.Toolsets {
			sets[set.Name] = set
		}
		return sets, nil
	}
	sets, failed := ask(nil)
	require.Nil(t, failed)
	assert.Equal(t, "yes", sets[tools.SetMetrics].On)
	assert.Equal(t, "partly", sets[tools.SetRegistry].On)
	assert.Equal(t, "no", sets[tools.SetDeploy].On)
	assert.Equal(t, []string{"currentDeployments", "deploymentHistory", "updateDeployment", "completeDeployment"}, sets[tools.SetDeploy].Tools)
	assert.Positive(t, sets[tools.SetDeploy].Tokens)
	assert.NotContains(t, sets, tools.SetGenerator, "forbidden")
	assert.NotContains(t, sets, tools.SetOwn, "there are none")

	for set, want := range map[string]string{"generator": mcp.CodePermissionDenied, "deployments": mcp.CodeInvalidArguments, "all": mcp.CodeInvalidArguments} {
		_, failed := ask(map[string]any{"switchOn": set})
		require.NotNil(t, failed, set)
		assert.Equal(t, want, failed.Code, set)
	}
	before, _ := s.listed(t)
	sets, failed = ask(map[string]any{"switchOn": "deploy"})
	require.Nil(t, failed)
	require.Len(t, sets, 1)
	assert.Equal(t, "yes", sets[tools.SetDeploy].On)
	<-heard
	after, _ := s.listed(t)
	assert.ElementsMatch(t, append(before, sets[tools.SetDeploy].Tools...), after)
	sets, failed = ask(map[string]any{"switchOn": "deploy"})
	require.Nil(t, failed, "it was on already")
	assert.Equal(t, "yes", sets[tools.SetDeploy].On)
}
