package tools_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

type templatesAnswer struct {
	Templates []struct {
		Name, Topic, Title, About, SQL string
		Params                         []struct {
			Name, About string
			Example     any
		}
	}
	Total int
}

// Every template runs as it is printed, and finds what the demo data has.
func TestQueryTemplates(t *testing.T) {
	t.Parallel()
	w := reachable(t)
	all := answer[templatesAnswer](t, w.db, admin, "getQueryTemplates", nil)
	assert.GreaterOrEqual(t, all.Total, 15)
	var topics []string
	for _, line := range all.Templates {
		assert.Empty(t, line.SQL, "the list is short")
		if !slices.Contains(topics, line.Topic) {
			topics = append(topics, line.Topic)
		}
	}
	ran := 0
	for _, topic := range topics {
		for _, tm := range answer[templatesAnswer](t, w.db, admin, "getQueryTemplates", args{"topic": topic}).Templates {
			examples := []any{}
			for _, p := range tm.Params {
				require.NotEmpty(t, p.About, tm.Name)
				examples = append(examples, p.Example)
			}
			call := args{"sql": tm.SQL, "params": examples, "maxRows": 1000}
			got := answer[queryAnswer](t, w.db, admin, "executeQuery", call)
			assert.Equal(t, slices.Contains([]string{"unbalanced-documents", "purchases-to-receive"}, tm.Name), len(got.Rows) == 0, "%s: %d rows", tm.Name, len(got.Rows))
			assert.Equal(t, got, answer[queryAnswer](t, w.ai, admin, "executeQuery", call), tm.Name)
			assert.NotEmpty(t, tm.About)
			ran++
		}
	}
	assert.Equal(t, all.Total, ran)

	one := answer[templatesAnswer](t, w.db, admin, "getQueryTemplates", args{"name": "Top-Customers"})
	require.Len(t, one.Templates, 1)
	assert.Contains(t, one.Templates[0].SQL, "SELECT")
	e := refusal(t, w.db, admin, "getQueryTemplates", args{"name": "top-custmers"}, mcp.CodeNotFound)
	assert.Contains(t, e.Hint, "top-customers")
	e = refusal(t, w.db, admin, "getQueryTemplates", args{"topic": "sale"}, mcp.CodeInvalidArguments)
	assert.Contains(t, e.Hint, "sales")
}
