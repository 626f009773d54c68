package restdict

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

func TestValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, json string
		as         registry.SourceType
		want       registry.SourceValue
		bad        bool
	}{
		{"text", `"Name \"x\""`, registry.SourceText, registry.SourceValue{Text: `Name "x"`}, false},
		{"list", `{"propertyLabel":"Data Access Level","id":"4","identifier":"System only","model-name":"ad_ref_list"}`,
			registry.SourceText, registry.SourceValue{Text: "4"}, false},
		{"text reference", `{"propertyLabel":"Entity Type","id":"D","identifier":"Dictionary","model-name":"ad_entitytype"}`,
			registry.SourceText, registry.SourceValue{Text: "D"}, false},
		{"number for a text", `12.50`, registry.SourceText, registry.SourceValue{Text: "12.50"}, false},
		{"flag for a text", `false`, registry.SourceText, registry.SourceValue{Text: "N"}, false},
		{"integer", `40`, registry.SourceInt, registry.SourceValue{Int: 40}, false},
		{"negative", `-1`, registry.SourceInt, registry.SourceValue{Int: -1}, false},
		{"exponent", `1.0E3`, registry.SourceInt, registry.SourceValue{Int: 1000}, false},
		{"reference", `{"propertyLabel":"Table","id":259,"identifier":"C_Order","model-name":"ad_table"}`,
			registry.SourceInt, registry.SourceValue{Int: 259}, false},
		{"integer in quotes", `"17"`, registry.SourceInt, registry.SourceValue{Int: 17}, false},
		{"yes", `true`, registry.SourceFlag, registry.SourceValue{Int: 1}, false},
		{"no", `false`, registry.SourceFlag, registry.SourceValue{}, false},
		{"yes of a list", `{"id":"Y","identifier":"Yes","model-name":"ad_ref_list"}`, registry.SourceFlag, registry.SourceValue{Int: 1}, false},
		{"yes in an address", `"true"`, registry.SourceFlag, registry.SourceValue{Int: 1}, false},
		{"null", `null`, registry.SourceInt, registry.SourceValue{}, false},
		{"text for a number", `"many"`, registry.SourceInt, registry.SourceValue{}, true},
		{"fraction for a number", `1.5`, registry.SourceInt, registry.SourceValue{}, true},
		{"too large", `99999999999999999999`, registry.SourceInt, registry.SourceValue{}, true},
		{"a list of values", `[1,2]`, registry.SourceText, registry.SourceValue{}, true},
		{"text key for a number", `{"id":"D"}`, registry.SourceInt, registry.SourceValue{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			record, err := erp.ParseRecord([]byte(`{"id":1,"X":` + tt.json + `}`))
			require.NoError(t, err)
			raw, ok := record.Raw("X")
			require.True(t, ok)
			got, err := value(record, "X", raw, tt.as)
			if tt.bad {
				require.ErrorIs(t, err, erp.ErrBadResponse)
				require.ErrorContains(t, err, "X")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

// Names of members may be written another way than those of columns.
func TestMembers(t *testing.T) {
	t.Parallel()
	table := registry.SourceTable{Name: "AD_Table", Key: "AD_Table_ID", Columns: []registry.SourceColumn{
		{Name: "AD_Table_ID", Type: registry.SourceInt}, {Name: "Name"}, {Name: "IsActive", Type: registry.SourceFlag}, {Name: "Help", Optional: true}}}
	has := map[string]dict.DisplayType{"ad_table_id": dict.TypeID, "name": dict.TypeString, "isactive": dict.TypeYesNo}
	r, err := newTableReader(NewSource(client(t), nil), 0, table, has, nil)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"as the columns":            `{"id":7,"Name":"N","IsActive":true,"Help":"none","Other":[1]}`,
		"beginning in small letter": `{"id":7,"name":"N","isActive":true,"model-name":"ad_table"}`,
		"escaped":                   `{"id":7,"\u004eame":"\u004e","IsActive":true}`,
		"in another order":          `{"IsActive":true,"Name":"N","id":7}`,
	} {
		record, err := erp.ParseRecord([]byte(text))
		require.NoError(t, err)
		rows := r.newRows()
		for range 2 { // the second time it is known which member is for which column
			for i := range rows.values {
				rows.values[i] = registry.SourceValue{Text: "old", Int: 2}
			}
			key, err := rows.next(record)
			require.NoError(t, err, name)
			assert.Equal(t, int64(7), key, name)
			assert.Equal(t, []registry.SourceValue{{Int: 7}, {Text: "N"}, {Int: 1}, {}}, rows.values, name)
		}
	}
}

func client(t *testing.T) *erp.Client {
	t.Helper()
	c, err := erp.New("http://127.0.0.1:1")
	require.NoError(t, err)
	return c
}
