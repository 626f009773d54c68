package sqlstep

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseStep(t *testing.T) {
	t.Parallel()
	step, err := Parse("insert into T (a, b) values ('it''s', -1.5), (NULL, now()) -- done")
	require.NoError(t, err)
	assert.Equal(t, &Step{Verb: "INSERT", Table: "T", Columns: []string{"a", "b"},
		Rows: [][]Value{{{"text", "it's"}, {"number", "-1.5"}}, {{Kind: "null"}, {Kind: "now"}}}}, step)
	step, err = Parse("DELETE FROM T WHERE t.a=1 AND b IN (SELECT c FROM U) OR NOT d IS NULL")
	require.NoError(t, err)
	assert.Equal(t, Logic{"OR", []Condition{
		Logic{"AND", []Condition{Compare{"a", "=", Value{"number", "1"}}, In{Column: "b", Query: &Query{Column: "c", Table: "U"}}}},
		Logic{"AND", []Condition{Logic{"NOT", []Condition{Compare{"d", "IS", Value{Kind: "null"}}}}}},
	}}, step.Where)
}

func TestParseStepRefuses(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"nothing":             "",
		"select":              "SELECT 1",
		"drop":                "DROP TABLE T",
		"second statement":    "DELETE FROM T; DELETE FROM U",
		"schema":              "DELETE FROM main.T",
		"quoted name":         `DELETE FROM "T"`,
		"open text":           "DELETE FROM T WHERE a='x",
		"open comment":        "DELETE FROM T /* x",
		"function":            "UPDATE T SET a=load_extension('x')",
		"column as value":     "UPDATE T SET a=b",
		"scalar subquery":     "UPDATE T SET a=(SELECT b FROM U)",
		"condition of values": "DELETE FROM T WHERE 1=1",
		"fewer values":        "INSERT INTO T (a,b) VALUES (1)",
		"select into":         "INSERT INTO T SELECT * FROM U",
		"join":                "DELETE FROM T WHERE a IN (SELECT b FROM U, V)",
		"parameter":           "DELETE FROM T WHERE a=?",
		"null character":      "DELETE FROM T WHERE a=chr(0)",
		"deep":                "DELETE FROM T WHERE " + strings.Repeat("(", 1000) + "a=1" + strings.Repeat(")", 1000),
		"deep negation":       "DELETE FROM T WHERE " + strings.Repeat("NOT ", 100_000) + "a=1",
		"many parts":          "DELETE FROM T WHERE a=1" + strings.Repeat(" OR a=1", 5000),
		"many values":         "DELETE FROM T WHERE a IN (1" + strings.Repeat(",1", 5000) + ")",
		"long":                "DELETE FROM T WHERE a='" + strings.Repeat("x", 2<<20) + "'",
		"add column":          "ALTER TABLE T ADD COLUMN a int",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(sql)
			require.ErrorIs(t, err, ErrSyntax)
		})
	}
}

func FuzzParseStep(f *testing.F) {
	f.Add("UPDATE T SET a=chr(64)||'x', b=NULL WHERE c IN (1,2) AND (d IS NOT NULL)")
	f.Add("ALTER TABLE T ADD CONSTRAINT x FOREIGN KEY (a) REFERENCES U(b) ON DELETE CASCADE; COMMIT")
	f.Fuzz(func(t *testing.T, sql string) {
		step, err := Parse(sql)
		if err != nil {
			require.ErrorIs(t, err, ErrSyntax)
			return
		}
		require.NotEmpty(t, step.Verb)
		require.NotEmpty(t, step.Table)
	})
}
