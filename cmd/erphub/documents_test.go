//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testproc"
)

// documentRule is a command of a document that a test cannot run as it stands.
type documentRule struct {
	command *regexp.Regexp
	instead string // "": nothing
	why     string
}

// documentRules are all there are; the rest of the documents is run to the letter.
var documentRules = []documentRule{
	{regexp.MustCompile(`^go (install|get) github\.com/.*$`), "", "needs a published version"},
	{regexp.MustCompile(`^make test$`), "", "this test is a part of it"},
	{regexp.MustCompile(`^go test -run TestPostman .*$`), "", "make test runs it"},
	{regexp.MustCompile(`^go run \./cmd/(erphub-\w+)\b`), "$1", "the programs are built from this checkout beforehand"},
	{regexp.MustCompile(`^go run \./examples/sandbox$`), "", "its own example runs it"},
	{regexp.MustCompile(`^erphub server api --database-file .*$`), "", "needs a whole ERP in PostgreSQL; TestServerAPI has one"},
	{regexp.MustCompile(`postgres://adempiere@127\.0\.0\.1/idempiere`), `"$$TEST_DATABASE"`, "the database of the test"},
	{regexp.MustCompile(`^(erphub (?:sandbox|server)\b.*?) *&( +#.*)?$`), `$1 --listen 127.0.0.1:0 --ready-file ready.$$LINENO & ready ready.$$LINENO`,
		"the usual port may be taken, and a reader waits until the server says that it responds"},
	{regexp.MustCompile(`^(.*?) +# exit code (\d+)\b.*$`), `code=0; $1 || code=$$?; [ $$code = $2 ]`, "the block says how it ends"},
}

// prelude stops at the first command that fails and says which.
const prelude = `set -eEuo pipefail; trap 'echo "line $LINENO failed: $BASH_COMMAND" >&2' ERR; trap 'kill $(jobs -p) || true; wait' EXIT; ` +
	`ready() { for _ in $(seq 600); do if [ -s "$1" ]; then rm "$1"; return 0; fi; sleep 0.05; done; echo "no server wrote $1" >&2; return 1; }`

// notRun are the languages of blocks that hold no commands.
var notRun = map[string]bool{"console": true, "go": true, "json": true, "yaml": true, "text": true}

// script makes the blocks of a document one program with the same numbers of
// lines. used counts the rules.
func script(t *testing.T, document string, used map[string]int) (text string, commands int) {
	t.Helper()
	content, err := os.ReadFile(document)
	require.NoError(t, err)
	fence := regexp.MustCompile("^```(.*)$")
	lines := []string{prelude}
	language, inside := "", false
	for i, line := range strings.Split(string(content), "\n") {
		at := fmt.Sprintf("%s:%d", filepath.Base(document), i+1)
		out := ""
		switch m := fence.FindStringSubmatch(line); {
		case m != nil && inside:
			inside = false
		case m != nil:
			inside, language = true, m[1]
			require.True(t, language == "sh" || notRun[language], "%s: a block says its language, sh for commands; %q is none", at, language)
		case !inside:
			require.False(t, strings.HasPrefix(line, "    "), "%s: blocks are fenced and say their language", at)
		case language == "sh":
			require.NotContains(t, line, "&&", "%s: && hides failures from the shell's -e: write two lines", at)
			out = line
			for _, r := range documentRules {
				if r.command.MatchString(out) {
					used[r.why]++
					out = r.command.ReplaceAllString(out, r.instead)
				}
			}
			commands++
		}
		if i > 0 { // the first line of a document is its heading
			lines = append(lines, out)
		}
	}
	require.False(t, inside, "%s: a block has no end", document)
	return strings.Join(lines, "\n"), commands
}

// Whoever follows the documents from the top in an empty folder gets through: all
// commands are run in order by one shell, with a fresh home and nothing in the
// environment, and each must succeed unless the block says otherwise.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the commands that the scripts run")
	}
	t.Parallel()
	documents, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	require.NoError(t, err)
	documents = append(documents, filepath.Join("..", "..", "README.md"))
	used, scripts := map[string]int{}, map[string]string{}
	for _, document := range documents {
		if text, commands := script(t, document, used); commands > 0 {
			scripts[filepath.Base(document)] = text
		}
	}
	for _, r := range documentRules {
		assert.Positive(t, used[r.why], "no document needs the rule %s", r.command)
	}
	require.Contains(t, scripts, "README.md")
	bin := filepath.Dir(testproc.Program(t, "erphub")) + ":" + filepath.Dir(testproc.Program(t, "erphub-demo"))
	_, database := erpDatabase(t)
	for name, text := range scripts {
		t.Run(name, func(t *testing.T) {
			dir, home := t.TempDir(), t.TempDir()
			runScript(t, dir, text, "PATH="+bin+":/usr/local/bin:/usr/bin:/bin", "HOME="+home, "LC_ALL=C.UTF-8", "TEST_DATABASE="+database)
			left, err := filepath.Glob(filepath.Join(dir, "*checkpoint*"))
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

// runScript runs a program of bash and shows what it wrote when it fails.
func runScript(t *testing.T, dir, text string, env ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	log, err := os.Create(filepath.Join(t.TempDir(), "log")) // not a pipe, which servers would keep open
	require.NoError(t, err)
	defer log.Close()
	cmd := exec.CommandContext(ctx, "bash", "-c", text)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Run(); err != nil {
		wrote, _ := os.ReadFile(log.Name()) // the error is shown either way
		const most = 4000
		t.Fatalf("%v\n%s", err, wrote[max(0, len(wrote)-most):])
	}
}
