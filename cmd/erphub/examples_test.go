//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/help"
)

// tries runs examples in one shell, so that they can build on each other, and
// says which did not end as they should.
const tries = `set -u
ready() { for _ in $(seq 1200); do if [ -s ready ]; then rm ready; return 0; fi; kill -0 $! || return 1; sleep 0.05; done; return 1; }
failed=0
try() { # where, exit code, line
  code=0
  { eval "$3" || code=$?; } >output 2>&1 </dev/null
  if [ "$code" != "$2" ]; then
    failed=1
    printf '%s: exit code %s, want %s: %s\n' "$1" "$code" "$2" "$3"
    head -c 1500 output
  fi
}
`

// attempt is the line that runs a line of an example.
func attempt(where, exit, line string) string {
	if exit == "" {
		exit = "0"
	}
	return fmt.Sprintf("try %s %s %s\n", quoted(where), exit, quoted(line))
}

// quoted is a word of the shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// exampleGroups are the groups of commands that have examples.
func exampleGroups(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../internal/help/examples/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, path := range files {
		files[i] = strings.TrimSuffix(filepath.Base(path), ".txt")
	}
	return files
}

// Every example of the help is run as it stands, against a sandbox whose logins
// are the profiles system and garden. The examples of a file run in order.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("runs what the scripts run")
	}
	t.Parallel()
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	for _, group := range exampleGroups(t) {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			environment := []string{"HOME=" + home, "ERPHUB_CONFIG=" + filepath.Join(home, "config.yaml"), "XDG_CACHE_HOME=" + cache, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "NO_COLOR=1"}
			p := serve(t, environment, "sandbox", "--write-profiles")
			script := tries
			for _, s := range help.Sections(group) {
				where := filepath.Base(group) + " [" + s.Command + "]"
				for _, line := range s.Setup {
					script += attempt(where+" %run", "0", line)
				}
				for _, e := range s.Examples {
					assert.NotEmpty(t, e.Lines, "%s: %q has no line", where, e.About)
					if e.Skip != "" {
						continue
					}
					for _, line := range e.Lines {
						if e.Serves {
							line = strings.TrimSuffix(line, " &") + " --listen 127.0.0.1:0 --ready-file ready & ready && kill $! && wait $!"
						}
						script += attempt(where, e.Exit, line)
					}
				}
			}
			runScript(t, t.TempDir(), script+"exit $failed\n", environment...)
			assert.Zero(t, p.stop())
		})
	}
}
