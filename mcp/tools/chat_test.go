package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/internal/docsearch"
	"github.com/erphub/erphub/mcp/tools"
)

type recordsResponse struct {
	TableName  string
	Records    []map[string]any
	Total      *int
	Truncated  bool
	NextCursor string
	Notes      []string
}

func TestSearchRecords(t *testing.T) {
	t.Parallel()
	k := reachable(t).db // whose dictionary everybody shares
	got := response[recordsResponse](t, k, admin, "searchRecords", args{
		"tableName": "c_bpartner", "filter": "IsCustomer eq true", "columns": []string{"name", "C_BP_Group_ID"}, "orderBy": "Name", "limit": 3})
	assert.Equal(t, "C_BPartner", got.TableName)
	require.Len(t, got.Records, 3)
	assert.True(t, got.Truncated)
	first := got.Records[0]
	assert.NotEmpty(t, first["Name"])
	group, _ := first["C_BP_Group_ID"].(map[string]any)
	assert.NotEmpty(t, group["name"])
	assert.NotEmpty(t, group["id"])
	assert.Len(t, group, 2, "a reference is an id and a name")

	// Pages have everything once.
	seen, cursor := map[any]bool{}, ""
	for range 50 {
		page := response[recordsResponse](t, k, admin, "searchRecords", args{"tableName": "C_BPartner", "orderBy": "C_BPartner_ID", "limit": 7, "cursor": cursor})
		for _, r := range page.Records {
			assert.NotContains(t, seen, r["id"])
			seen[r["id"]] = true
			assert.NotContains(t, r, "CreatedBy")
			assert.NotContains(t, r, "model-name")
		}
		assert.Equal(t, page.Truncated, page.NextCursor != "")
		if cursor = page.NextCursor; cursor == "" {
			require.NotNil(t, page.Total)
			assert.Len(t, seen, *page.Total)
			break
		}
	}
	refusal(t, k, admin, "searchRecords", args{"tableName": "C_Order", "cursor": got.NextCursor}, mcp.CodeInvalidArguments)

	for name, c := range map[string]struct {
		arguments  args
		code, hint string
	}{
		"no such table":       {args{"tableName": "C_Ordr"}, mcp.CodeNotFound, "C_Order"},
		"no such column":      {args{"tableName": "C_Order", "columns": []string{"DocumentNr"}}, mcp.CodeInvalidArguments, "DocumentNo"},
		"filter by no column": {args{"tableName": "C_Order", "filter": "GrandTotl gt 5 and DocumentNo neq 'Zzz'"}, mcp.CodeInvalidArguments, "GrandTotal"},
		"OData's operator":    {args{"tableName": "C_Order", "filter": "GrandTotal ne 5"}, mcp.CodeInvalidArguments, "neq"},
		"a decimal comma":     {args{"tableName": "C_Order", "filter": "GrandTotal eq '1,5'"}, mcp.CodeInvalidArguments, "with a point"},
		"no direction":        {args{"tableName": "C_Order", "orderBy": "DocumentNo down"}, mcp.CodeInvalidArguments, "DateOrdered"},
		"order by no column":  {args{"tableName": "C_Order", "orderBy": "DocumentNr desc"}, mcp.CodeInvalidArguments, "DocumentNo"},
		"limit":               {args{"tableName": "C_Order", "limit": 201}, mcp.CodeInvalidArguments, "limit"},
		"a path":              {args{"tableName": "../auth/tokens"}, mcp.CodeNotFound, ""},
	} {
		e := refusal(t, k, admin, "searchRecords", c.arguments, c.code)
		assert.Contains(t, e.Hint, c.hint, name)
	}
	refusal(t, k, admin, "searchRecords", args{"tableName": "C_Order", "filter": "Name eq 'x'' or '"}, mcp.CodeInvalidArguments)
}

func TestGetRecord(t *testing.T) {
	t.Parallel()
	k := reachable(t).db // whose dictionary everybody shares
	type recordResponse struct {
		TableName string
		Record    map[string]any
		Truncated bool
		Notes     []string
	}
	got := response[recordResponse](t, k, admin, "getRecord", args{"tableName": "c_order", "id": 104})
	assert.Equal(t, "C_Order", got.TableName)
	assert.Equal(t, "80004", got.Record["DocumentNo"])
	assert.False(t, got.Truncated)
	again := response[recordResponse](t, k, admin, "getRecord", args{"tableName": "C_Order", "id": got.Record["uid"]})
	assert.Equal(t, got.Record, again.Record)

	e := refusal(t, k, admin, "getRecord", args{"tableName": "C_Order", "id": "999999"}, mcp.CodeNotFound)
	assert.Contains(t, e.Hint, "searchRecords")
	refusal(t, k, admin, "getRecord", args{"tableName": "C_Order", "id": "../../auth/tokens"}, mcp.CodeNotFound)
	refusal(t, k, admin, "getRecord", args{"tableName": "C_Ordr", "id": 104}, mcp.CodeNotFound)
	refusal(t, k, admin, "getRecord", args{"tableName": "C_Order"}, mcp.CodeInvalidArguments)

	// What is long is cut and says so.
	texts := response[recordsResponse](t, k, admin, "searchRecords", args{"tableName": "R_MailText"})
	require.NotEmpty(t, texts.Records)
	assert.Contains(t, texts.Notes[0], "MailText")
	long := response[recordResponse](t, k, admin, "getRecord", args{"tableName": "R_MailText", "id": texts.Records[0]["id"]})
	assert.True(t, long.Truncated)
	assert.Contains(t, long.Notes[0], "MailText")
	assert.True(t, strings.HasSuffix(long.Record["MailText"].(string), "…"))
}

type processResponse struct {
	Process, Summary string
	Instance         int
	Logs             []string
	File             *struct {
		Name  string
		Bytes int
	}
}

// agreeing is a call whose user answers yes, or no, and remembers the question.
func agreeing(k *kit, t *testing.T, who login, yes bool, asked *[]string) *mcp.Call {
	return &mcp.Call{Caller: k.as(t, who), Confirm: func(_ context.Context, message string) (bool, error) {
		*asked = append(*asked, message)
		return yes, nil
	}}
}

func TestExecuteProcess(t *testing.T) {
	t.Parallel()
	k := reachable(t).db // whose dictionary everybody shares
	var asked []string
	e := func(err error) *mcp.Error { require.Error(t, err); return mcp.ErrorOf(err) }

	type listed struct {
		Processes []struct {
			ID          int
			Value, Name string
			Report      bool
			Parameters  []struct {
				Name, Default string
				Mandatory     bool
			}
		}
	}
	reports := 0
	for _, p := range response[listed](t, k, admin, "listProcesses", args{"limit": 500}).Processes {
		if !p.Report {
			continue
		}
		known, err := registryOf(t, reachable(t)).Process(t.Context(), p.Value)
		require.NoError(t, err)
		asked = nil
		_, err = k.invoke(t, agreeing(k, t, admin, false, &asked), "executeProcess", args{"processId": p.Value})
		if err != nil { // it may need parameters, or a role
			assert.NotEqual(t, mcp.CodeInternal, e(err).Code, "%s: %v", p.Value, err)
		}
		if known.Class+known.Procedure+known.Jasper == "" {
			reports++
			assert.Empty(t, asked, "%s runs unasked", p.Value)
		}
	}
	require.Positive(t, reports)

	_, err := k.invoke(t, agreeing(k, t, root, false, &asked), "executeProcess", args{"processId": "AD_Role_AccessUpdate", "params": args{"AD_Role_ID": 103}})
	assert.Equal(t, mcp.CodeDeclined, e(err).Code)
	require.Len(t, asked, 1)
	assert.Equal(t, "Run the process \"Role Access Update\" (AD_Role_AccessUpdate)?\nAD_Role_ID: 103\nIt may change data, and cannot be undone.", asked[0])
	_, err = k.invoke(t, &mcp.Call{Caller: k.as(t, root)}, "executeProcess", args{"processId": "AD_Column Sync"})
	var confirm *mcp.ConfirmationRequired
	require.ErrorAs(t, err, &confirm, "who cannot ask does not run it")

	_, err = k.invoke(t, agreeing(k, t, root, true, &asked), "executeProcess", args{"processId": "no such process"})
	assert.Equal(t, mcp.CodeNotFound, e(err).Code)

	// Parameters are checked before anybody is asked.
	asked = nil
	for _, params := range []args{{"Nonsense": 1}, {"ad_role_id": 1, "AD_Role_ID": 2}} {
		_, err = k.invoke(t, agreeing(k, t, root, true, &asked), "executeProcess", args{"processId": "AD_Role_AccessUpdate", "params": params})
		assert.Equal(t, mcp.CodeInvalidArguments, e(err).Code)
		assert.Contains(t, e(err).Hint, `listProcesses with the argument process set to "AD_Role_AccessUpdate"`)
	}
	for _, p := range response[listed](t, k, root, "listProcesses", args{"limit": 500}).Processes {
		one := response[listed](t, k, root, "listProcesses", args{"process": p.Value}).Processes[0]
		if slices.ContainsFunc(one.Parameters, func(par struct {
			Name, Default string
			Mandatory     bool
		}) bool {
			return par.Mandatory && par.Default == ""
		}) {
			_, err = k.invoke(t, agreeing(k, t, root, true, &asked), "executeProcess", args{"processId": p.Value})
			assert.Equal(t, mcp.CodeInvalidArguments, e(err).Code, p.Value)
			assert.Contains(t, e(err).Message, "cannot do without", p.Value)
		}
	}
	assert.Empty(t, asked)

	// Search key, name, slug, number and UUID mean the same process.
	sync, err := registryOf(t, reachable(t)).Process(t.Context(), "AD_Role_AccessUpdate")
	require.NoError(t, err)
	for _, id := range []any{"AD_Role_AccessUpdate", "ad_role_accessupdate", sync.Name, sync.ID, fmt.Sprint(sync.ID), sync.UUID, strings.ToUpper(string(sync.UUID))} {
		asked = nil
		_, err = k.invoke(t, agreeing(k, t, root, false, &asked), "executeProcess", args{"processId": id, "params": args{"ad_role_id": 103}})
		assert.Equal(t, mcp.CodeDeclined, e(err).Code, "%v: %v", id, err)
		require.Len(t, asked, 1, "%v", id)
		assert.Contains(t, asked[0], "\"Role Access Update\" (AD_Role_AccessUpdate)?\nAD_Role_ID: 103\n", "%v", id)
		assert.Equal(t, sync.ID, response[listed](t, k, root, "listProcesses", args{"process": fmt.Sprint(id)}).Processes[0].ID, "%v", id)
	}
	_, err = k.invoke(t, agreeing(k, t, root, false, &asked), "executeProcess", args{"processId": "ad_column-sync"})
	assert.Equal(t, mcp.CodeDeclined, e(err).Code, "the slug of AD_Column Sync")

	asked = nil
	progress := 0
	call := agreeing(k, t, root, true, &asked)
	call.Progress = func(float64, float64, string) { progress++ }
	raw, err := k.invoke(t, call, "executeProcess", args{"processId": "cache reset"})
	require.NoError(t, err)
	var done processResponse
	require.NoError(t, json.Unmarshal(raw, &done))
	assert.Equal(t, "Cache Reset", done.Process)
	assert.NotEmpty(t, done.Summary)
	assert.Positive(t, done.Instance)
	assert.Len(t, asked, 1)
	assert.Zero(t, progress, "what is done at once needs no news")

	// A failure is told in the ERP's words.
	_, err = k.invoke(t, agreeing(k, t, root, true, &asked), "executeProcess", args{"processId": "AD_Column Sync"})
	assert.Equal(t, mcp.CodeRefused, e(err).Code)
	assert.Contains(t, e(err).Message, "No Column")
	id := response[listed](t, k, root, "listProcesses", args{"process": "AD_Role_AccessUpdate"}).Processes[0].ID
	_, err = k.invoke(t, agreeing(k, t, user, true, &asked), "executeProcess", args{"processId": id})
	assert.NotEqual(t, mcp.CodeInternal, e(err).Code, "%v", err)
}

// A report that runs code may change data like any process.
func TestReportsThatRunCodeAsk(t *testing.T) {
	t.Parallel()
	k := workshop(t)
	for name, tc := range map[string]struct {
		values args
		asks   bool
	}{
		"PrintFormat": {args{}, false},
		"Class":       {args{"Classname": "com.example.Report"}, true},
		"Procedure":   {args{"ProcedureName": "xx_report"}, true},
		"Jasper":      {args{"JasperReport": "report.jrxml"}, true},
	} {
		values := args{"Value": "XX_Report" + name, "Name": "Report " + name, "IsReport": true, "AccessLevel": "7", "EntityType": "U"}
		for column, v := range tc.values {
			values[column] = v
		}
		response[writtenRecord](t, k, root, "createRecord", args{"table": "AD_Process", "values": values})
		var asked []string
		_, err := k.invoke(t, agreeing(k, t, root, false, &asked), "executeProcess", args{"processId": "XX_Report" + name})
		require.Error(t, err, "%s: it has no data", name)
		if !tc.asks {
			assert.Empty(t, asked, name)
			continue
		}
		assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code, "%s: %v", name, err)
		require.Len(t, asked, 1, name)
		assert.Contains(t, asked[0], "\nIt is a report that runs code.\nIt may change data, and cannot be undone.", name)
	}
}

func TestServerJobs(t *testing.T) {
	t.Parallel()
	k := reachable(t).db // whose dictionary everybody shares
	type job struct {
		ID, Name, State string
		Enabled         bool
	}
	type one struct {
		Job     job
		Changed bool
	}
	list := response[struct {
		Jobs  []job
		Total int
	}](t, k, root, "listServerJobs", nil)
	require.NotEmpty(t, list.Jobs)
	assert.Len(t, list.Jobs, list.Total)
	first := list.Jobs[0]
	assert.Equal(t, first.ID, response[one](t, k, root, "getServerJob", args{"jobId": first.Name}).Job.ID)
	e := refusal(t, k, root, "getServerJob", args{"jobId": first.Name + "x"}, mcp.CodeNotFound)
	assert.Contains(t, e.Message+e.Hint, first.Name)

	var asked []string
	_, err := k.invoke(t, agreeing(k, t, root, true, &asked), "toggleServerJob", args{"jobId": first.ID, "enabled": first.Enabled})
	require.NoError(t, err)
	assert.Empty(t, asked, "nothing to do, nothing to ask")
	_, err = k.invoke(t, agreeing(k, t, root, false, &asked), "toggleServerJob", args{"jobId": first.ID, "enabled": !first.Enabled})
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code)
	assert.Equal(t, first.Enabled, response[one](t, k, root, "getServerJob", args{"jobId": first.ID}).Job.Enabled)
	raw, err := k.invoke(t, agreeing(k, t, root, true, &asked), "toggleServerJob", args{"jobId": first.ID, "enabled": !first.Enabled})
	require.NoError(t, err)
	var now one
	require.NoError(t, json.Unmarshal(raw, &now))
	assert.True(t, now.Changed)
	assert.Equal(t, !first.Enabled, now.Job.Enabled)
	assert.Contains(t, asked[len(asked)-1], first.Name)
	require.NoError(t, err)
}

func TestHealthAndBackends(t *testing.T) {
	t.Parallel()
	w := reachable(t)
	type health struct {
		Status string
		Checks []struct {
			Name, Message, Hint string
			OK                  bool
		}
	}
	type status struct {
		Backends []struct {
			Name             string
			OK               bool
			Serves, StandsBy []string
		}
		Missing []string
	}
	for name, k := range w.kits() {
		got := response[health](t, k, admin, "checkHealth", nil)
		assert.Equal(t, "up", got.Status, name)
		assert.Len(t, got.Checks, 3)
		back := response[status](t, k, admin, "getBackendStatus", nil)
		assert.Equal(t, name, back.Backends[0].Name)
		assert.True(t, back.Backends[0].OK)
		assert.Empty(t, back.Missing)
	}
	back := response[status](t, w.ai, admin, "getBackendStatus", nil)
	assert.Equal(t, []string{"query"}, back.Backends[0].Serves)
	assert.Contains(t, back.Backends[1].Serves, "dictionary")
	back = response[status](t, w.db, admin, "getBackendStatus", nil)
	assert.Equal(t, []string{"dictionary", "query"}, back.Backends[0].Serves)
	assert.Equal(t, []string{"dictionary"}, back.Backends[1].StandsBy)
	back = response[status](t, shared(t), admin, "getBackendStatus", nil)
	assert.Equal(t, []string{"query"}, back.Missing)

	// One service that is away, then all.
	away, err := backend.NewAI("http://127.0.0.1:1", nil)
	require.NoError(t, err)
	front := func(backends ...backend.Backend) *kit {
		pool, err := backend.NewPool("", backends...)
		require.NoError(t, err)
		return &kit{srv: w.rest.srv, rest: w.rest.rest, callers: w.rest.callers, set: tools.New(tools.Options{Pool: pool}).Tools()}
	}
	got := response[health](t, front(w.rest.rest, away), admin, "checkHealth", nil)
	assert.Equal(t, "degraded", got.Status)
	assert.False(t, got.Checks[1].OK)
	assert.Contains(t, got.Checks[1].Hint, "AI_API_URL")
	assert.Equal(t, "down", response[health](t, front(away), admin, "checkHealth", nil).Status)
}

// An AI API alone is enough to look at a table and to ask for its rows.
func TestAIAlone(t *testing.T) {
	t.Parallel()
	w := reachable(t)
	pool, err := backend.NewPool("", w.pools[backend.AI].Backends()[0])
	require.NoError(t, err)
	k := &kit{srv: w.ai.srv, callers: w.ai.callers, set: tools.New(tools.Options{Pool: pool}).Tools()}
	got := response[columnsResponse](t, k, admin, "getTableColumns", args{"tableName": "c_order"})
	assert.Equal(t, "C_Order", got.TableName)
	whole := response[columnsResponse](t, w.db, admin, "getTableColumns", args{"tableName": "c_order"})
	assert.ElementsMatch(t, whole.names(), got.names())
	refusal(t, k, user, "getTableColumns", args{"tableName": "C_Payment"}, mcp.CodeNotFound)
	refusal(t, k, admin, "listTables", nil, mcp.CodeUnsupported)
	refusal(t, k, admin, "searchRecords", args{"tableName": "C_Order"}, mcp.CodeUnsupported)
	assert.Len(t, response[queryResponse](t, k, admin, "executeQuery", args{"sql": "SELECT documentno FROM c_order", "maxRows": 3}).Rows, 3)
	e := refusal(t, k, admin, "executeQuery", args{"sql": "SELECT documentnr FROM c_order"}, mcp.CodePermissionDenied)
	assert.Contains(t, e.Hint, "did you mean documentno?")
	assert.Contains(t, response[knowledgeResponse](t, k, admin, "searchKnowledge", args{"query": "x"}).Notes[1], "only documents")
}

type knowledgeResponse struct {
	Hits []struct {
		Title, Heading, Passage, Source, Kind string
	}
	Total     int
	Truncated bool
	Notes     []string
}

// known is a library of one document.
type known struct{ index *docsearch.Index }

func (k known) Search(_ context.Context, question string, limit int) (tools.Found, error) {
	return k.index.Search(question, limit), nil
}

// The help texts of a table are found as soon as a tool has made it.
func TestSearchKnowledgeOfAChangedDictionary(t *testing.T) {
	t.Parallel()
	k := workshop(t)
	ask := func() []string {
		var sources []string
		for _, hit := range response[knowledgeResponse](t, k, root, "searchKnowledge", args{"query": "tapir enclosure"}).Hits {
			sources = append(sources, hit.Source)
		}
		return sources
	}
	assert.Empty(t, ask())
	response[madeTable](t, k, root, "createTable", args{"table": "XX_Tapir", "description": "One enclosure of a tapir"})
	assert.Contains(t, ask(), "dictionary, table XX_Tapir")
}

func TestSearchKnowledge(t *testing.T) {
	t.Parallel()
	w := reachable(t)
	k := &kit{srv: w.db.srv, rest: w.db.rest, callers: w.db.callers, set: tools.New(tools.Options{
		Pool:      w.pools[backend.DB],
		Knowledge: known{docsearch.NewIndex(docsearch.Split("guide.md", "# Guide\n## Periods\nClose the period at the end of a month.\n## Other\nperiod period"))},
	}).Tools()}
	got := response[knowledgeResponse](t, k, root, "searchKnowledge", args{"query": "close a period"})
	require.NotEmpty(t, got.Hits)
	assert.Equal(t, "guide.md", got.Hits[0].Source)
	assert.Equal(t, "Periods", got.Hits[0].Heading)
	assert.Contains(t, got.Hits[0].Passage, "**Close** the **period**")
	got = response[knowledgeResponse](t, k, root, "searchKnowledge", args{"query": "griffin"})
	require.Len(t, got.Hits, 1)
	assert.False(t, got.Truncated)
	assert.Equal(t, "dictionary", got.Hits[0].Kind)
	assert.Equal(t, "dictionary, table C_Period", got.Hits[0].Source)
	got = response[knowledgeResponse](t, k, root, "searchKnowledge", args{"query": "period", "limit": 1})
	assert.True(t, got.Truncated)
	assert.Greater(t, got.Total, 1)
	refusal(t, k, root, "searchKnowledge", args{"query": "  "}, mcp.CodeInvalidArguments)

	without := response[knowledgeResponse](t, w.db, admin, "searchKnowledge", args{"query": "zebra crossing"})
	assert.Empty(t, without.Hits)
	assert.Contains(t, without.Notes[0], "no folder")
}
