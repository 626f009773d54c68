package erptest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// batchResult is one entry of the response to a batch.
type batchResult struct {
	Status     string          `json:"status"`
	StatusCode int             `json:"statusCode"`
	Body       json.RawMessage `json:"body"`
}

func runBatch(t testing.TB, srv *erptest.Server, token, query, body string) (response, []batchResult) {
	t.Helper()
	a := request{method: "POST", path: "/batch" + query, token: token, body: body}.do(t, srv)
	var results []batchResult
	if strings.HasPrefix(a.body, "[") {
		require.NoError(t, json.Unmarshal([]byte(a.body), &results), a.body)
	}
	return a, results
}

func newGroup(value string) string {
	return fmt.Sprintf(`{"method":"POST","path":"v1/models/C_BP_Group","body":{"Value":%q,"Name":%q}}`, value, value)
}

func groups(t testing.TB, srv *erptest.Server, token, value string) int {
	t.Helper()
	return len(ids(t, srv, token, "C_BP_Group", "Value eq '"+value+"'"))
}

func TestBatchInOneTransaction(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, _ := logIn(t, srv, asGardenAdmin)

	a, results := runBatch(t, srv, token, "", "["+newGroup("one")+","+newGroup("two")+"]")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Len(t, results, 2)
	assert.Equal(t, []string{"status", "statusCode", "body"}, memberNames(t, strings.TrimSuffix(strings.TrimPrefix(a.body, "["), "]")))
	assert.Equal(t, "Created", results[0].Status)
	assert.Equal(t, 201, results[0].StatusCode)
	assert.Regexp(t, `"id":[0-9.]+(\.0|E[0-9]+)[,}]`, string(results[0].Body), "numbers are floating point")
	assert.Equal(t, 1, groups(t, srv, token, "one"))

	t.Run("a failure undoes all", func(t *testing.T) {
		a, results := runBatch(t, srv, token, "?transaction=true", "["+newGroup("three")+`,{"method":"PUT","path":"v1/models/C_BP_Group/4711","body":{}},`+newGroup("four")+"]")
		assert.Equal(t, http.StatusBadRequest, a.status)
		require.Len(t, results, 2, "results up to the failure: %s", a.body)
		assert.Equal(t, 201, results[0].StatusCode)
		assert.Equal(t, "Not Found", results[1].Status)
		assert.Contains(t, string(results[1].Body), `"status":404.0`)
		assert.Zero(t, groups(t, srv, token, "three"))
		assert.Zero(t, groups(t, srv, token, "four"))
	})
	t.Run("a uuid given up front can be referred to", func(t *testing.T) {
		const uu = "0195d6a0-0000-7000-8000-000000000001"
		a, results := runBatch(t, srv, token, "", `[{"method":"post","path":"v1/models/C_BP_Group","body":{"C_BP_Group_UU":"`+uu+`","Value":"five","Name":"Five"}},
			{"method":"POST","path":"v1/models/C_BPartner","body":{"Value":"member","Name":"Member","C_BP_Group_ID":{"uid":"`+uu+`"}}}]`)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Len(t, results, 2)
		assert.Regexp(t, `"identifier":"<\d+>"`, string(results[1].Body), "what the batch made is displayed by its id")
	})
	t.Run("the same tables as outside", func(t *testing.T) {
		user, _ := logIn(t, srv, asGardenUser)
		a, results := runBatch(t, srv, user, "", `[{"method":"PUT","path":"v1/models/C_BankAccount/100","body":{}}]`)
		assert.Equal(t, http.StatusBadRequest, a.status)
		require.Len(t, results, 1)
		assert.Equal(t, 403, results[0].StatusCode, a.body)
	})
}

func TestBatchOneByOne(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, _ := logIn(t, srv, asGardenAdmin)
	a, results := runBatch(t, srv, token, "?transaction=false", `[`+newGroup("one")+`,
		{"method":"patch","path":"v1/models/C_BP_Group"},
		{"path":"v1/models/C_BP_Group"},
		{"method":"POST","path":"v1/models/Nowhere","body":{}},
		{"method":"POST","path":"v1/nowhere","body":{}},
		{"method":"POST","path":"v1/models/C BP","body":{}},
		{"method":"POST","path":"v1/batch","body":[]},
		`+newGroup("two")+`]`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Len(t, results, 8)
	assert.Equal(t, `{"status":"Bad Request","statusCode":400,"body":"Unsupported Method: PATCH"}`, asJSON(t, results[1]))
	for i, status := range []int{201, 400, 500, 404, 404, 500, 400, 201} {
		assert.Equal(t, status, results[i].StatusCode, "request %d: %s", i, results[i].Body)
	}
	assert.Equal(t, "null", string(results[4].Body), "no page of the container")
	assert.Equal(t, `"The request has no method: give POST, PUT or DELETE"`, string(results[2].Body))
	assert.Equal(t, 1, groups(t, srv, token, "one"))
	assert.Equal(t, 1, groups(t, srv, token, "two"))
	_, results = runBatch(t, srv, token, "?transaction=1", "["+newGroup("three")+`,{"method":"GET","path":"x"}]`)
	assert.Len(t, results, 2)
	assert.Equal(t, 1, groups(t, srv, token, "three"), "only true is true")
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestBatchRefused(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, _ := logIn(t, srv, asGardenAdmin)
	for _, tc := range []struct {
		name, body string
		status     int
	}{
		{"no array", `{}`, 400},
		{"unknown member", `[{"method":"POST","url":"v1/models/X"}]`, 400},
		{"cut off", `[{"method":"POST"`, 400},
		{"empty", " ", 500},
		{"too many", "[" + strings.Repeat(`{},`, 10_000) + `{}]`, 400},
		{"nothing to do", "[]", 200},
	} {
		a, _ := runBatch(t, srv, token, "", tc.body)
		assert.Equal(t, tc.status, a.status, "%s: %.200s", tc.name, a.body)
	}
	assert.Equal(t, http.StatusUnauthorized, request{method: "POST", path: "/batch", body: "[]"}.do(t, srv).status)
}

// References of a batch, as plugins of July 2026 and later know them.
func TestBatchReferences(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, _ := logIn(t, srv, asGardenAdmin)
	const group = `{"method":"POST","path":"v1/models/C_BP_Group","responseAlias":"g","body":{"Value":%q,"Name":"Group @ 5"}}`
	const member = `{"method":"POST","path":"v1/models/C_BPartner","body":{"Value":%q,"Name":"Member","C_BP_Group_ID":%s}}`
	pair := func(value, ref string) string {
		return "[" + fmt.Sprintf(group, value) + "," + fmt.Sprintf(member, value, ref) + "]"
	}
	for _, tc := range []struct{ name, ref string }{
		{"a member", `"@g$.id@"`},
		{"in brackets", `"@g$['id']@"`},
		{"in an object", `{"uid":"@g$.uid@"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			value := strings.ReplaceAll(tc.name, " ", "-")
			a, results := runBatch(t, srv, token, "", pair(value, tc.ref))
			require.Equal(t, http.StatusOK, a.status, a.body)
			var made, partner struct {
				ID    float64 `json:"id"`
				Name  string  `json:"Name"`
				Group struct {
					ID float64 `json:"id"`
				} `json:"C_BP_Group_ID"`
			}
			require.NoError(t, json.Unmarshal(results[0].Body, &made))
			require.NoError(t, json.Unmarshal(results[1].Body, &partner))
			assert.Equal(t, made.ID, partner.Group.ID)
			assert.Equal(t, "Group @ 5", made.Name)
		})
	}
	for _, tc := range []struct{ name, body, says string }{
		{"no such alias", pair("r1", `"@other$.id@"`), "responseAlias 'other'"},
		{"no such member", pair("r2", `"@g$.nope@"`), "no 'nope'"},
		{"a path beyond names and indexes", pair("r3", `"@g$..id@"`), "JSONPath"},
		{"no such variable", pair("r4", `"@#Nonsense@"`), "@#Nonsense@"},
		{"an alias used twice", "[" + fmt.Sprintf(group, "r5") + "," + fmt.Sprintf(group, "r6") + "]", "responseAlias 'g'"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, results := runBatch(t, srv, token, "", tc.body)
			require.Equal(t, http.StatusBadRequest, a.status, a.body)
			require.Len(t, results, 2)
			assert.Equal(t, 400, results[1].StatusCode)
			assert.Contains(t, string(results[1].Body), tc.says)
			assert.Zero(t, groups(t, srv, token, "r1"))
		})
	}
	t.Run("variables of the session are text, other texts stay", func(t *testing.T) {
		_, results := runBatch(t, srv, token, "", `[{"method":"POST","path":"v1/models/C_BP_Group","body":{"Value":"@literal@","Name":"@#AD_Client_ID@","Description":"5 $ @ home@"}}]`)
		require.Len(t, results, 1)
		for _, text := range []string{`"Value":"@literal@"`, `"Name":"11"`, `"Description":"5 $ @ home@"`} {
			assert.Contains(t, string(results[0].Body), text)
		}
	})
	t.Run("a failed request has no response to refer to", func(t *testing.T) {
		_, results := runBatch(t, srv, token, "?transaction=false", `[{"method":"PUT","path":"v1/models/C_BP_Group/4711","responseAlias":"g","body":{}},`+fmt.Sprintf(member, "lost", `"@g$.id@"`)+"]")
		require.Len(t, results, 2)
		assert.Equal(t, 400, results[1].StatusCode, string(results[1].Body))
	})
}
