package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testproc"
)

// notPasted are the blocks that a test cannot run, by their first line, with the
// reason. All others are pasted as they are printed.
var notPasted = map[string]string{
	"go install github.com/erphub/erphub/cmd/erphub@latest": "needs a published version",
	"go get github.com/erphub/erphub":                       "needs a published version",
	"make test":                                             "this test is a part of it",
	"go test -run TestPostman -v ./erp/erptest":             "make test runs it",
	"go run ./examples/sandbox":                             "its own example runs it",
}

// inCheckout are documents whose blocks are for a checkout of the repository. Those
// of the others are for an empty folder.
var inCheckout = map[string]bool{"README.md": true}

// notRun are the languages of blocks that hold no commands to paste.
var notRun = map[string]bool{"console": true, "go": true, "json": true, "yaml": true, "text": true}

var (
	// exitComment says in a document that a command ends with an exit code.
	exitComment = regexp.MustCompile(` +# exit code (\d+)\b`)
	// servesComment says in a document where what runs in the background responds.
	servesComment = regexp.MustCompile(`&  *#.*http://([\w.]+):(\d+)`)
)

// document is the shell blocks of a document.
type document struct {
	lines    []string       // of the document: those of the blocks, the others empty
	commands int            // lines in blocks
	exits    map[int]string // exit codes that are announced, by line
	serves   []string       // host/port of servers that are to respond at the end
}

func readDocument(t *testing.T, path string, unused map[string]string) *document {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	d := &document{exits: map[int]string{}}
	language, inside, left := "", false, false
	lines := strings.Split(string(content), "\n")
	for i, line := range lines {
		at := fmt.Sprintf("%s:%d", filepath.Base(path), i+1)
		out := ""
		switch name, fence := strings.CutPrefix(line, "```"); {
		case fence && inside:
			inside = false
		case fence:
			inside, language = true, name
			require.True(t, language == "sh" || notRun[language], "%s: a block says its language, sh for commands; %q is none", at, language)
			_, left = notPasted[lines[i+1]]
			if left && language == "sh" {
				delete(unused, lines[i+1])
				t.Logf("%s: not pasted: %s: %s", at, lines[i+1], notPasted[lines[i+1]])
			}
		case !inside:
			require.False(t, strings.HasPrefix(line, "    "), "%s: blocks are fenced and say their language", at)
		case language == "sh" && !left:
			out = line
			d.commands++
			if m := exitComment.FindStringSubmatch(line); m != nil {
				d.exits[i+1] = m[1]
			}
			if m := servesComment.FindStringSubmatch(line); m != nil {
				d.serves = append(d.serves, m[1]+"/"+m[2])
			}
		}
		d.lines = append(d.lines, out)
	}
	require.False(t, inside, "%s: a block has no end", path)
	return d
}

// paste is what a shell reads: the blocks of the document in their lines, and before
// and after them what notes how the commands ended. Nothing stops at a failure, as
// nothing does in a terminal.
func (d *document) paste(notes string) string {
	lines := append([]string{}, d.lines...)
	lines[0] = `set -E -o pipefail; trap 'echo "$LINENO $? $BASH_COMMAND" >> ` + notes + `' ERR` // the heading was there
	for _, address := range d.serves {
		lines = append(lines, `for i in $(seq 601); do (: > /dev/tcp/`+address+`) 2> /dev/null && break; sleep 0.1; done; [ $i -lt 601 ] || echo "0 0 nothing serves `+address+`" >> `+notes)
	}
	return strings.Join(append(lines, "exit 0", ""), "\n")
}

// Whoever pastes the blocks of a document, one after the other, into one shell in an
// empty folder gets through: with a fresh home, nothing in the environment, and no
// server but those that the document starts.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the commands that the scripts run")
	}
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	paths, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	unused := map[string]string{}
	for line, why := range notPasted {
		unused[line] = why
	}
	documents := map[string]*document{}
	for _, path := range append(paths, filepath.Join(root, "README.md")) {
		if d := readDocument(t, path, unused); d.commands > 0 {
			documents[filepath.Base(path)] = d
		}
	}
	assert.Empty(t, unused, "no document has these blocks")
	require.Contains(t, documents, "README.md")
	require.Contains(t, documents, "twin.md")
	bin := filepath.Dir(testproc.Program(t, "erphub")) + ":" + filepath.Dir(testproc.Program(t, "erphub-mcp"))
	database := usualDatabase(t)
	for name, d := range documents {
		t.Run(name, func(t *testing.T) {
			dir, home := t.TempDir(), t.TempDir()
			env := []string{"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "LC_ALL=C.UTF-8"}
			if inCheckout[name] {
				dir, env = root, append(env, goEnvironment(t)...)
			}
			notes := filepath.Join(t.TempDir(), "notes")
			printed := pasteIsolated(t, dir, d.paste(notes), database, env)
			for _, wrong := range d.wrong(t, notes) {
				t.Errorf("%s", wrong)
			}
			if t.Failed() {
				t.Log(printed)
			}
			if inCheckout[name] {
				return
			}
			left, err := filepath.Glob(filepath.Join(dir, "*checkpoint*"))
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

// wrong are the commands that did not end as the document says.
func (d *document) wrong(t *testing.T, notes string) (list []string) {
	t.Helper()
	ended := map[int]string{}
	file, err := os.Open(notes)
	if err == nil {
		defer file.Close()
		for s := bufio.NewScanner(file); s.Scan(); {
			number, rest, ok := strings.Cut(s.Text(), " ")
			line, err := strconv.Atoi(number)
			if !ok || err != nil {
				continue // further lines of a command
			}
			code, _, _ := strings.Cut(rest, " ")
			if ended[line] = code; d.exits[line] != code {
				list = append(list, fmt.Sprintf("line %d: exit code %s", line, rest))
			}
		}
	} else {
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	for line, code := range d.exits {
		if ended[line] == "" {
			list = append(list, fmt.Sprintf("line %d: exit code 0, and the document says %s: %s", line, code, d.lines[line-1]))
		}
	}
	return list
}

// pasteIsolated has a shell read a text, in network and process namespaces of its own:
// the usual ports are free there, and all that was started ends with the shell. It
// returns what was printed.
func pasteIsolated(t *testing.T, dir, text, database string, env []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	files := t.TempDir()
	stdin := filepath.Join(files, "pasted")
	require.NoError(t, os.WriteFile(stdin, []byte(text), 0o600))
	in, err := os.Open(stdin)
	require.NoError(t, err)
	defer in.Close()
	log, err := os.Create(filepath.Join(files, "log")) // not a pipe, which servers would keep open
	require.NoError(t, err)
	defer log.Close()
	program, err := exec.LookPath(isolatedProgram) // where testscript put it
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, program, database, "bash", "-s")
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, env, in, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWPID, Setpgid: true}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	err = cmd.Start()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("NO DOCUMENT IS RUN: this system lets a test have no network of its own (%v)", err)
	}
	require.NoError(t, err)
	ended := cmd.Wait()
	printed, err := os.ReadFile(log.Name())
	require.NoError(t, err)
	const most = 8000
	printed = printed[max(0, len(printed)-most):]
	require.NoError(t, ended, "%s", printed)
	return string(printed)
}

// usualDatabase makes the database that the documents name, and returns a socket by
// which it is reached.
func usualDatabase(t *testing.T) (socket string) {
	t.Helper()
	db, address := erpDatabase(t)
	db.SetMaxIdleConns(0) // a database that somebody is connected to is not a template
	u, err := url.Parse(address)
	require.NoError(t, err)
	for _, statement := range []string{
		"CREATE ROLE adempiere LOGIN SUPERUSER", "ALTER ROLE adempiere SET search_path = adempiere, public",
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	copyDatabase(t, address, strings.TrimPrefix(u.Path, "/"), "idempiere")
	return forwardFromSocket(t, u.Host)
}

// goEnvironment is where the go command finds what it has built and downloaded.
func goEnvironment(t *testing.T) []string {
	t.Helper()
	var env []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOROOT"} {
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		require.NoError(t, err)
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	program, err := exec.LookPath("go")
	require.NoError(t, err)
	return append(env, "GOPROXY=off", "GOTOOLCHAIN=local", "PATH="+filepath.Dir(program)+":/usr/bin:/bin")
}
