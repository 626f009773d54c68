package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
)

const ownQueries = `
queries:
  - name: partnersOfGroup
    title: Partners of a group
    description: Lists the active partners of a partner group, by name.
    sql: |
      SELECT bp.value, bp.name FROM c_bpartner bp JOIN c_bp_group g ON g.c_bp_group_id = bp.c_bp_group_id
      WHERE g.name = $1 AND bp.isactive = $2 AND bp.created >= $3 ORDER BY bp.name
    parameters:
      - {name: group, description: name of the group}
      - {name: active, description: "whether they are active: Y or N", values: [Y, N], default: Y}
      - {name: since, type: date, description: made since, default: 2000-01-01}
    maxRows: 3
  - name: passwords
    description: Tries to read what nobody may.
    sql: SELECT name, password FROM ad_user WHERE ad_user_id = coalesce($1, 101)
    parameters:
      - {name: user, type: integer, description: number of the user, optional: true}
`

func TestOwnQueries(t *testing.T) {
	t.Parallel()
	ways := reachable(t)
	queries, err := tools.ReadOwnQueries(strings.NewReader(ownQueries))
	require.NoError(t, err)
	set := tools.New(tools.Options{Pool: ways.pools[backend.DB], OwnQueries: queries}).Tools()
	require.NoError(t, set.Check())
	k := &kit{srv: ways.db.srv, rest: ways.db.rest, set: set, callers: ways.db.callers}
	tool, ok := set.Tool("partnersOfGroup")
	require.True(t, ok)
	assert.True(t, tool.Hints.ReadOnly)
	assert.Equal(t, []string{tools.SetOwn}, tool.Sets)
	raw, err := json.Marshal(tool.Definition().Input)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"required":["group"]`)

	got := response[queryResponse](t, k, admin, "partnersOfGroup", args{"group": "Standard"})
	require.NotEmpty(t, got.Rows)
	assert.LessOrEqual(t, got.RowCount, 3)
	// What looks like SQL is a value.
	got = response[queryResponse](t, k, admin, "partnersOfGroup", args{"group": "x' OR '1'='1"})
	assert.Empty(t, got.Rows)
	got = response[queryResponse](t, k, admin, "partnersOfGroup", args{"group": "Standard", "since": "2999-01-01"})
	assert.Empty(t, got.Rows)
	for _, wrong := range []args{{}, {"group": 7.5}, {"group": "Standard", "active": "X"}, {"group": "Standard", "since": "yesterday"}, {"group": "Standard", "sql": "SELECT 1"}} {
		refusal(t, k, admin, "partnersOfGroup", wrong, mcp.CodeInvalidArguments)
	}
	got = response[queryResponse](t, k, admin, "passwords", args{})
	assert.Equal(t, [][]any{{"GardenAdmin", "***"}}, got.Rows)
}

func TestOwnQueriesRefused(t *testing.T) {
	t.Parallel()
	query := func(more string) string {
		return "queries:\n  - name: a\n    description: b\n    sql: SELECT $1\n    " + strings.ReplaceAll(more, "\n", "\n    ")
	}
	one := "parameters:\n  - {name: p, description: d"
	for name, tc := range map[string]struct{ text, want string }{
		"empty":                 {"", "there are no queries"},
		"no list":               {"queries: yes", "write a list below queries:"},
		"two documents":         {ownQueries + "---\nqueries: []\n", "more than one YAML document"},
		"misspelt":              {query(one + "}\nmaxrows: 3"), "line 7: field maxrows not found"},
		"name":                  {strings.Replace(ownQueries, "name: passwords", "name: pass words", 1), "query 2 (pass words): name"},
		"no description":        {"queries: [{name: a, sql: SELECT 1}]", "description: a model chooses"},
		"no statement":          {"queries: [{name: a, description: b}]", "sql: it is missing"},
		"too few parameters":    {query(""), "$1 stands for no parameter, of which there are 0"},
		"parameter not used":    {query(one + "}\n  - {name: q, description: d}"), "parameter q is not used: $2"},
		"parameter twice":       {strings.Replace(query(one+"}\n  - {name: p, description: d}"), "$1", "$1, $2", 1), "two parameters p"},
		"undescribed":           {query("parameters: [{name: p}]"), "parameter p has no description"},
		"type":                  {query(one + ", type: money}"), "money"},
		"default of other type": {query(one + ", type: integer, default: x}"), "default does not fit"},
		"value of other type":   {query(one + ", type: integer, values: [1, x]}"), "value x does not fit"},
		"default not allowed":   {query(one + ", values: [a, b], default: c}"), "default does not fit"},
		"rows":                  {query(one + "}\nmaxRows: -1"), "maxRows"},
		"long":                  {strings.Repeat("#", 2<<20), "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tools.ReadOwnQueries(strings.NewReader(tc.text))
			require.Error(t, err)
			assert.Contains(t, err.Error(), tc.want)
		})
	}
}

func FuzzOwnQueries(f *testing.F) {
	f.Add(ownQueries)
	f.Add("queries: [{name: a, description: b, sql: SELECT $1, parameters: [{name: p, description: d, type: date, default: 2020-01-01}]}]")
	f.Fuzz(func(t *testing.T, text string) {
		queries, err := tools.ReadOwnQueries(strings.NewReader(text))
		if err != nil {
			return
		}
		set := tools.New(tools.Options{OwnQueries: queries}).Tools() // does not panic
		for _, q := range queries {
			_, ok := set.Tool(q.Name)
			assert.True(t, ok, q.Name)
		}
	})
}
