package deploylog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
)

// The field table of the specification, row by row: type, and length where it
// gives one.
func TestTableMatchesTheSpecification(t *testing.T) {
	t.Parallel()
	want := []struct {
		name   string
		typ    dict.DisplayType
		length int
	}{
		{"XX_Deploy_Log_ID", dict.TypeID, 0},
		{"XX_Deploy_Log_UU", dict.TypeUUID, 36},
		{"AD_Client_ID", dict.TypeTableDir, 0},
		{"AD_Org_ID", dict.TypeTableDir, 0},
		{"Environment", dict.TypeList, 0},
		{"Status", dict.TypeList, 0},
		{"Progress", dict.TypeInteger, 0},
		{"CurrentStep", dict.TypeString, 255},
		{"Version", dict.TypeString, 40},
		{"VersionPrevious", dict.TypeString, 40},
		{"Components", dict.TypeText, 0},
		{"Changes", dict.TypeText, 0},
		{"DateStarted", dict.TypeDateTime, 0},
		{"DateCompleted", dict.TypeDateTime, 0},
		{"Duration", dict.TypeInteger, 0},
		{"ErrorMessage", dict.TypeText, 0},
		{"Ci_BuildNo", dict.TypeString, 50},
		{"Ci_URL", dict.TypeURL, 0},
		{"Automation_JobID", dict.TypeString, 50},
		{"Automation_URL", dict.TypeURL, 0},
		{"DeployedBy", dict.TypeString, 100},
		{"IsActive", dict.TypeYesNo, 0},
		{"Created", dict.TypeDateTime, 0},
		{"Updated", dict.TypeDateTime, 0},
		{"CreatedBy", dict.TypeTable, 0},
		{"UpdatedBy", dict.TypeTable, 0},
	}
	got := map[string]dict.Column{}
	for _, c := range deploylog.Table().AllColumns() {
		got[c.Name] = c
	}
	assert.Len(t, got, len(want))
	for _, w := range want {
		c, ok := got[w.name]
		if !assert.True(t, ok, "no column %s", w.name) {
			continue
		}
		assert.Equal(t, w.typ, c.Type, w.name)
		if w.length != 0 {
			assert.Equal(t, w.length, c.Length, w.name)
		}
	}
	names := map[string]string{}
	for _, v := range got["Environment"].Reference.Values {
		names[v.Value] = v.Name
	}
	assert.Equal(t, map[string]string{"PROD": "Production", "STAGING": "Staging", "DEV": "Development"}, names)
	names = map[string]string{}
	for _, v := range got["Status"].Reference.Values {
		names[v.Value] = v.Name
	}
	assert.Equal(t, map[string]string{"B": "BUILDING", "D": "DEPLOYING", "S": "SUCCESS", "F": "FAILED", "R": "ROLLED_BACK"}, names)
}

func TestTableMakesAPlan(t *testing.T) {
	t.Parallel()
	plan, err := dict.NewPlan(nil, deploylog.Table())
	require.NoError(t, err)
	s := plan.Summary()
	assert.Equal(t, []string{"XX_Deploy_Log"}, s.Tables)
	assert.Equal(t, 26, s.Columns)
	assert.Equal(t, 8, s.Processes, "the table and its seven indexes")
}
