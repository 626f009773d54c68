package sqlshell

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
)

// statements is a shell over a service that knows nothing.
func statements(t testing.TB, o Options) (sh *Shell, out *bytes.Buffer) {
	t.Helper()
	out = new(bytes.Buffer)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{}`, http.StatusNotFound)
	}))
	t.Cleanup(srv.Close)
	client, err := aiclient.New(srv.URL, aiclient.WithToken("x"), aiclient.WithRole(102), aiclient.WithRetries(0, 0))
	require.NoError(t, err)
	o.Client, o.Out, o.Err, o.Formats = client, out, out, []string{"table", "csv"}
	o.Tables = func(context.Context) ([]Table, error) {
		return []Table{{"C_Order", "Order"}, {"C_OrderLine", "Order Line"}, {"AD_User", "User"}}, nil
	}
	o.List = func(headings []string, rows [][]string) {
		for _, r := range rows {
			out.WriteString(strings.Join(r, "|") + "\n")
		}
	}
	o.Point = func(err error, _ string) error { return err }
	o.Part = func(ctx context.Context) (context.Context, func()) { return context.WithCancel(ctx) }
	sh = New(o)
	return sh, out
}

func TestWords(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want []string
		err  string
	}{
		"nothing":       {"  ", nil, ""},
		"plain":         {"a  b", []string{"a", "b"}, ""},
		"quotes":        {`'a b' "c 'd"`, []string{"a b", "c 'd"}, ""},
		"inside a word": {`:='"x"'`, []string{`:="x"`}, ""},
		"empty":         {`'' x`, []string{"", "x"}, ""},
		"open":          {`'a`, nil, "not closed"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := words(c.line)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestCompletion(t *testing.T) {
	sh, _ := statements(t, Options{})
	sh.names.columns["c_order"] = []api.ColumnMetadata{{Name: "DocumentNo"}, {Name: "DocStatus"}, {Name: "Computed", Virtual: true}}
	for name, c := range map[string]struct {
		buffer, before, behind string
		want                   []string
	}{
		"a table":                     {"", "select * from c_o", "", []string{"C_Order", "C_OrderLine"}},
		"the second table":            {"", "select * from ad_user u, c_order", "", []string{"C_Order", "C_OrderLine"}},
		"a joined table":              {"select *\nfrom c_order o\n", "join ad", "", []string{"AD_User"}},
		"a column of a table behind":  {"", "select docs", " from c_order", []string{"DocStatus"}},
		"a column by alias":           {"", "select * from c_order o where o.doc", "", []string{"DocStatus", "DocumentNo"}},
		"a column by table":           {"", "select * from c_order where c_order.", "", []string{"DocStatus", "DocumentNo"}},
		"an unknown owner":            {"", "select * from c_order o where x.d", "", nil},
		"a keyword":                   {"", "sel", "", []string{"SELECT"}},
		"a command":                   {"", `\ti`, "", []string{`\timing`}},
		"the table of a command":      {"", `\d C_OrderL`, "", []string{"C_OrderLine"}},
		"the format of a command":     {"", `\format c`, "", []string{"csv"}},
		"nothing for other commands":  {"", `\o c`, "", nil},
		"no command within statement": {"select 1\n", `\ti`, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			sh.buffer = c.buffer
			head, got, tail := sh.Complete(c.before+c.behind, len(c.before))
			require.Equal(t, c.want, got)
			require.True(t, strings.HasPrefix(c.before, head))
			require.Equal(t, c.behind, tail)
		})
	}
}

func TestBuffer(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		left  string
		ran   string
	}{
		"one line":                 {[]string{"select 1;"}, "", "select 1"},
		"several lines":            {[]string{"select", "1", ";"}, "", "select\n1"},
		"not complete":             {[]string{"select 1"}, "select 1\n", ""},
		"a semicolon in a text":    {[]string{"select ';"}, "select ';\n", ""},
		"a text over lines":        {[]string{"select 'a", "b';"}, "", "select 'a\nb'"},
		"a semicolon in a comment": {[]string{"select 1 -- ;"}, "select 1\n", ""},
		"two in a line":            {[]string{"select 1; select 2;"}, "", "select 2"},
		"the begin of the next":    {[]string{"select 1; select"}, "select\n", "select 1"},
		"nothing":                  {[]string{"", ";"}, "", ""},
		"run at the end":           {[]string{`select 1 \g`}, "", "select 1"},
		"run into a file":          {[]string{"select 1", `\g out.csv`}, "", "select 1"},
		"a command behind it":      {[]string{`select 1; \x`}, "", "select 1"},
		"that is in a text":        {[]string{`select '; \x';`}, "", `select '; \x'`},
		"a command in a text":      {[]string{`select 'a`, ` \g x`, `';`}, "", "select 'a\n \\g x\n'"},
		"forgotten":                {[]string{"select", `\r`}, "", ""},
		"a backslash in a text":    {[]string{`select '\d';`}, "", `select '\d'`},
	} {
		t.Run(name, func(t *testing.T) {
			sh, _ := statements(t, Options{Lines: FromText("")})
			for _, line := range c.lines {
				if err := sh.take(t.Context(), line); err != nil && !errors.Is(err, ErrFailed) {
					t.Fatal(err)
				}
			}
			require.Equal(t, c.left, sh.buffer)
			require.Equal(t, c.ran, sh.last)
		})
	}
}

// \q leaves from within a statement, but not from within a text.
func TestQuitWithinAStatement(t *testing.T) {
	sh, _ := statements(t, Options{})
	require.NoError(t, sh.take(t.Context(), "select 'a"))
	require.NoError(t, sh.take(t.Context(), `\q`))
	require.NoError(t, sh.take(t.Context(), "b'"))
	require.ErrorIs(t, sh.take(t.Context(), `\q`), errQuit)
}

func TestCommands(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"help":             {`\?`, `\timing`},
		"unknown":          {`\timin`, `did you mean \timing?`},
		"too much":         {`\q now`, "takes nothing behind it"},
		"a list":           {`\dt order`, "C_OrderLine|Order Line"},
		"a pattern":        {`\d AD_*`, "AD_User|User"},
		"none":             {`\dt zzz`, `no table has "zzz"`},
		"a format":         {`\format csv`, "shown as csv"},
		"no format":        {`\format pdf`, `no format "pdf": table, csv`},
		"expanded":         {`\x`, "Expanded display is on."},
		"neither":          {`\x maybe`, "neither on nor off"},
		"timing":           {`\timing on`, "Timing is on."},
		"a limit":          {`\limit 5`, "At most 5 rows"},
		"no limit":         {`\limit many`, "not a number of rows"},
		"no statement yet": {`\g`, "there is no statement yet"},
		"no JSON":          {`\bind :={`, "not JSON"},
		"no file":          {`\i nothing.sql`, "nothing.sql"},
		"a folder":         {`\i .`, "is not a file"},
		"no editor":        {`\e`, "no terminal"},
	} {
		t.Run(name, func(t *testing.T) {
			sh, out := statements(t, Options{Lines: FromText(c.line)})
			err := sh.Run(t.Context())
			if err != nil {
				require.ErrorIs(t, err, ErrFailed)
			}
			require.Contains(t, out.String(), c.want)
		})
	}
}

// FuzzLines feeds the shell whatever somebody may type: it never panics, and
// ends.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"select 1;", `\d`, "select 'a\nb';\n\\x", `\bind 'a`, "/* \n", "$$ ;\n", `\g \g`, "select 1 \\gx\n\\p"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		if strings.Contains(text, `\i`) || strings.Contains(text, `\o`) || len(text) > 4<<10 {
			return // files
		}
		sh, _ := statements(t, Options{Lines: FromText(text)})
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // nothing is sent
		for _, line := range strings.Split(text, "\n") {
			_ = sh.take(ctx, line)
			if at >= 0 && at <= len(line) {
				head, _, tail := sh.Complete(line, at)
				require.True(t, strings.HasPrefix(line, head) && strings.HasSuffix(line, tail))
			}
		}
	})
}
