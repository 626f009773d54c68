package guard

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPatterns: a pattern the server's planner could evaluate is a text that
// cannot fail.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		condition string
		want      string // in the text that runs; "" for what is refused
		kind      Kind
	}{
		"plain":                   {`name LIKE 'a%'`, `name LIKE 'a%'`, 0},
		"ends in two":             {`name LIKE 'a\\'`, `name LIKE E'a\\\\'`, 0},
		"ends in one":             {`name LIKE 'a_b\'`, "", Syntax},
		"ends in three":           {`name LIKE 'a\\\'`, "", Syntax},
		"in any letters":          {`name NOT ILIKE 'a\'`, "", Syntax},
		"own escape":              {`name LIKE 'a!' ESCAPE '!'`, "", Syntax},
		"own escape, twice":       {`name LIKE 'a!!' ESCAPE '!'`, `like_escape('a!!', '!')`, 0},
		"own escape, backslash":   {`name LIKE 'a\' ESCAPE '!'`, `like_escape(E'a\\', '!')`, 0},
		"own escape of one more":  {`name LIKE 'aé' ESCAPE 'é'`, "", Syntax},
		"escape that is nothing":  {`name LIKE 'a\' ESCAPE ''`, `like_escape(E'a\\', '')`, 0},
		"escape that is computed": {`name LIKE 'a!' ESCAPE chr(33)`, `name LIKE (SELECT pg_catalog.like_escape`, 0},
		"cast":                    {`name LIKE 'a\'::text`, "", Syntax},
		"cast that cuts":          {`name LIKE 'a\b'::varchar(2)`, `name LIKE (SELECT E'a\\b'::varchar(2))`, 0},
		"collation":               {`name LIKE 'a\' COLLATE "C"`, "", Syntax},
		"computed":                {`name LIKE 'a' || '\'`, `name LIKE (SELECT 'a' ||`, 0},
		"parameter":               {`name LIKE $1`, `name LIKE (SELECT $1)`, 0},
		"column":                  {`name LIKE taxid`, `name LIKE (SELECT taxid)`, 0},
		"subquery":                {`name LIKE (SELECT 'x\')`, `name LIKE (SELECT E'x\\')`, 0},
		"operator":                {`name ~~ 'a\'`, "", Syntax},
		"qualified operator":      {`name OPERATOR(pg_catalog.~~*) ('a' || '\')`, `(SELECT 'a' ||`, 0},
		"array":                   {`name LIKE ANY (ARRAY['a', 'b\'])`, "", Syntax},
		"array, computed":         {`name LIKE ANY (ARRAY['a', chr(92)])`, `(SELECT pg_catalog.chr(92))`, 0},
		"array as a text":         {`name LIKE ALL ('{a}')`, `(SELECT '{a}'::pg_catalog.text[])::pg_catalog.text[]`, 0},
		"array as a parameter":    {`name LIKE ANY ($1)`, `(SELECT $1::pg_catalog.text[])::pg_catalog.text[]`, 0},
		"aggregate":               {`name LIKE (CASE WHEN true THEN 'a\' ELSE max(name) END)`, "", Unsupported},
		"aggregate below":         {`name LIKE (SELECT max(name) FROM c_bpartner) || '%'`, `LIKE (SELECT (SELECT pg_catalog.max(name)`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			params := 0
			if name == "parameter" || name == "array as a parameter" {
				params = 1
			}
			plan, err := New(nil).Secure(t.Context(), testPolicy(), "SELECT name FROM c_bpartner WHERE "+test.condition, params, 10)
			if test.want == "" {
				var r *Refusal
				require.ErrorAs(t, err, &r)
				assert.Equal(t, test.kind, r.Kind)
				return
			}
			require.NoError(t, err)
			assert.Contains(t, plan.SQL, test.want)
		})
	}
}
