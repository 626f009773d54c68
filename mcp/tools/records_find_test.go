package tools_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

// Tools and commands find a record by the same words.
func TestRecordsByWhatTheyAreCalled(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	for _, name := range []string{"Twin", "Twin"} {
		response[writtenRecord](t, k, admin, "createRecord", args{"table": "C_BPartner", "values": args{"Name": name, "C_BP_Group_ID": "Standard"}})
	}
	response[writtenRecord](t, k, admin, "createRecord", args{"table": "C_BPartner", "values": args{"Value": "Gone", "Name": "Gone O'Brien (Inc.", "C_BP_Group_ID": "Standard", "IsActive": false}})
	for name, tc := range map[string]struct {
		table string
		id    any
		found any
		code  string
	}{
		"search key":              {"C_BPartner", "JoeBlock", "JoeBlock", ""},
		"in other capitals":       {"C_BPartner", "joeblock", "JoeBlock", ""},
		"name":                    {"C_BPartner", "Joe Block", "JoeBlock", ""},
		"a column and its value":  {"C_BPartner", "Name=Joe Block", "JoeBlock", ""},
		"deactivated":             {"C_BPartner", "Gone O'Brien (Inc.", "Gone", ""},
		"number of a document":    {"C_Order", "DocumentNo=80004", nil, ""},
		"several have it":         {"C_BPartner", "Twin", nil, mcp.CodeConflict},
		"nobody has it":           {"C_BPartner", "Joe Blokc", nil, mcp.CodeNotFound},
		"a column that is absent": {"C_BPartner", "Nmae=Joe Block", nil, mcp.CodeInvalidArguments},
		"by a secret":             {"C_BP_BankAccount", "CreditCardVV=123", nil, mcp.CodeInvalidArguments},
		"a table without names":   {"C_OrderLine", "Oak", nil, mcp.CodeInvalidArguments},
		"no such table":           {"C_BPartnr", "JoeBlock", nil, mcp.CodeNotFound},
		"a blank value":           {"C_BPartner", "Value= ", nil, mcp.CodeInvalidArguments},
		"an id that is none":      {"C_BPartner", "C_BPartner_ID=abc", nil, mcp.CodeNotFound},
		"a condition":             {"C_BPartner", "Name=x' or Name ne '", nil, mcp.CodeNotFound},
	} {
		if tc.code != "" {
			e := refusal(t, k, admin, "getRecord", args{"tableName": tc.table, "id": tc.id}, tc.code)
			assert.NotEmpty(t, e.Message, name)
			refusal(t, k, admin, "deleteRecord", args{"table": tc.table, "id": tc.id}, tc.code)
			continue
		}
		got := response[struct{ Record map[string]any }](t, k, admin, "getRecord", args{"tableName": tc.table, "id": tc.id})
		require.NotEmpty(t, got.Record, name)
		if tc.found != nil {
			assert.Equal(t, tc.found, got.Record["Value"], name)
		}
	}
	e := refusal(t, k, admin, "createRecord", args{"table": "C_Payment", "values": args{"C_BP_BankAccount_ID:CreditCardVV": "123"}}, mcp.CodeInvalidArguments)
	assert.Contains(t, e.Message, "CreditCardVV holds secrets")
	response[writtenRecord](t, k, admin, "updateRecord", args{"table": "C_BPartner", "id": "JoeBlock", "values": args{"Description": "by name"}})
	got := response[struct{ Record map[string]any }](t, k, admin, "getRecord", args{"tableName": "C_BPartner", "id": 118})
	assert.Equal(t, "by name", got.Record["Description"])
}
