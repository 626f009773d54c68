package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestCompact(t *testing.T) {
	t.Parallel()
	record := `{"id":1,"uid":"x","Created":"2026-01-01T00:00:00Z","Name":"A \"B\" <c>","Amount":12345678901234567890.5,"Note":"` + strings.Repeat("ä", 1500) + `",` +
		`"C_BPartner_ID":{"propertyLabel":"Partner","id":118,"identifier":"Joe","model-name":"c_bpartner"},"List":[1,2],"model-name":"c_order"}`
	out, cut := compact(recordOf(t, record), true, nil)
	assert.Equal(t, []string{"Note"}, cut)
	assert.JSONEq(t, `{"id":1,"uid":"x","Name":"A \"B\" <c>","Amount":12345678901234567890.5,"Note":"`+strings.Repeat("ä", 1000)+`…","C_BPartner_ID":{"id":118,"name":"Joe"},"List":[1,2]}`, string(out))
	assert.Contains(t, string(out), "12345678901234567890.5", "numbers stay exact")
	out, _ = compact(recordOf(t, record), false, nil)
	assert.Contains(t, string(out), "Created")

	columns := make([]string, 300)
	for i := range columns {
		columns[i] = fmt.Sprintf(`"C%d":%q`, i, strings.Repeat("x", 1900))
	}
	out, cut = compact(recordOf(t, "{"+strings.Join(columns, ",")+"}"), false, nil)
	assert.Len(t, cut, 300)
	assert.LessOrEqual(t, len(out), maxResponse*2)
	assert.True(t, json.Valid(out))
}

func recordOf(t *testing.T, text string) erp.Record {
	t.Helper()
	record, err := erp.ParseRecord([]byte(text))
	require.NoError(t, err)
	return record
}
