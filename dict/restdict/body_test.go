package restdict

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
)

// The REST API fills columns that a new record leaves out from the login. A rule on
// the rows of a table is for everybody unless the plan names whom it is for.
func TestRowRulesAreForEverybody(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		step       dict.RecordStep
		role, user any
	}{
		{"new rule", dict.RecordStep{Table: "AD_TableValRule", Action: dict.Create}, -1, -1},
		{"new rule of a role", dict.RecordStep{Table: "AD_TableValRule", Action: dict.Create,
			Values: []dict.ColumnValue{{Column: "AD_Role_ID", Value: dict.Int(102)}}}, 102, -1},
		{"changed rule", dict.RecordStep{Table: "AD_TableValRule", Action: dict.Update}, nil, nil},
		{"another table", dict.RecordStep{Table: "AD_Element", Action: dict.Create}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body, err := (&runner{}).body(&tt.step)
			require.NoError(t, err)
			assert.EqualValues(t, tt.role, body["AD_Role_ID"])
			assert.EqualValues(t, tt.user, body["AD_User_ID"])
		})
	}
}
