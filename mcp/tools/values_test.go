package tools_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

// Values are written as people say them; what the ERP stores is the same.
func TestValuesByName(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	create := func(values args) writtenRecord {
		t.Helper()
		return response[writtenRecord](t, k, admin, "createRecord", args{"table": "C_BPartner", "values": values})
	}
	made := create(args{
		"Value": "named-1", "Name": "12345", "C_BP_Group_ID": "standard", "SOCreditStatus": "no credit check", "IsCustomer": "Y", "IsVendor": "no",
		"IsProspect": true, "SO_CreditLimit": "1250.50", "SalesRep_ID": "GardenAdmin", "AD_Language": "en_US", "C_PaymentTerm_ID": "105",
	})
	for column, want := range map[string]string{
		"C_BP_Group_ID": `"id":103`, "SOCreditStatus": `"id":"X"`, "IsCustomer": "true", "IsVendor": "false", "IsProspect": "true",
		"SO_CreditLimit": "1250.5", "SalesRep_ID": `"id":101`, "Name": `"12345"`, "AD_Language": "en_US", "C_PaymentTerm_ID": `"id":105`,
	} {
		assert.Contains(t, made.value(column), want, column)
	}
	// By the ERP's own forms, and a list by its code.
	again := create(args{"Value": "named-2", "Name": "x", "C_BP_Group_ID": args{"identifier": "Standard"}, "SOCreditStatus": "X", "SalesRep_ID": args{"id": 101}})
	assert.Contains(t, again.value("C_BP_Group_ID"), `"id":103`)
	assert.Contains(t, again.value("SalesRep_ID"), `"id":101`)

	// null takes a reference away, which the ERP's API has another way for.
	cleared := response[writtenRecord](t, k, admin, "updateRecord", args{"table": "C_BPartner", "id": made.ID, "values": args{"SalesRep_ID": nil}})
	assert.Empty(t, cleared.value("SalesRep_ID"))

	for _, group := range []string{"twins", "TWINS"} {
		response[writtenRecord](t, k, admin, "createRecord", args{"table": "C_BP_Group", "values": args{"Value": "named-" + group, "Name": "Twins of the test"}})
	}
	for name, tc := range map[string]struct {
		values args
		says   []string
	}{
		"nobody":             {args{"C_BP_Group_ID": "zzzz qqqq"}, []string{"C_BP_Group_ID: no record of C_BP_Group", "searchRecords"}},
		"a typing error":     {args{"C_BP_Group_ID": "Standart"}, []string{"did you mean 103 (Value: Standard"}},
		"two":                {args{"C_BP_Group_ID": "Twins of the test"}, []string{"2 records of C_BP_Group are called", "Value: named-twins", "Value: named-TWINS", "give the number"}},
		"no such label":      {args{"SOCreditStatus": "Credit Hol"}, []string{"has no value", "H (Credit Hold)"}},
		"neither yes nor no": {args{"IsCustomer": "perhaps"}, []string{`IsCustomer: "perhaps" is neither yes nor no`}},
		"all at once":        {args{"IsCustomer": "perhaps", "C_BP_Group_ID": "zzzz qqqq"}, []string{"2 problems", "IsCustomer", "C_BP_Group"}},
		"a long name":        {args{"C_BP_Group_ID": strings.Repeat("x", 100_000)}, []string{"C_BP_Group_ID", "is too long"}},
		"a statement":        {args{"C_BP_Group_ID": "Standard' or Name neq 'x"}, []string{"no record of C_BP_Group"}},
	} {
		values := args{"Value": "named-bad", "Name": "x"}
		for column, value := range tc.values {
			values[column] = value
		}
		e := refusal(t, k, admin, "createRecord", args{"table": "C_BPartner", "values": values}, mcp.CodeInvalidArguments)
		for _, part := range tc.says {
			assert.Contains(t, e.Error(), part, name)
		}
		assert.LessOrEqual(t, len(e.Message), 4000, name)
	}

	// The question says what a name means.
	var asked []string
	_, err := k.invoke(t, agreeing(k, t, admin, false, &asked), "updateRecord", args{"table": "C_BPartner", "id": made.ID, "values": args{"C_BP_Group_ID": "Standard", "SalesRep_ID": nil}})
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code)
	require.Len(t, asked, 1)
	assert.Contains(t, asked[0], "C_BP_Group_ID: from \"Standard\" (103) to \"Standard\" (103)")
	assert.Contains(t, asked[0], "SalesRep_ID: from nothing to nothing")
}

// Names are looked up with the caller's permissions: what another tenant has is not
// found.
func TestNamesOfOtherTenants(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	response[writtenRecord](t, k, admin, "createRecord", args{"table": "C_BP_Group", "values": args{"Value": "garden-only", "Name": "Of the garden"}})
	e := refusal(t, k, root, "createRecord", args{"table": "C_BPartner", "values": args{"Value": "x", "Name": "x", "C_BP_Group_ID": "Of the garden"}}, mcp.CodeInvalidArguments)
	assert.Contains(t, e.Message, "no record of C_BP_Group")
}

// Parameters of processes are the same, and are looked at before anybody is asked.
func TestParametersByName(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	var asked []string
	_, err := k.invoke(t, agreeing(k, t, root, false, &asked), "executeProcess", args{"processId": "AD_Role_AccessUpdate", "params": args{"ad_role_id": "System Administrator"}})
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code, "%v", err)
	require.Len(t, asked, 1)
	assert.Contains(t, asked[0], `AD_Role_ID: "System Administrator" (0)`)
	_, err = k.invoke(t, agreeing(k, t, root, true, &asked), "executeProcess", args{"processId": "AD_Role_AccessUpdate", "params": args{"AD_Role_ID": "System Adminstrator"}})
	assert.Equal(t, mcp.CodeInvalidArguments, mcp.ErrorOf(err).Code)
	assert.Contains(t, mcp.ErrorOf(err).Message, "System Administrator")
	assert.Len(t, asked, 1)
	// Nor is anybody asked about a process that the role may not run.
	_, err = k.invoke(t, agreeing(k, t, user, true, &asked), "executeProcess", args{"processId": "AD_Role_AccessUpdate", "params": args{"AD_Role_ID": 103}})
	require.Error(t, err)
	assert.Contains(t, []string{mcp.CodePermissionDenied, mcp.CodeNotFound}, mcp.ErrorOf(err).Code, "%v", err)
	assert.Len(t, asked, 1)
}
