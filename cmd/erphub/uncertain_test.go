package main

import (
	"bytes"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// A change whose fate is unknown is never called a failure to be repeated: it is
// looked up where that is possible, and the message says how to find out.
func TestChangesWithoutAResponse(t *testing.T) {
	if testing.Short() {
		t.Skip("waits as long as the program does")
	}
	t.Parallel()
	srv := erptest.New(t)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(srv.TokenSource(erptest.GardenAdmin)), erp.WithRetryPolicy(erp.RetryPolicy{}))
	require.NoError(t, err)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	run := func(args ...string) (int, string) {
		var printed bytes.Buffer
		code := execute(t.Context(), append([]string{"erphub"}, args...),
			[]string{"ERP_URL=" + srv.URL(), "ERP_TOKEN=" + token, "ERPHUB_CONFIG=" + filepath.Join(t.TempDir(), "config.yaml")},
			shell.Streams{In: strings.NewReader(""), Out: &printed, Err: &printed})
		return code, printed.String()
	}
	count := func(value string) int {
		page, err := client.Query(t.Context(), "C_BPartner", &erp.Query{Filter: erp.Eq("Value", value)})
		require.NoError(t, err)
		return len(page.Records)
	}
	create, one := http.MethodPost, "/models/C_BPartner/*"
	tests := map[string]struct {
		match erptest.Match
		do    erptest.Action
		args  []string
		code  int
		says  string
		made  int // of the record with the value of the name
	}{
		"lost response":     {erptest.Match{Method: create, Path: "/models/C_BPartner"}, erptest.CutAfter(), []string{"record", "create", "C_BPartner"}, 0, "created C_BPartner ", 1},
		"half a response":   {erptest.Match{Method: create, Path: "/models/C_BPartner"}, erptest.CutMiddle(), []string{"record", "create", "C_BPartner"}, 0, "created C_BPartner ", 1},
		"other spelling":    {erptest.Match{Method: create, Path: "/models/C_BPartner"}, erptest.CutAfter(), []string{"record", "create", "c_bpartner"}, 0, "created C_BPartner ", 1},
		"502":               {erptest.Match{Method: create, Path: "/models/C_BPartner"}, erptest.HTML(502), []string{"record", "create", "C_BPartner"}, 1, "the server may have carried out the request: `erphub record get C_BPartner ", 0},
		"504":               {erptest.Match{Method: create, Path: "/models/C_BPartner"}, erptest.Fail(504), []string{"record", "create", "C_BPartner"}, 1, "the command can be repeated without creating it twice", 0},
		"cut before":        {erptest.Match{Method: create, Path: "/models/C_BPartner"}, erptest.CutBefore(), []string{"record", "create", "C_BPartner"}, 4, "the server may have carried out the request: `erphub record get C_BPartner ", 0},
		"500":               {erptest.Match{Method: create, Path: "/models/C_BPartner"}, erptest.Fail(500), []string{"record", "create", "C_BPartner"}, 1, "500", 0},
		"update":            {erptest.Match{Method: http.MethodPut, Path: one}, erptest.Fail(504), []string{"record", "update", "C_BPartner", "118"}, 1, "the server may have carried out the request: the command can be repeated", 0},
		"process":           {erptest.Match{Method: create, Path: "/processes/*"}, erptest.HTML(502), []string{"process", "run", "rpt-c_order", "--unchecked"}, 1, "the server may have carried out the request: look at what the process does", 0},
		"request of a user": {erptest.Match{Method: create, Path: "/models/C_BPartner"}, erptest.Fail(504), []string{"api", "POST", "models/C_BPartner", "--field", "Name=x"}, 1, "the server may have carried out the request: look whether it did", 0},
		"reading":           {erptest.Match{Method: http.MethodGet, Path: one}, erptest.Fail(504), []string{"record", "get", "C_BPartner", "118"}, 1, "504", 0},
	}
	for name, tt := range tests {
		value := strings.ReplaceAll(name, " ", "-")
		args := tt.args
		if args[0] == "record" && args[1] != "get" {
			args = append(args, "Value="+value, "Name="+name)
		}
		fault := srv.Faults().On(tt.match, tt.do)
		code, printed := run(args...)
		assert.Positive(t, fault.Hits(), name)
		fault.Remove()
		assert.Equal(t, tt.code, code, "%s: %s", name, printed)
		assert.Contains(t, printed, tt.says, name)
		assert.Equal(t, strings.Contains(tt.says, "carried out") || name == "504", strings.Contains(printed, "may have carried out"), "%s: %s", name, printed)
		assert.Equal(t, tt.made, count(value), name)
	}

	// What the message advises creates the record once.
	fault := srv.Faults().On(erptest.Match{Method: create, Path: "/models/C_BPartner"}, erptest.HTML(502))
	_, printed := run("record", "create", "C_BPartner", "Value=again", "Name=again")
	fault.Remove()
	advice := regexp.MustCompile(`C_BPartner_UU=[0-9a-f-]{36}`).FindString(printed)
	require.NotEmpty(t, advice, printed)
	for _, did := range []string{"created C_BPartner", "exists already: C_BPartner"} {
		code, printed := run("record", "create", "C_BPartner", "Value=again", "Name=again", advice)
		assert.Zero(t, code, printed)
		assert.Contains(t, printed, did)
		assert.Equal(t, 1, count("again"))
	}

	// A table without such a column still gets its records.
	table := dict.NewTable("XX_Plain").Column(dict.Column{Name: "XX_Plain_ID", Type: dict.TypeID, Key: true},
		dict.Column{Name: "AD_Client_ID", Type: dict.TypeTableDir, Mandatory: true, Default: "@#AD_Client_ID@"},
		dict.Column{Name: "AD_Org_ID", Type: dict.TypeTableDir, Mandatory: true, Default: "@#AD_Org_ID@"},
		dict.Column{Name: "Value", Type: dict.TypeString, Length: 40})
	plan, err := dict.NewPlan(nil, table)
	require.NoError(t, err)
	system, err := erp.New(srv.URL(), erp.WithTokenSource(srv.TokenSource(erptest.SuperUser)))
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), system, plan, nil)
	require.NoError(t, err)
	code, printed := run("record", "create", "XX_Plain", "Value=x")
	assert.Zero(t, code, printed)
	srv.Faults().On(erptest.Match{Method: create, Path: "/models/XX_Plain", N: 2}, erptest.HTML(502))
	code, printed = run("record", "create", "XX_Plain", "Value=y")
	assert.Equal(t, 1, code, printed)
	assert.Contains(t, printed, "look whether it is there before you repeat the command")
}
