package tools_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
)

type decided struct {
	Status, Note string
	Activities   []struct {
		ID, Step, About, Table string
		Wants                  []string
		RecordID               int
	}
	Total int
}

func (d decided) has(id string) bool {
	for _, a := range d.Activities {
		if a.ID == id {
			return true
		}
	}
	return false
}

func TestDecideWorkflow(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	list := response[decided](t, k, admin, "decideWorkflow", nil)
	require.True(t, list.has("100") && list.has("101") && list.has("104") && list.has("105"), "%+v", list)
	assert.Equal(t, list.Total, len(list.Activities))
	assert.False(t, response[decided](t, k, root, "decideWorkflow", nil).has("100"), "another tenant's")

	var asked []string
	_, err := k.invoke(t, agreeing(k, t, admin, false, &asked), "decideWorkflow", args{"action": "approve", "id": 100, "message": "fine"})
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code)
	require.Len(t, asked, 1)
	for _, part := range []string{`Approve the activity "Approve order" (100)?`, `about: "Order 80017`, `record: "C_Order 117"`, `remark: "fine"`} {
		assert.Contains(t, asked[0], part)
	}
	assert.True(t, response[decided](t, k, admin, "decideWorkflow", nil).has("100"))

	// Once, though the response is lost; a second call finds nothing to decide.
	lost := k.srv.Faults().On(erptest.Match{Method: "PUT", Path: "/workflow/approve/100"}, erptest.CutAfter())
	done := response[decided](t, k, admin, "decideWorkflow", args{"action": "approve", "id": 100, "message": "fine"})
	assert.Equal(t, "decided", done.Status)
	assert.Contains(t, done.Note, "lost")
	assert.False(t, done.has("100"))
	refusal(t, k, admin, "decideWorkflow", args{"action": "approve", "id": 100, "message": "fine"}, mcp.CodeNotFound)
	assert.Equal(t, 1, lost.Hits())

	assert.False(t, response[decided](t, k, admin, "decideWorkflow", args{"action": "acknowledge", "id": "105"}).has("105"))
	e := refusal(t, k, admin, "decideWorkflow", args{"action": "choose", "id": 104, "value": "nonsense"}, mcp.CodeRefused)
	assert.Contains(t, e.Message, "Invalid value")
	assert.False(t, response[decided](t, k, admin, "decideWorkflow", args{"action": "choose", "id": 104, "value": "1"}).has("104"))

	asked = nil
	for name, tc := range map[string]struct {
		arguments args
		code      string
		says      string
	}{
		"no id":               {args{"action": "approve"}, mcp.CodeInvalidArguments, "list"},
		"another decision":    {args{"action": "acknowledge", "id": 101}, mcp.CodeRefused, "approve, reject, forward"},
		"not yours":           {args{"action": "approve", "id": 102}, mcp.CodeNotFound, "102"},
		"no number":           {args{"action": "approve", "id": "101 or 1=1"}, mcp.CodeNotFound, ""},
		"no such action":      {args{"action": "delete", "id": 101}, mcp.CodeInvalidArguments, "action"},
		"forward to nobody":   {args{"action": "forward", "id": 101}, mcp.CodeInvalidArguments, "to"},
		"forward to a nobody": {args{"action": "forward", "id": 101, "to": "zzzz qqqq"}, mcp.CodeNotFound, "no record of AD_User"},
	} {
		_, err := k.invoke(t, agreeing(k, t, admin, true, &asked), "decideWorkflow", tc.arguments)
		assert.Equal(t, tc.code, mcp.ErrorOf(err).Code, "%s: %v", name, err)
		assert.Contains(t, mcp.ErrorOf(err).Error(), tc.says, name)
	}
	assert.Empty(t, asked)
	_, err = k.invoke(t, agreeing(k, t, admin, true, &asked), "decideWorkflow", args{"action": "forward", "id": 101, "to": "joe sales", "message": "yours"})
	require.NoError(t, err)
	require.Len(t, asked, 1)
	assert.Contains(t, asked[0], `to: "Joe Sales" (104)`)
}
