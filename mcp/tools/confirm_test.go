package tools_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/mcp"
)

// Tools that change something ask first: as long as the user does not agree, nothing
// but reading reaches the ERP. Tools that only read, and dry runs, ask nobody.
func TestNothingChangesBeforeTheUserAgrees(t *testing.T) {
	t.Parallel()
	k := start(t) // whose requests are looked at
	plan, err := deploylog.Plan(&deploylog.InstallOptions{NoWindow: true})
	require.NoError(t, err)
	ctx, client := k.client(t, root)
	_, err = restdict.Run(ctx, client, plan, &restdict.Options{BatchSize: 200})
	require.NoError(t, err)
	run := response[struct{ Run runResponse }](t, k, root, "startDeployment", args{"environment": "DEV", "version": "1.0.0"}).Run
	response[madeTable](t, k, root, "createTable", args{"table": "XX_Asked"})
	job := response[struct {
		Jobs []struct {
			ID      string
			Enabled bool
		}
	}](t, k, root, "listServerJobs", nil).Jobs[0]

	response[attachmentResult](t, k, admin, "recordAttachments", args{"table": "C_BPartner", "id": 118, "action": "add", "name": "asked.txt", "text": "x"})

	asks := map[string]struct {
		tool      string
		arguments args
		question  string
	}{
		"a new record":       {"createRecord", args{"table": "C_Greeting", "values": args{"Name": "asked"}}, "Create a record of C_Greeting?\nName: \"asked\""},
		"a record":           {"updateRecord", args{"table": "C_BPartner", "id": 118, "values": args{"Name": "Mine", "Description": nil}}, "Change C_BPartner \"Joe Block\" (118)?\nDescription: from \""},
		"a new table":        {"createTable", args{"table": "XX_New"}, "Create the table XX_New with 9 columns in the dictionary and the database?"},
		"a new table alone":  {"createTable", args{"table": "XX_New", "noSync": true}, "with 9 columns in the dictionary?"},
		"a table's columns":  {"createTable", args{"table": "XX_Asked", "addMissing": true}, "Complete the table XX_Asked"},
		"the database":       {"syncTable", args{"table": "XX_Asked"}, "Change the database table XX_Asked to what the dictionary says"},
		"one column":         {"syncTable", args{"table": "XX_Asked", "column": "IsActive"}, "Change the column IsActive of the database table XX_Asked"},
		"a column":           {"addColumn", args{"table": "M_Product", "column": args{"name": "XX_Asked", "type": "String"}}, "Add the column XX_Asked"},
		"a table that goes":  {"deleteTable", args{"table": "XX_Asked"}, "Delete table XX_Asked"},
		"a job":              {"toggleServerJob", args{"jobId": job.ID, "enabled": !job.Enabled}, "the server job"},
		"a document":         {"processDocument", args{"table": "C_Order", "id": 126, "action": "complete"}, "Complete C_Order "},
		"an activity":        {"decideWorkflow", args{"action": "approve", "id": 100}, "Approve the activity"},
		"several records":    {"writeRecords", args{"operations": []args{{"op": "delete", "table": "C_BPartner", "id": 118}}}, "Make this change?\n1. delete C_BPartner \"Joe Block\" (118)"},
		"a record that goes": {"deleteRecord", args{"table": "C_BPartner", "id": 118}, "Delete C_BPartner \"Joe Block\" (118) for good?"},
		"an attachment":      {"recordAttachments", args{"table": "C_BPartner", "id": 118, "action": "delete", "name": "asked.txt"}, "Delete the file \"asked.txt\" attached to C_BPartner \"Joe Block\" (118)?"},
		"a new attachment":   {"recordAttachments", args{"table": "C_BPartner", "id": 118, "action": "add", "name": "new.txt", "text": "all of\nit"}, "Attach the file \"new.txt\" of 9 bytes to C_BPartner \"Joe Block\" (118)?"},
		"a process":          {"executeProcess", args{"processId": "cache reset"}, "Run the process \"Cache Reset\"?"},
		"a deployment":       {"completeDeployment", args{"id": run.ID, "status": "FAILED"}, "Record the end of the deployment of"},
	}
	elsewhere := []string{"generatePlugin", "generateModel", "generateProcess", "generateCallout", "runGenerator"} // TestGenerateAsksBeforeMail
	for _, tool := range k.set {
		asked := slices.Contains(elsewhere, tool.Name)
		for _, tc := range asks {
			asked = asked || tc.tool == tool.Name
		}
		assert.Equal(t, tool.Confirms, asked, "%s declares whether it asks, and is here if it does", tool.Name)
	}

	for name, tc := range asks {
		before := k.writes()
		var questions []string
		_, err := k.invoke(t, agreeing(k, t, owner(tc.tool), false, &questions), tc.tool, tc.arguments)
		require.Error(t, err, name)
		assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code, "%s: %v", name, err)
		require.Len(t, questions, 1, name)
		assert.Contains(t, questions[0], tc.question, name)
		// A client that is asked calls again, and its agreement counts for this very
		// question.
		_, err = k.invoke(t, agreeing(k, t, owner(tc.tool), false, &questions), tc.tool, tc.arguments)
		assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code, name)
		require.Len(t, questions, 2, name)
		assert.Equal(t, questions[0], questions[1], "%s: the same call asks the same question", name)
		assert.Equal(t, before, k.writes(), "%s: something was sent", name)
	}

	nobody := func(_ context.Context, question string) (bool, error) {
		t.Errorf("somebody was asked: %s", question)
		return false, nil
	}
	for name, tc := range map[string]struct {
		tool      string
		arguments args
	}{
		"a dry run of a table":        {"createTable", args{"table": "XX_New", "dryRun": true}},
		"a table that is there":       {"createTable", args{"table": "XX_Asked"}},
		"a dry run of a column":       {"addColumn", args{"table": "M_Product", "column": args{"name": "XX_Asked", "type": "String"}, "dryRun": true}},
		"a dry run of the database":   {"syncTable", args{"table": "XX_Asked", "dryRun": true}},
		"a dry run of a deletion":     {"deleteTable", args{"table": "XX_Asked", "dryRun": true}},
		"a job that is so already":    {"toggleServerJob", args{"jobId": job.ID, "enabled": job.Enabled}},
		"a file that is there":        {"recordAttachments", args{"table": "C_BPartner", "id": 118, "action": "add", "name": "asked.txt", "text": "x"}},
		"a list of activities":        {"decideWorkflow", nil},
		"a dry run of several":        {"writeRecords", args{"operations": []args{{"op": "delete", "table": "C_BPartner", "id": 118}}, "dryRun": true}},
		"a paper":                     {"printRecord", args{"table": "C_Order", "id": 100}},
		"a list of files":             {"recordAttachments", args{"table": "C_BPartner", "id": 118}},
		"a deployment that begins":    {"startDeployment", args{"environment": "DEV", "version": "1.0.1"}},
		"a deployment that goes on":   {"updateDeployment", args{"id": run.ID, "progress": 10}},
		"a plugin that is only shown": {"generatePlugin", args{"artifactId": "com.example.shown"}},
	} {
		_, err := k.invoke(t, &mcp.Call{Caller: k.as(t, owner(tc.tool)), Confirm: nobody}, tc.tool, tc.arguments)
		assert.NoError(t, err, name)
	}
}

// owner is who may use the tool: records are the tenant's, the rest is the
// System's.
func owner(tool string) login {
	if slices.Contains([]string{"createRecord", "updateRecord", "deleteRecord", "processDocument", "recordAttachments", "printRecord", "writeRecords", "decideWorkflow"}, tool) {
		return admin
	}
	return root
}
