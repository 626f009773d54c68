package aiquery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
)

// An array is given as a JSON array or as PostgreSQL's text for one.
func TestArrayParameters(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		for _, c := range []struct{ name, sql, json, text string }{
			{"numbers", `SELECT c_order_id FROM c_order WHERE c_order_id = ANY($1) ORDER BY 1`, `[104, 106]`, `"{104,106}"`},
			{"spaces", `SELECT c_order_id FROM c_order WHERE c_order_id = ANY($1) ORDER BY 1`, `[104, 106]`, `" { 104 , 106 } "`},
			{"integers", `SELECT $1::int4[]`, `[1, null, -3]`, `"{1,NULL,-3}"`},
			{"texts", `SELECT documentno FROM c_order WHERE documentno = ANY($1) ORDER BY 1`, `["80004", "x"]`, `"{80004,x}"`},
			{"texts in quotes", `SELECT $1::text[]`, `["a,b", "", "null", "c\"d\\e", "{f}", " g "]`, `"{\"a,b\",\"\",\"null\",\"c\\\"d\\\\e\",\"{f}\",\" g \"}"`},
			{"dates", `SELECT $1::date[]`, `["2026-01-02", "2026-03-04"]`, `"{2026-01-02,2026-03-04}"`},
			{"none", `SELECT count(*) FROM c_order WHERE c_order_id = ANY($1)`, `[]`, `"{}"`},
		} {
			want, err := w.Query(t.Context(), user, query(c.sql, c.json))
			require.NoError(t, err, "%s\n%s", c.name, w.log)
			require.NotEmpty(t, want.Rows, c.name)
			got, err := w.Query(t.Context(), user, query(c.sql, c.text))
			require.NoError(t, err, "%s\n%s", c.name, w.log)
			assert.Equal(t, want.Rows, got.Rows, c.name)
			assert.Equal(t, want.Columns, got.Columns, c.name)
		}
		for text, want := range map[string]api.Code{
			`"1,2"`: api.CodeData, `"{1,2"`: api.CodeData, `"{1,x}"`: api.CodeData, `""`: api.CodeData, `"{1,}"`: api.CodeData,
			`1`: api.CodeInvalid, `true`: api.CodeInvalid,
		} {
			_, err := w.Query(t.Context(), user, query(`SELECT count(*) FROM c_order WHERE c_order_id = ANY($1)`, text))
			require.Error(t, err, text)
			assert.Equal(t, want, code(t, err), "%s: %v", text, err)
		}
	})
}
