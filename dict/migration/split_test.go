package migration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/migration"
)

func texts(parts []migration.Part) []string {
	list := []string{}
	for _, p := range parts {
		list = append(list, p.Text)
	}
	return list
}

func TestSplit(t *testing.T) {
	t.Parallel()
	pg, ora := dict.PostgreSQL, dict.Oracle
	tests := []struct {
		name    string
		dialect dict.Dialect
		script  string
		want    []string
	}{
		{"nothing", pg, "", []string{}},
		{"only comments", pg, "-- a;\n/* b; */ ;;", []string{}},
		{"terminator on its own line", pg, "INSERT INTO a VALUES (1)\n;\n\n-- x\nSELECT 1;", []string{"INSERT INTO a VALUES (1)", "SELECT 1"}},
		{"no terminator at the end", pg, "SELECT 1; SELECT 2 -- two\n", []string{"SELECT 1", "SELECT 2"}},
		{"semicolon in a text", pg, "SELECT 'a;b'';c'; SELECT 2;", []string{"SELECT 'a;b'';c'", "SELECT 2"}},
		{"text over lines", pg, "SELECT 'a;\n;\nb';", []string{"SELECT 'a;\n;\nb'"}},
		{"backslash ends a text", pg, `SELECT 'a\'; SELECT 2;`, []string{`SELECT 'a\'`, "SELECT 2"}},
		{"escaped text", pg, `SELECT E'a\'; b'; SELECT 2;`, []string{`SELECT E'a\'; b'`, "SELECT 2"}},
		{"a name that ends in e", pg, `SELECT name'x\'; SELECT 2;`, []string{`SELECT name'x\'`, "SELECT 2"}},
		{"quoted name", pg, `SELECT "a;""b"; SELECT 2;`, []string{`SELECT "a;""b"`, "SELECT 2"}},
		{"dollar quotes", pg, "DO $$ BEGIN PERFORM 1; END $$\n;\nSELECT 1;", []string{"DO $$ BEGIN PERFORM 1; END $$", "SELECT 1"}},
		{"named dollar quotes", pg, "DO $a$ x; $$ y; $b$ z; $a$; SELECT 1;", []string{"DO $a$ x; $$ y; $b$ z; $a$", "SELECT 1"}},
		{"no dollar quote", pg, "SELECT a$b$c; SELECT $1;", []string{"SELECT a$b$c", "SELECT $1"}},
		{"comment in a statement", pg, "SELECT 1 -- it's; one\n, 2 /* ; ' */;", []string{"SELECT 1 -- it's; one\n, 2"}},
		{"comments within comments", pg, "/* a /* b; */ c; */ SELECT 1;", []string{"SELECT 1"}},
		{"comment marks in a text", pg, "SELECT '--', '/*'; SELECT 2;", []string{"SELECT '--', '/*'", "SELECT 2"}},
		{"brackets", pg, "CREATE RULE r AS ON INSERT TO a DO INSTEAD (SELECT 1; SELECT 2); SELECT 3;",
			[]string{"CREATE RULE r AS ON INSERT TO a DO INSTEAD (SELECT 1; SELECT 2)", "SELECT 3"}},
		{"standard function body", pg, "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END; SELECT 3;",
			[]string{"CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END", "SELECT 3"}},
		{"windows lines", pg, "SELECT 1\r\n;\r\nSELECT 2\r\n;\r\n", []string{"SELECT 1", "SELECT 2"}},
		{"byte order mark", pg, "\ufeffSELECT 1;", []string{"SELECT 1"}},
		{"slash is division", pg, "SELECT 4\n/\n2;", []string{"SELECT 4\n/\n2"}},
		{"other scripts", pg, "SELECT 'é;ß', größe FROM t; SELECT 2;", []string{"SELECT 'é;ß', größe FROM t", "SELECT 2"}},

		{"settings", ora, "SET SQLBLANKLINES ON\nSET DEFINE OFF\n\nSELECT 1 FROM dual\n;\n", []string{"SELECT 1 FROM dual"}},
		{"block", ora, "BEGIN a; b; END;\n/\nSELECT 1 FROM dual;", []string{"BEGIN a; b; END;", "SELECT 1 FROM dual"}},
		{"block with declarations", ora, "DECLARE n NUMBER;\nBEGIN\n x := 4\n / 2;\nEND;\n/\n", []string{"DECLARE n NUMBER;\nBEGIN\n x := 4\n / 2;\nEND;"}},
		{"function", ora, "CREATE OR REPLACE FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END;\n/\nCOMMIT;",
			[]string{"CREATE OR REPLACE FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END;", "COMMIT"}},
		{"table is no block", ora, "CREATE TABLE beginning (a NUMBER); SELECT 1 FROM dual;", []string{"CREATE TABLE beginning (a NUMBER)", "SELECT 1 FROM dual"}},
		{"own quotes", ora, "SELECT q'[it's; so]', nq'!a';!' FROM dual; SELECT 2 FROM dual;", []string{"SELECT q'[it's; so]', nq'!a';!' FROM dual", "SELECT 2 FROM dual"}},
		{"comments do not nest", ora, "/* a /* b */ SELECT 1 FROM dual;", []string{"SELECT 1 FROM dual"}},
		{"dollars are letters", ora, "SELECT a$$ FROM v$session; SELECT 2 FROM dual;", []string{"SELECT a$$ FROM v$session", "SELECT 2 FROM dual"}},
		{"slash after a statement", ora, "SELECT 1 FROM dual\n/\nSELECT 2 FROM dual;", []string{"SELECT 1 FROM dual", "SELECT 2 FROM dual"}},
	}
	for _, tt := range tests {
		t.Run(string(tt.dialect)+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			parts, err := migration.Split(tt.script, tt.dialect)
			require.NoError(t, err)
			assert.Equal(t, tt.want, texts(parts))
		})
	}
}

func TestSplitRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script string
		line   int
		what   string
	}{
		"text":         {"SELECT 1;\nSELECT 'a;\n;", 2, "text that is not closed"},
		"escaped text": {`SELECT E'a\'`, 1, "text that is not closed"},
		"name":         {"\n\nSELECT \"a;", 3, "name that is not closed"},
		"dollar quote": {"DO $x$ BEGIN", 1, "$x$"},
		"comment":      {"SELECT 1; /* a", 1, "comment that is not closed"},
		"psql":         {"SELECT 1;\n\\i other.sql\n", 2, `\i`},
		"zero byte":    {"SELECT 1;\n\x00", 2, "zero byte"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := migration.Split(tt.script, dict.PostgreSQL)
			var split *migration.SplitError
			require.ErrorAs(t, err, &split)
			assert.Equal(t, tt.line, split.Line)
			assert.Contains(t, split.What, tt.what)
		})
	}
	_, err := migration.Split("SELECT '\xff'", dict.PostgreSQL)
	require.ErrorContains(t, err, "UTF-8")
}

// What is taken apart is all there, whatever it is, and taking a part apart
// again changes nothing.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"SELECT 1; SELECT 'a;';", "DO $$ ; $$;", "/* /* */ */ x;", "E'\\';'", "q'[;]'", "BEGIN a; END;\n/\n", "(;);"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, script string, oracle bool) {
		dialect := dict.PostgreSQL
		if oracle {
			dialect = dict.Oracle
		}
		parts, err := migration.Split(script, dialect)
		if err != nil {
			return
		}
		rest := script
		for _, p := range parts {
			i := strings.Index(rest, p.Text)
			require.GreaterOrEqual(t, i, 0)
			require.NotEmpty(t, strings.TrimSpace(p.Text))
			rest = rest[i+len(p.Text):]
			if oracle {
				continue // a block needs its slash
			}
			again, err := migration.Split(p.Text, dialect)
			require.NoError(t, err)
			require.Equal(t, []string{p.Text}, texts(again))
		}
	})
}
