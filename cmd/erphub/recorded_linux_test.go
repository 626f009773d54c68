package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// recordedLines bounds what a recording shows of a command.
const recordedLines = 14

// TestRecordedCommands runs every command of the recorded terminals in these
// documents and compares what a terminal of 100 columns shows with what the
// document says. With -update it writes the documents anew.
func TestRecordedCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the commands that the scripts run")
	}
	t.Parallel()
	for document, least := range map[string]int{"docs/forty-commands.md": 40, "README.md": 3} {
		t.Run(filepath.Base(document), func(t *testing.T) {
			t.Parallel()
			testRecording(t, filepath.Join("..", "..", document), least)
		})
	}
}

// recordingHome is a fresh home with a sandbox that answers the same every day: the
// environment of commands, its address and where they run.
func recordingHome(t *testing.T) (env []string, url, work string) {
	t.Helper()
	program, err := exec.LookPath("erphub") // where testscript put it
	require.NoError(t, err)
	home := homeOfYou(t)
	require.NoError(t, os.Symlink(program, filepath.Join(home, "erphub-mcp"))) // where it is installed, too
	env = []string{"HOME=" + home, "PATH=" + filepath.Dir(program) + ":" + home + ":/usr/bin:/bin", "TERM=xterm", "NO_COLOR=1", "ERPHUB_PAGER=", "LANG=C.UTF-8", "TZ=UTC"}
	_, url, _ = servingIn(t, append(env, "ERPHUB_CONFIG="), "sandbox", "--listen", "127.0.0.1:0", "--write-profiles", "--fixed-dates")
	work = filepath.Join(home, "work")
	require.NoError(t, os.Mkdir(work, 0o755))
	return env, url, work
}

// homeOfYou makes a home whose path is as long as /home/you, which stands for it
// in the documents: lines break where they would break there, in every run.
func homeOfYou(t *testing.T) string {
	t.Helper()
	for {
		home := fmt.Sprintf("/tmp/%04x", rand.IntN(1<<16))
		err := os.Mkdir(home, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		require.NoError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(home) })
		return home
	}
}

func testRecording(t *testing.T, document string, least int) {
	content, err := os.ReadFile(document)
	require.NoError(t, err)
	env, url, work := recordingHome(t)

	var out strings.Builder
	inside, commands := false, 0
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case line == "```console":
			inside = true
			fmt.Fprintln(&out, line)
		case line == "```":
			inside = false
			fmt.Fprintln(&out, line)
		case !inside:
			fmt.Fprintln(&out, line)
		case strings.HasPrefix(line, "$ "):
			command := line[2:]
			fmt.Fprintln(&out, line)
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "> ") { // the command goes on
				i++
				command += "\n" + lines[i][2:]
				fmt.Fprintln(&out, lines[i])
			}
			if name, value, ok := strings.Cut(strings.TrimPrefix(command, "export "), "="); ok && strings.HasPrefix(command, "export ") {
				env = append(env, name+"="+value)
				continue
			}
			if strings.HasPrefix(command, "erphub sandbox --detach") {
				for i+1 < len(lines) && lines[i+1] != "```" && !strings.HasPrefix(lines[i+1], "$ ") {
					i++
					fmt.Fprintln(&out, lines[i]) // what the server says
				}
				continue // the server, which responds already
			}
			commands++
			out.WriteString(recorded(t, work, env, url, command))
		default: // what was shown before
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(document, []byte(out.String()), 0o644))
		return
	}
	want := strings.Split(out.String(), "\n")
	for i, line := range strings.Split(string(content), "\n") {
		require.Less(t, i, len(want), "what commands print has changed: go test ./cmd/erphub -run TestRecordedCommands -update")
		require.Equal(t, line, want[i], "line %d: what commands print has changed: go test ./cmd/erphub -run TestRecordedCommands -update", i+1)
	}
	require.GreaterOrEqual(t, commands, least)
}

// passing are what differs from run to run, and what stands for it.
var passing = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?`), "2026-03-09 14:05:00"},
	{regexp.MustCompile(`\bas of \d{4}-\d\d-\d\d`), "as of 2026-03-09"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "7c1f0e5a-8f4e-4b7a-9a43-5d0f6b1f2c11"},
	{regexp.MustCompile(`\b\d+(\.\d+)?(ms|µs|s)\b`), "12ms"},
	{regexp.MustCompile(`\b\d+\.\d+ s\b`), "0.2 s"},
	{regexp.MustCompile(`\b\d+m\d+s\b`), "59m59s"},
	{regexp.MustCompile(`erphub (version )?(devel|v\S+)( on| \().*`), "erphub v1.0.0"},
}

// recorded is what a terminal shows of a command.
func recorded(t *testing.T, folder string, env []string, url, command string) string {
	t.Helper()
	term := newTerminal(t)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = folder, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = term.device, term.device, term.device
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	err := cmd.Wait()
	require.NoError(t, err, "%s: %s", command, term.raw())
	const end = "\x1dend\n" // what was written before is read before
	_, err = term.device.WriteString(end)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(term.raw(), "\x1dend") }, 10*time.Second, time.Millisecond)
	shown := strings.Join(term.screen(), "\n")
	shown, _, _ = strings.Cut(shown, "\x1dend")
	shown = strings.ReplaceAll(shown, url, "http://127.0.0.1:8080")
	shown = strings.ReplaceAll(shown, strings.TrimSuffix(folder, "/work"), "/home/you")
	for _, p := range passing {
		shown = p.pattern.ReplaceAllString(shown, p.instead)
	}
	var out strings.Builder
	all := strings.Split(strings.TrimRight(shown, "\n "), "\n")
	for i, line := range all {
		if i == recordedLines && i < len(all)-1 {
			fmt.Fprintf(&out, "… %d more lines\n", len(all)-i)
			break
		}
		if line = strings.TrimRight(line, " "); line != "" || i > 0 && i < len(all)-1 {
			fmt.Fprintln(&out, line)
		}
	}
	return out.String()
}
