package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	cmd := atTerminal(t, term, config, "sql")

	term.sees(t, `role 102; \\\? for help`)
	term.sees(t, `erp:102=> `)
	term.types(t, "select name\r")
	term.sees(t, `erp:102-> `)
	term.types(t, "from c_bpart\t where value='JoeBlock';\r")
	term.sees(t, `Joe Block`)
	term.types(t, "select docum\t from c_order limit 1;\r") // the table stands behind
	term.types(t, "\\x\r")
	term.sees(t, `Expanded display is on`)
	term.types(t, "select docum\x01\x05 from c_order\x03") // a line that is given up
	term.types(t, "\\d c_orderlin\r")
	term.sees(t, `C_OrderLine`)
	term.types(t, "\\timing on\r")
	term.types(t, "select count(*) as n from c_order;\r")
	term.sees(t, `Time: .* \(server: \d+ ms\)`)

	// A statement that takes too long is given up, and the shell goes on.
	for range 10 {
		term.types(t, "select count(*) from ad_column a, ad_column b, ad_column c where a.columnname||b.columnname = c.columnname;\r")
		require.Eventually(t, func() bool { return term.echoes(t) }, time.Minute, time.Millisecond)
		term.types(t, "\x03")
		if strings.Contains(term.raw(), "interrupted") {
			break
		}
	}
	term.sees(t, `the statement was interrupted`)
	term.types(t, "select 6*7 as answer;\r")
	term.sees(t, `\b42\b`)
	term.types(t, "\x04")
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
