package tools_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
)

// A filter that would find nothing without a word, or something else, is
// refused before it is sent, in every backend.
func TestFiltersThatAreMisread(t *testing.T) {
	t.Parallel()
	for name, k := range reachable(t).kits() {
		for filter, hint := range map[string]string{
			"GrandTotal = 100":                      "write GrandTotal eq 100",
			"GrandTotal>=100":                       "write GrandTotal ge 100",
			"DocumentNo like '800%'":                "write startswith(DocumentNo,'800')",
			"Description eq 'O''Brien'":             "contains(Name,'Brien')",
			"contains(Description,'O''Brien')":      "contains(Name,'Brien')",
			"IsSOTrx eq 'Y'":                        "write IsSOTrx eq true",
			"GrandTotal gt 1 and issotrx neq 'N'":   "write IsSOTrx neq true",
			"GrandTotal gt 1 && DocumentNo eq '80'": "write and, or",
		} {
			e := refusal(t, k, admin, "searchRecords", args{"tableName": "C_Order", "filter": filter}, mcp.CodeInvalidArguments)
			assert.Contains(t, e.Hint, hint, "%s: %s", name, filter)
		}
	}
}

// An order, a filter or a choice of columns tells nothing of secrets.
func TestSecretsOfRecords(t *testing.T) {
	t.Parallel()
	k := reachable(t).db
	for name, arguments := range map[string]args{
		"order":                       {"orderBy": "Password"},
		"order, downwards, not first": {"orderBy": "Name, password DESC"},
		"order by name's end":         {"orderBy": "EMailUserPW"},
		"order, in other letters":     {"orderBy": "Pa\u017f\u017fword"},
		"columns, in other letters":   {"columns": []string{"\u017falt"}},
		"filter":                      {"filter": "Password neq null"},
		"filter by function":          {"filter": "contains(tolower( Password ),'x')"},
		"filter, inside":              {"filter": "(Name eq 'x' or (not startswith(Password,'x')))"},
		"filter, as a value":          {"filter": "Name gt Password"},
		"columns":                     {"columns": []string{"Name", "Salt"}},
	} {
		arguments["tableName"] = "AD_User"
		e := refusal(t, k, root, "searchRecords", arguments, mcp.CodePermissionDenied)
		assert.Contains(t, e.Message, "holds secrets", name)
	}
	response[recordsResponse](t, k, root, "searchRecords", args{"tableName": "AD_User", "filter": "Name neq 'Password'", "orderBy": "Name"})

	// Without a dictionary the names decide.
	bare := bareKit(t, k)
	refuse := func(arguments args) { refusal(t, bare, root, "searchRecords", arguments, mcp.CodePermissionDenied) }
	for _, column := range []string{"XX_ApiKey", "XX_Secret", "XX_CreditCard", "XX_TOKEN", "UserPIN"} {
		refuse(args{"tableName": "XX_Service", "orderBy": column + " desc"})
		refuse(args{"tableName": "XX_Service", "filter": column + " eq 'x'"})
		refuse(args{"tableName": "XX_Service", "columns": []string{column}})
	}
	assert.Equal(t, []map[string]any{{"id": 1.0, "Name": "x"}}, response[recordsResponse](t, bare, root, "searchRecords", args{"tableName": "XX_Service"}).Records)
}

// bareKit has the callers of another kit and records alone.
func bareKit(t *testing.T, k *kit) *kit {
	t.Helper()
	pool, err := backend.NewPool("", recorder{})
	require.NoError(t, err)
	return &kit{srv: k.srv, callers: k.callers, set: tools.New(tools.Options{Pool: pool}).Tools()}
}

// How many records there are is told or said to be unknown, never made up.
func TestTotalsNobodyKnows(t *testing.T) {
	t.Parallel()
	k := bareKit(t, reachable(t).db)
	seen, cursor := 0, ""
	for range 3 {
		got := response[recordsResponse](t, k, root, "searchRecords", args{"tableName": "XX_Counted_By_Nobody", "limit": 2, "cursor": cursor})
		assert.Nil(t, got.Total)
		assert.Equal(t, []string{"how many there are altogether is not known"}, got.Notes)
		assert.Equal(t, seen+len(got.Records) < 5, got.Truncated)
		assert.Equal(t, got.Truncated, got.NextCursor != "")
		seen, cursor = seen+len(got.Records), got.NextCursor
	}
	assert.Equal(t, 5, seen)
}

// recorder is a backend that has one record and no dictionary.
type recorder struct{}

func (recorder) Name() backend.Name                                { return backend.REST }
func (recorder) Check(context.Context, mcp.Caller) (string, error) { return "", nil }

func (recorder) Search(_ context.Context, _ mcp.Caller, s backend.Search) (*backend.Page, error) {
	if s.Table == "XX_Counted_By_Nobody" { // five records
		page := &backend.Page{Total: -1, More: s.Offset+s.Limit < 5}
		for i := s.Offset; i < min(5, s.Offset+s.Limit); i++ {
			page.Records = append(page.Records, readRecord(fmt.Sprintf(`{"id":%d}`, i)))
		}
		return page, nil
	}
	return &backend.Page{Records: []erp.Record{readRecord(`{"id":1,"Name":"x","XX_Token":"y"}`)}, Total: 1}, nil
}

func (recorder) Record(context.Context, mcp.Caller, string, string) (erp.Record, error) {
	return readRecord(`{"id":1,"Name":"x","XX_Token":"y"}`), nil
}

func readRecord(text string) erp.Record {
	record, err := erp.ParseRecord([]byte(text))
	if err != nil {
		panic(err)
	}
	return record
}
