package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp/erptest"
)

// varying is what differs between runs, and what stands for it. No replacement
// changes how long a line is.
var varying = []struct {
	what    *regexp.Regexp
	instead func(string) string
}{
	{regexp.MustCompile(`20\d\d-[0-9T:. -]*\d`), func(s string) string { return regexp.MustCompile(`\d`).ReplaceAllString(s, "0") }},
}

// onScreen runs a command on a terminal of so many columns and returns what it
// wrote there.
func onScreen(t *testing.T, columns int, env []string, args ...string) string {
	t.Helper()
	term := newTerminal(t)
	require.NoError(t, unix.IoctlSetWinsize(int(term.device.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 500, Col: uint16(columns)}))
	var errs bytes.Buffer
	code := execute(t.Context(), append([]string{"erphub"}, args...), env, shell.Streams{In: strings.NewReader(""), Out: term.device, Err: &errs})
	const end = "-- the end --"
	fmt.Fprint(term.device, end+"\n") // what was written before it has arrived then
	term.sees(t, end)
	text, _, _ := strings.Cut(strings.ReplaceAll(term.raw(), "\r\n", "\n"), end)
	return fmt.Sprintf("%s-- standard error, exit code %d --\n%s", text, code, waitingLine.ReplaceAllString(errs.String(), ""))
}

// waitingLine is said on a busy machine.
var waitingLine = regexp.MustCompile(`(?m)^erphub: waiting for .*\n`)

// What commands show at usual widths, with colours and without, is in
// testdata/terminal. -update writes the files anew.
func TestOutputOnATerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("waits as long as the program does")
	}
	t.Parallel()
	srv := startDeployments(t)
	log := deploylog.New(deployer(t, srv), nil)
	run, err := log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Production, Version: "12.0.3-rc.1", DeployedBy: "a person with a long name", CurrentStep: "building"})
	require.NoError(t, err)
	_, err = log.Complete(t.Context(), run.ID, deploylog.Completion{Status: deploylog.Failed, ErrorMessage: "no space left on the device where the plugins go"})
	require.NoError(t, err)
	run, err = log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Staging, Version: "12.1.0", DeployedBy: "ben"})
	require.NoError(t, err)
	step, progress := "copying plugins to 12 nodes, of which 3 are done already", 55
	_, err = log.Update(t.Context(), run.ID, deploylog.Update{Status: deploylog.Deploying, CurrentStep: &step, Progress: &progress})
	require.NoError(t, err)

	dir := t.TempDir()
	definitions := filepath.Join(dir, "tables.yaml")
	require.NoError(t, os.WriteFile(definitions, []byte("table: XX_Remark\ntemplates: [VALUE_NAME]\ncolumns:\n  - {name: XX_Text, type: String, length: 40}\n"), 0o600))
	garden := gardenAdmin(srv.URL())
	system := []string{"ERP_URL=" + srv.URL(), "ERP_USERNAME=SuperUser", "ERP_PASSWORD=System", "ERP_CLIENT_ID=0", "ERP_ROLE_ID=0", "ERP_ORG_ID=0"}
	for name, tt := range map[string]struct {
		env  []string
		args []string
	}{
		"record list":       {garden, []string{"record", "list", "C_BPartner", "--top", "5"}},
		"record list names": {garden, []string{"record", "list", "C_BPartner", "--top", "3", "--columns", "Value,Name,C_BP_Group_ID,SO_CreditLimit,C_PaymentTerm_ID,SalesRep_ID,Created"}},
		"record get":        {garden, []string{"record", "get", "C_BPartner", "118", "--columns", "Value,Name,C_BP_Group_ID,IsCustomer"}},
		"dict diff":         {system, []string{"dict", "diff", "-f", definitions}},
		"doctor":            {system, []string{"doctor", "--only", "configuration,api,database"}},
		"env deploy status": {garden, []string{"env", "deploy", "status"}},
		"process list":      {garden, []string{"process", "list", "--search", "order"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			screens(t, name, srv.URL(), append(tt.env, "HOME="+dir), tt.args...)
		})
	}
}

// The result of a query is a table as others are.
func TestQueryOnATerminal(t *testing.T) {
	t.Parallel()
	p := serve(t, nil, "sandbox")
	screens(t, "query", p.url, append(gardenAdmin(p.url), "HOME="+t.TempDir()), "query", "--max-rows", "3",
		"SELECT value, name, description, so_creditlimit, isvendor, NULL AS nothing FROM c_bpartner ORDER BY value")
	assert.Zero(t, p.stop())
}

// screens compares what a command shows at the usual widths with its file.
func screens(t *testing.T, name, url string, env []string, args ...string) {
	t.Helper()
	home := env[len(env)-1][len("HOME="):]
	env = append(env[:len(env):len(env)], "ERPHUB_CONFIG=/nonexistent/erphub.yaml", "TERM=xterm")
	var all strings.Builder
	for _, columns := range []int{60, 80, 140} {
		plain := onScreen(t, columns, append(env[:len(env):len(env)], "NO_COLOR=1"), args...)
		coloured := onScreen(t, columns, env, args...)
		assert.Equal(t, plain, regexp.MustCompile(`\x1b\[\d*m`).ReplaceAllString(coloured, ""), "colours change nothing else")
		fmt.Fprintf(&all, "== %d columns ==\n%s", columns, plain)
		if columns == 80 {
			fmt.Fprintf(&all, "== %d columns with colours ==\n%s", columns, strings.ReplaceAll(coloured, "\x1b", "ESC"))
		}
		if name == "dict diff" {
			continue // is text, which the terminal wraps
		}
		shown, _, _ := strings.Cut(plain, "-- standard error")
		for line := range strings.Lines(shown) {
			line = strings.TrimSuffix(line, "\n")
			assert.Equal(t, strings.TrimRight(line, " "), line, "a trailing blank at %d columns", columns)
			if !strings.Contains(line, ": ") { // advice below a table is text, too
				assert.LessOrEqual(t, len([]rune(line)), columns, line)
			}
		}
	}
	port := url[strings.LastIndex(url, ":")+1:]
	text := strings.NewReplacer(home, "DIR", port, strings.Repeat("0", len(port))).Replace(all.String())
	for _, v := range varying {
		text = v.what.ReplaceAllStringFunc(text, v.instead)
	}
	file := filepath.Join("testdata", "terminal", strings.ReplaceAll(name, " ", "-")+".txt")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), text)
}

// A person sees what a pager shows, and nothing is lost when it is left.
func TestPager(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "page")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho \"paged $LESS $# $1 [$ERP_PASSWORD$MY_TOKEN]\"\nhead -n 3\nexit 7\n"), 0o700)) //nolint:gosec // it is run
	list := []string{"record", "list", "AD_Column", "--columns", "ColumnName", "--top", "600"}
	env := append(gardenAdmin(srv.URL()), "HOME="+dir, "PATH="+os.Getenv("PATH"), "TERM=xterm", "NO_COLOR=1", "MY_TOKEN=Kanarienvogel")
	for name, tt := range map[string]struct {
		env  []string
		args []string
		want string
		code int
	}{
		"PAGER":                  {[]string{"PAGER=" + script + " -x"}, list, `^paged FRX 1 -x \[\]\n`, 0},
		"ERPHUB_PAGER first":     {[]string{"PAGER=false", "ERPHUB_PAGER=" + script, "LESS=own"}, list, `^paged own 0  \[\]\n`, 0},
		"json":                   {[]string{"PAGER=" + script}, append([]string{"--json"}, "process", "list"), `^paged FRX 0  \[\]\n`, 0},
		"--no-pager":             {[]string{"PAGER=" + script}, append([]string{"--no-pager"}, list...), `ColumnName`, 0},
		"an empty variable":      {[]string{"PAGER="}, list, `ColumnName`, 0},
		"cat":                    {[]string{"PAGER=cat"}, list, `ColumnName`, 0},
		"records as they come":   {[]string{"PAGER=" + script}, append([]string{"--json"}, list...), `^paged FRX 0  \[\]\n\{"records":\[\n`, 0},
		"yaml":                   {[]string{"PAGER=" + script}, append(slices.Clone(list), "-o", "yaml"), `^paged FRX 0  \[\]\nrecords:\n`, 0},
		"a line per column":      {[]string{"PAGER=" + script}, append(slices.Clone(list), "-o", "vertical"), `^paged FRX 0  \[\]\n-\[ 1 \]-\n`, 0},
		"a pager that is not":    {[]string{"PAGER=/no/such/pager"}, list, `ColumnName`, 0},
		"a result that is short": {[]string{"PAGER=" + script}, []string{"record", "list", "AD_Column", "--columns", "ColumnName", "--top", "3"}, `ColumnName`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := onScreen(t, 80, append(env[:len(env):len(env)], tt.env...), tt.args...)
			assert.Regexp(t, tt.want, shown)
			assert.Contains(t, shown, fmt.Sprintf("exit code %d", tt.code))
			assert.NotContains(t, shown, "Kanarienvogel")
			if strings.HasPrefix(tt.want, "^paged") {
				assert.Equal(t, 4, strings.Count(strings.Split(shown, "-- standard error")[0], "\n"), "the rest was not wanted")
			} else {
				assert.NotContains(t, shown, "paged")
			}
		})
	}
}

// An interrupt is the pager's own while it is in front, and a pager that is killed
// leaves the terminal as it was.
func TestPagerIsInterrupted(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("url: "+srv.URL()+"\ntoken: "+token+"\n"), 0o600))
	// atTerminal passes PATH on, where the pager is found under the usual name.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "less"), []byte("#!/bin/sh\ntrap 'echo caught' INT\ncat >/dev/null\nstty -echo </dev/tty\necho paging\n"+
		"until read a </dev/tty; do :; done\nuntil read b </dev/tty; do :; done\nstty echo </dev/tty\necho \"left after $a$b\"\n"), 0o700)) //nolint:gosec // it is run
	term := newTerminal(t)
	cmd := atTerminal(t, term, config, "process", "list")
	term.sees(t, `^paging`)
	// A second one would end the program at once. A shell that is about to read
	// when an interrupt comes runs its trap after the next one only.
	require.Eventually(t, func() bool {
		term.types(t, "\x03")
		return strings.Count(term.raw(), "caught") >= 2
	}, time.Minute, 50*time.Millisecond, "the pager does not get the interrupts")
	term.types(t, "a\nb\n")
	require.NoError(t, cmd.Wait(), term.raw())
	term.sees(t, `left after`)
	assert.True(t, term.echoes(t), "the terminal is as it was")
}
