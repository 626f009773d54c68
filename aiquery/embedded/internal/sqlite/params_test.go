package sqlite_test

import (
	"testing"

	"github.com/erphub/erphub/aiquery/embedded/internal/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestParameters binds texts on both databases: the statement decides what
// they are.
func TestParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, test := range map[string]struct {
		sql    string
		params []any
		types  []string
	}{
		"of a column":            {"SELECT count(*) FROM c_order WHERE grandtotal > $1 AND issotrx = $2", []any{"2.5", "Y"}, []string{"numeric", "bpchar"}},
		"id kept as integer":     {"SELECT documentno FROM c_order WHERE c_order_id = $1", []any{"1001"}, []string{"numeric"}},
		"id with decimals":       {"SELECT documentno FROM c_order WHERE c_order_id = $1", []any{"1001.00"}, []string{"numeric"}},
		"cast":                   {"SELECT $1::int4 + 1, $2::numeric, $3::date, $4::bool, $5::text", []any{"41", "1.500", "2024-02-29", "true", "it's"}, []string{"int4", "numeric", "date", "bool", "text"}},
		"null":                   {"SELECT $1::text IS NULL, coalesce($2::numeric, 7), count(*) FROM c_order WHERE note = $1", []any{nil, nil}, []string{"text", "numeric"}},
		"twice":                  {"SELECT $1::text || '-' || $1", []any{"a"}, []string{"text"}},
		"in reverse":             {"SELECT $2::int4 - $1::int4", []any{"1", "10"}, []string{"int4", "int4"}},
		"limit and offset":       {"SELECT c_order_id FROM c_order ORDER BY 1 LIMIT $1 OFFSET $2", []any{"2", "3"}, []string{"int8", "int8"}},
		"in a list":              {"SELECT count(*) FROM c_order WHERE line IN ($1, $2)", []any{"10", "-7"}, []string{"int4", "int4"}},
		"any of an array":        {"SELECT count(*) FROM c_order WHERE documentno = ANY($1::text[])", []any{`{D001,"D00 2",D003,NULL}`}, []string{"text[]"}},
		"between dates":          {"SELECT count(*) FROM c_order WHERE dateordered BETWEEN $1 AND $2", []any{"2024-01-01", "2024-12-31 23:59:59"}, []string{"timestamp", "timestamp"}},
		"like":                   {"SELECT count(*) FROM c_order WHERE note LIKE $1", []any{`%\%%`}, []string{"text"}},
		"interval":               {"SELECT '2024-01-31'::date + $1::interval", []any{"1 month"}, []string{"interval"}},
		"in a subquery":          {"SELECT name FROM c_bpartner WHERE c_bpartner_id IN (SELECT c_bpartner_id FROM c_order WHERE line = $1) ORDER BY c_bpartner_id", []any{"10"}, []string{"int4"}},
		"quotes stay text":       {"SELECT count(*) FROM c_order WHERE note = $1", []any{`' OR '1'='1`}, []string{"text"}},
		"semicolon stays text":   {"SELECT $1::text", []any{`'; DROP TABLE c_order; --`}, []string{"text"}},
		"question marks in text": {"SELECT $1::text, '?1 $1 ?', $2::text", []any{"?2", "$1"}, []string{"text", "text"}},
	} {
		t.Run(name, func(t *testing.T) {
			want := w.postgres(t.Context(), test.sql, test.params...)
			require.NoError(t, want.err)
			got, rendered := w.embedded(t.Context(), test.sql, test.params...)
			require.NoError(t, got.err, rendered)
			assert.Equal(t, want.types, got.types)
			assert.Equal(t, want.rows, got.rows, rendered)
			tree, err := parse(test.sql)
			require.NoError(t, err)
			st, err := sqlite.Render(tree, source)
			require.NoError(t, err)
			assert.Equal(t, test.types, st.Params)
		})
	}
}

// TestParametersOfAnotherType fail as they do in PostgreSQL, and say nothing of
// the value.
func TestParametersOfAnotherType(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, test := range map[string]struct{ sql, param string }{
		"no number":        {"SELECT $1::numeric", "12x-secret"},
		"no integer":       {"SELECT $1::int4", "1.5-secret"},
		"integer range":    {"SELECT $1::int2", "70000"},
		"no date":          {"SELECT $1::date", "secret"},
		"no such date":     {"SELECT $1::date", "2024-02-30"},
		"no truth value":   {"SELECT $1::bool", "secret"},
		"no array":         {"SELECT $1::int4[]", "secret"},
		"array of another": {"SELECT $1::int4[]", "{secret}"},
		"of a column":      {"SELECT count(*) FROM c_order WHERE grandtotal = $1", "secret"},
		"negative limit":   {"SELECT 1 LIMIT $1", "-1"},
	} {
		t.Run(name, func(t *testing.T) {
			want := w.postgres(t.Context(), test.sql, test.param)
			require.Error(t, want.err)
			got, rendered := w.embedded(t.Context(), test.sql, test.param)
			require.Error(t, got.err, rendered)
			assert.Equal(t, want.code, got.code, got.err)
			assert.NotContains(t, got.err.Error(), "secret")
		})
	}
}
