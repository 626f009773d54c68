package main

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
)

// A run that is recorded in one call, and whose end the ERP refuses, is named, and so is
// the command that goes on: the same one again would record a second run.
func TestEndOfARunIsRefused(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	env := []string{"ERP_URL=" + srv.URL(), "ERP_USERNAME=SuperUser", "ERP_PASSWORD=System", "ERPHUB_CONFIG=" + filepath.Join(t.TempDir(), "config.yaml")}
	run := func(args ...string) (int, string) {
		var printed bytes.Buffer
		code := execute(t.Context(), append([]string{"erphub", "env", "deploy"}, args...), env, shell.Streams{In: strings.NewReader(""), Out: &printed, Err: &printed})
		return code, printed.String()
	}
	code, said := run("install", "--no-window")
	require.Zero(t, code, said)
	fault := srv.Faults().On(erptest.Match{Method: http.MethodPost, Path: "/batch"}, erptest.Fail(http.StatusForbidden))
	code, said = run("start", "--env", "PROD", "--version", "1", "--status", "SUCCESS")
	require.Positive(t, fault.Hits())
	fault.Remove()
	assert.Equal(t, 3, code)
	assert.Contains(t, said, "run 1000000 is recorded, and not that it is over: ")
	assert.Contains(t, said, "; go on with `erphub env deploy update --id 1000000 --status DEPLOYING` and `erphub env deploy complete --id 1000000 --status SUCCESS`")
	for _, args := range [][]string{{"update", "--id", "1000000", "--status", "DEPLOYING"}, {"complete", "--id", "1000000", "--status", "SUCCESS"}} {
		code, said = run(args...)
		require.Zero(t, code, said)
	}
	assert.Contains(t, said, "SUCCESS")
}
