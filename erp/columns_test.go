package erp_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// The same Columns are for all records, which are unlike each other.
func TestColumns(t *testing.T) {
	t.Parallel()
	columns := erp.NewColumns("id", "Name", "", "IsActive")
	got := make([]json.RawMessage, 4)
	for _, tt := range []struct {
		name, record string
		want         [4]string
	}{
		{"all", `{"id":7,"Name":"N","IsActive":true}`, [4]string{"7", `"N"`, "", "true"}},
		{"the same again", `{"id":8,"Name":"M","IsActive":false}`, [4]string{"8", `"M"`, "", "false"}},
		{"one left out", `{"id":9,"IsActive":true}`, [4]string{"9", "", "", "true"}},
		{"in another order", `{"IsActive":true,"Name":"N","id":7}`, [4]string{"7", `"N"`, "", "true"}},
		{"in another case", `{"id":7,"name":"N","isActive":true}`, [4]string{"7", `"N"`, "", "true"}},
		{"with others", `{"id":7,"Other":[1],"":2,"Name":null}`, [4]string{"7", "null", "", ""}},
		{"escaped", `{"\u004eame":"N"}`, [4]string{"", `"N"`, "", ""}},
		{"twice", `{"Name":"N","Name":"M"}`, [4]string{"", `"M"`, "", ""}},
		{"empty", `{}`, [4]string{}},
	} {
		record, err := erp.ParseRecord([]byte(tt.record))
		require.NoError(t, err, tt.name)
		columns.Of(record, got)
		for i, want := range tt.want {
			assert.Equal(t, want, string(got[i]), "%s, column %d", tt.name, i)
		}
	}
}

// RefID is the ID of what Ref gives.
func TestRefID(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"propertyLabel":"Table","id":259,"identifier":"C_Order","model-name":"ad_table"}`, `{"id":"D"}`, `{"id":"D","id":3}`,
		`{"uid":"5b0c6f2a-0000-4000-8000-000000000001"}`, `{"uuid":"5b0c6f2a-0000-4000-8000-000000000001","id":null}`,
		`{"id":{}}`, `{}`, `17`, `"Y"`, `null`, `[1]`, `true`, `1.5`,
	} {
		record, err := erp.ParseRecord([]byte(`{"X":` + raw + `}`))
		require.NoError(t, err)
		want, wantOK := record.Ref("X")
		got, ok := erp.RefID(json.RawMessage(raw))
		assert.Equal(t, want.ID, got, raw)
		assert.Equal(t, wantOK, ok, raw)
	}
}
