package aiquery_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
)

// values are expressions with the type and the JSON they return.
var values = []struct {
	name, sql, kind, json string
	onlyPostgres          bool
}{
	{"null", "NULL::int", "int4", "null", false},
	{"true", "true", "bool", "true", false},
	{"small", "7::int2", "int2", "7", true},
	{"int", "-2147483647", "int4", "-2147483647", false},
	{"big", "9223372036854775807::int8", "int8", "9223372036854775807", false},
	{"exact", "12345678901234567890.12345678901234567890::numeric", "numeric", "12345678901234567890.12345678901234567890", false},
	{"scale is kept", "1.500::numeric", "numeric", "1.500", false},
	{"cents", "0.1::numeric + 0.2::numeric", "numeric", "0.3", false},
	{"not a number", "'NaN'::numeric", "numeric", `"NaN"`, true},
	{"infinite", "'-Infinity'::float8", "float8", `"-Infinity"`, true},
	{"float", "0.1::float8", "float8", "0.1", false},
	{"float with exponent", "1e300::float8", "float8", "1e+300", false},
	{"single", "0.1::float4", "float4", "0.1", true},
	{"text", `'it''s "ü" \ 日本'::text`, "text", `"it's \"ü\" \\ 日本"`, false},
	{"empty", "''::text", "text", `""`, false},
	{"char", "'ab'::char(4)", "bpchar", `"ab  "`, true},
	{"date", "'2026-02-03'::date", "date", `"2026-02-03"`, false},
	{"time", "'04:05:06.7'::time", "time", `"04:05:06.7"`, true},
	{"timestamp", "'2026-02-03 04:05:06.789'::timestamp", "timestamp", `"2026-02-03T04:05:06.789"`, false},
	{"timestamp with zone", "'2026-02-03 04:05:06+02'::timestamptz", "timestamptz", `"2026-02-03T02:05:06Z"`, false},
	{"time with zone", "'04:05:06+05:30'::timetz", "timetz", `"04:05:06+05:30"`, true},
	{"end of time", "'infinity'::timestamp", "timestamp", `"infinity"`, true},
	{"long ago", "'0044-03-15 BC'::date", "date", `"0044-03-15 BC"`, true},
	{"interval", "'1 year 2 mons 3 days 04:05:06'::interval", "interval", `"P1Y2M3DT4H5M6S"`, true},
	{"bytes", `'\xdeadbeef00'::bytea`, "bytea", `"3q2+7wA="`, true},
	{"json", `'{"a": [1, 2.50]}'::json`, "json", `{"a":[1,2.50]}`, true},
	{"jsonb", `'{"b": 1, "a": null}'::jsonb`, "jsonb", `{"a":null,"b":1}`, true},
	{"uuid", "'A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "uuid", `"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`, true},
	{"array", "ARRAY[1, NULL, 3]", "int4[]", "[1,null,3]", true},
	{"texts", `ARRAY['a,b', 'c"d', '', NULL, 'NULL', '{x}', '\']`, "text[]", `["a,b","c\"d","",null,"NULL","{x}","\\"]`, true},
	{"nested", "ARRAY[ARRAY[1, 2], ARRAY[3, 4]]", "int4[]", "[[1,2],[3,4]]", true},
	{"empty array", "'{}'::int4[]", "int4[]", "[]", true},
	{"bounds", "'[2:3]={5,6}'::int4[]", "int4[]", "[5,6]", true},
	{"times", "ARRAY['2026-02-03 00:00:00'::timestamp]", "timestamp[]", `["2026-02-03T00:00:00"]`, true},
	{"flags", "ARRAY[true, false]", "bool[]", "[true,false]", true},
	{"range", "int4range(1, 5)", "int4range", `"[1,5)"`, true},
	{"bits", "B'101'", "bit", `"101"`, true},
}

func TestValues(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		for _, c := range values {
			if c.onlyPostgres && w.url == "" {
				continue
			}
			r, err := w.Query(t.Context(), user, query("SELECT "+c.sql+" AS v"))
			if !assert.NoError(t, err, "%s\n%s", c.name, w.log) {
				continue
			}
			assert.Equal(t, []api.Column{{Name: "v", Type: c.kind}}, r.Columns, c.name)
			assert.Equal(t, "[["+c.json+"]]", shown(t, r.Rows), c.name)
		}
	})
}

func TestLimitsOfSize(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	for name, open := range map[string]func(testing.TB, func(*aiquery.Options)) *world{"postgresql": onPostgres, "embedded": onEmbedded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, func(o *aiquery.Options) { o.CellBytes, o.Bytes, o.MaxParamBytes, o.MaxParamsBytes = 100, 2000, 50, 60 })
			ask := func(sql string, params ...string) *api.Result {
				t.Helper()
				r, err := w.Query(t.Context(), user, query(sql, params...))
				require.NoError(t, err, w.log)
				return r
			}
			r := ask(`SELECT lpad('', 500, 'ü')`)
			assert.Equal(t, strings.Repeat("ü", 50), r.Rows[0][0])
			assert.Contains(t, strings.Join(r.Notes, ""), "100 bytes")
			assert.False(t, r.Truncated, "all rows are there")

			r = ask(`SELECT lpad('', 90, 'x') FROM generate_series(1, 90)`)
			assert.True(t, r.Truncated)
			assert.Less(t, len(r.Rows), 25)
			assert.NotEmpty(t, r.Rows)
			assert.Equal(t, len(r.Rows), r.RowCount)
			assert.Contains(t, strings.Join(r.Notes, ""), "ends early")

			r = ask(`SELECT string_agg(lpad('', 90, 'x'), ',') FROM generate_series(1, 10000)`)
			assert.Len(t, r.Rows[0][0], 100, "one cell does not hold a table")

			for _, params := range [][]string{{`"` + strings.Repeat("x", 60) + `"`}, {`"` + strings.Repeat("x", 35) + `"`, `"` + strings.Repeat("x", 35) + `"`}} {
				q := query("SELECT $1::text", params...)
				_, err := w.Query(t.Context(), user, q)
				assert.Equal(t, api.CodeTooLarge, code(t, err))
			}
			q := query("SELECT 1")
			for range 101 {
				q.Params = append(q.Params, []byte("1"))
			}
			_, err := w.Query(t.Context(), user, q)
			assert.Equal(t, api.CodeTooLarge, code(t, err))
			_, err = w.Query(t.Context(), user, query("SELECT '"+strings.Repeat("x", 65<<10)+"'"))
			assert.Equal(t, api.CodeTooComplex, code(t, err))
			assert.Len(t, w.audit(t), 7)
			// The connection of the result that ended early is replaced.
			ask("SELECT 1")
		})
	}
}
