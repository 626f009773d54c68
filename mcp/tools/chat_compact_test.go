package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCompact(t *testing.T) {
	t.Parallel()
	record := `{"id":1,"uid":"x","Created":"2026-01-01T00:00:00Z","Name":"A \"B\" <c>","Amount":12345678901234567890.5,"Note":"` + strings.Repeat("ä", 1500) + `",` +
		`"C_BPartner_ID":{"propertyLabel":"Partner","id":118,"identifier":"Joe","model-name":"c_bpartner"},"List":[1,2],"model-name":"c_order"}`
	out, cut, err := compact(json.RawMessage(record), true, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"Note"}, cut)
	assert.JSONEq(t, `{"id":1,"uid":"x","Name":"A \"B\" <c>","Amount":12345678901234567890.5,"Note":"`+strings.Repeat("ä", 1000)+`…","C_BPartner_ID":{"id":118,"name":"Joe"},"List":[1,2]}`, string(out))
	assert.Contains(t, string(out), "12345678901234567890.5", "numbers stay exact")
	out, _, err = compact(json.RawMessage(record), false, nil)
	require.NoError(t, err)
	assert.Contains(t, string(out), "Created")

	columns := make([]string, 300)
	for i := range columns {
		columns[i] = fmt.Sprintf(`"C%d":%q`, i, strings.Repeat("x", 1900))
	}
	out, cut, err = compact(json.RawMessage("{"+strings.Join(columns, ",")+"}"), false, nil)
	require.NoError(t, err)
	assert.Len(t, cut, 300)
	assert.LessOrEqual(t, len(out), maxResponse*2)
	assert.True(t, json.Valid(out))
	_, _, err = compact(json.RawMessage(`[1]`), false, nil)
	require.Error(t, err)
}
