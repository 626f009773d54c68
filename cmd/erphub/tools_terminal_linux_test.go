package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
)

// What a tool changes is agreed to by the person at the terminal or by --yes.
// Without either nothing is changed, and the exit code is that of wrong usage.
func TestToolsCallAsks(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, time.Hour)
	require.NoError(t, err)
	env := []string{"HOME=" + t.TempDir(), "ERP_URL=" + srv.URL(), "ERP_TOKEN=" + token, "ERPHUB_CONFIRM=client"} // which is for servers
	call := func(in io.Reader, args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = execute(t.Context(), append([]string{"erphub", "tools", "call", "--toolsets", "chat"}, args...), env, shell.Streams{In: in, Out: &stdout, Err: &stderr})
		return code, stdout.String(), stderr.String()
	}
	type job struct {
		ID      string
		Enabled bool
	}
	jobs := func() []job {
		code, out, errs := call(nil, "listServerJobs")
		require.Equal(t, shell.ExitDone, code, errs)
		var listed struct{ Jobs []job }
		require.NoError(t, json.Unmarshal([]byte(out), &listed))
		require.NotEmpty(t, listed.Jobs)
		return listed.Jobs
	}
	noTerminal, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer noTerminal.Close()
	for _, tc := range []struct {
		name  string
		in    io.Reader
		more  []string
		code  int
		out   string
		asked bool
	}{
		{"nobody there", nil, nil, shell.ExitUsage, `"code": "confirmation_required"`, false},
		{"a pipe that says yes", strings.NewReader("yes\n"), nil, shell.ExitUsage, `"code": "confirmation_required"`, false},
		{"no terminal", noTerminal, nil, shell.ExitUsage, "--yes", false},
		{"somebody who says no", typing(t, "n\n"), nil, shell.ExitFailed, `"code": "declined"`, true},
		{"somebody who says yes", typing(t, "y\n"), nil, shell.ExitDone, `"changed": true`, true},
		{"yes beforehand", nil, []string{"--yes"}, shell.ExitDone, `"changed": true`, false},
	} {
		before := jobs()[0]
		args := append([]string{"toggleServerJob", "--args", fmt.Sprintf(`{"jobId":%q,"enabled":%v}`, before.ID, !before.Enabled)}, tc.more...)
		code, out, errs := call(tc.in, args...)
		assert.Equal(t, tc.code, code, "%s: %s%s", tc.name, out, errs)
		assert.Contains(t, out, tc.out, tc.name)
		assert.Equal(t, tc.asked, strings.Contains(errs, "[y/N]"), "%s: %s", tc.name, errs)
		assert.Equal(t, tc.code == shell.ExitDone, jobs()[0].Enabled != before.Enabled, tc.name)
	}
}

// A program that calls one tool reads the dictionary once, and keeps it for its
// next run and for the commands about the dictionary. What was changed meanwhile
// is seen.
func TestToolsCallKeepsTheDictionary(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the dictionary again and again")
	}
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, time.Hour)
	require.NoError(t, err)
	env := []string{"XDG_CACHE_HOME=" + t.TempDir(), "HOME=" + t.TempDir(), "ERP_URL=" + srv.URL(), "ERP_TOKEN=" + token}
	reads := erptest.Match{Method: "GET", Path: "/models/..."}
	run := func(args ...string) (requests int, out string) {
		t.Helper()
		before := srv.Faults().Count(reads)
		var stdout, stderr bytes.Buffer
		code := execute(t.Context(), append([]string{"erphub"}, args...), env, shell.Streams{Out: &stdout, Err: &stderr})
		require.Equal(t, shell.ExitDone, code, stderr.String())
		return srv.Faults().Count(reads) - before, stdout.String()
	}
	first, _ := run("tools", "call", "listTables", "pattern=C_Order%")
	require.Eventually(t, func() bool { // on a busy machine the first call may end before all is read
		second, out := run("tools", "call", "describeTable", "table=C_Order")
		assert.Contains(t, out, "C_BPartner_ID")
		return 3*second < first
	}, time.Minute, time.Millisecond, "the dictionary is read again for every call")
	browsed, _ := run("dict", "list")
	assert.Less(t, 3*browsed, first, "requests")

	run("record", "update", "AD_Table", "259", "Help=Seen at once")
	_, out := run("tools", "call", "describeTable", "table=C_Order", "detail=full")
	assert.Contains(t, out, "Seen at once")
}
