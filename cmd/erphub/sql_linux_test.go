package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A person types statements over lines, completes names, gives up a line and a
// running statement, and finds statements again.
func TestSQLShell(t *testing.T) {
	t.Parallel()
	_, url, _ := serving(t, "sandbox", "--listen", "127.0.0.1:0")
	home := t.TempDir()
	config := filepath.Join(home, "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("url: "+url+"\nauth.username: GardenAdmin\nauth.password: GardenAdmin\n"+
		"auth.default-client-id: 11\nauth.default-role-id: 102\nauth.default-org-id: 11\n"), 0o600))
	term := newTerminal(t)
	cmd := atTerminal(t, term, config, "query")

	line := func(text string) { // at the prompt: interrupts lose what is typed ahead
		t.Helper()
		require.Eventually(t, func() bool {
			screen := term.screen()
			last := strings.TrimRight(screen[len(screen)-1], " ")
			return !term.echoes(t) && (last == "erp:102=>" || last == "erp:102->")
		}, waitFor, tick, "%s", term.raw())
		term.types(t, text)
	}

	term.sees(t, `role 102; \\\? for help`)
	line("select name\r")
	term.sees(t, `erp:102-> `)
	line("from c_bpart\t where value='JoeBlock';\r")
	term.sees(t, `Joe Block`)
	line("select  from c_order limit 1;\x01" + strings.Repeat("\x06", 7) + "docum\t\r") // the table stands behind
	term.sees(t, `^\S*documentno`)
	line("\\x\r")
	term.sees(t, `Expanded display is on`)
	line("select docum\x01\x05 from c_order\x03") // a line that is given up
	term.sees(t, `from c_order\^C`)
	line("\\d c_orderlin\r")
	term.sees(t, `did you mean C_OrderLine\?`)
	line("\\timing on\r")
	term.sees(t, `Timing is on`)
	line("select count(*) as n from c_order;\r")
	term.sees(t, `Time: .* \(server: \d+ ms\)`)

	// Values, a result in a file, the plan, the roles.
	result := filepath.Join(home, "out.csv")
	line("\\bind JoeBlock\r")
	line("select value from c_bpartner where value=$1 \\g " + result + "\r")
	line("\\explain select name from c_bpartner\r")
	term.sees(t, `reads C_BPartner`)
	csv, err := os.ReadFile(result)
	require.NoError(t, err)
	assert.Equal(t, "value\nJoeBlock\n", string(csv))
	line("\\role\r")
	term.sees(t, `GardenWorld Admin`)

	// A statement that takes too long is given up, and the shell goes on.
	line("select count(*) from c_orderline a, c_orderline b, c_orderline c, c_orderline d where a.linenetamt+b.linenetamt+c.linenetamt=d.linenetamt;\r")
	require.Eventually(t, func() bool { return term.echoes(t) }, waitFor, tick, "%s", term.raw())
	term.types(t, "\x03")
	term.sees(t, `the statement was interrupted`)
	line("select 6*7 as answer;\r")
	term.sees(t, `\b42\b`)
	line("\x04")
	require.NoError(t, cmd.Wait(), term.raw())
	assert.True(t, term.echoes(t), "the terminal is as it was")

	history := filepath.Join(home, ".local", "state", "erphub", "sql_history")
	content, err := os.ReadFile(history)
	require.NoError(t, err)
	assert.Contains(t, string(content), "select 6*7 as answer;\n")
	assert.Contains(t, string(content), "where value='JoeBlock';\n")
	st, err := os.Stat(history)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), st.Mode().Perm())
}
