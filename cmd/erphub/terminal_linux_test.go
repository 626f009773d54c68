package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// terminal is a pseudo-terminal and what was written to it.
type terminal struct {
	device *os.File // the program's side
	keys   *os.File // what is written here is typed

	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

// newTerminal opens a terminal of 100 columns.
func newTerminal(t *testing.T) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("SKIPPED: no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	fd := int(master.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100}))
	device, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	term := &terminal{device: device, keys: master, changed: make(chan struct{}, 1)}
	t.Cleanup(func() { _ = device.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			term.mu.Lock()
			term.text.Write(buf[:n])
			term.mu.Unlock()
			select {
			case term.changed <- struct{}{}:
			default:
			}
			if err != nil {
				return // closed, or nobody writes any more
			}
		}
	}()
	return term
}

// types types a line, or a control character.
func (term *terminal) types(t *testing.T, text string) {
	t.Helper()
	_, err := term.keys.WriteString(text)
	require.NoError(t, err)
}

// waiting is what a command says while a server takes long, which on a busy machine
// any may.
var waiting = regexp.MustCompile(`erphub: waiting for [^\r\n]* Ctrl-C ends the command\r?\n`)

func (term *terminal) raw() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return waiting.ReplaceAllString(term.text.String(), "")
}

var escapes = regexp.MustCompile(`\x1b\[(\d*)([A-Z])`)

// screen is what somebody in front of the terminal sees: the lines after all
// moves of the cursor.
func (term *terminal) screen() []string {
	lines, row, column := [][]rune{nil}, 0, 0
	text := term.raw()
	for len(text) > 0 {
		if at := escapes.FindStringSubmatchIndex(text); at != nil && at[0] == 0 {
			switch command := text[at[4]:at[5]]; command {
			case "A":
				up := 1
				_, _ = fmt.Sscan(text[at[2]:at[3]], &up)
				row = max(row-up, 0)
			case "K":
				lines[row] = nil
			}
			text = text[at[1]:]
			continue
		}
		c, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch c {
		case '\r':
			column = 0
		case '\n':
			column = 0
			if row++; row == len(lines) {
				lines = append(lines, nil)
			}
		default:
			for len(lines[row]) <= column {
				lines[row] = append(lines[row], ' ')
			}
			lines[row][column] = c
			column++
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = string(line)
	}
	return out
}

// sees waits until the screen has a line that matches.
func (term *terminal) sees(t *testing.T, pattern string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a test that fails should say what was there
	defer cancel()
	want := regexp.MustCompile(pattern)
	for {
		for _, line := range term.screen() {
			if want.MatchString(line) {
				return
			}
		}
		select {
		case <-term.changed:
		case <-ctx.Done():
			require.Failf(t, "not seen", "%s in\n%s", pattern, strings.Join(term.screen(), "\n"))
		}
	}
}

// On a terminal, watch keeps one bar per environment and moves it in place.
func TestWatchOnATerminal(t *testing.T) {
	srv := startDeployments(t)
	client := deployer(t, srv)
	log := deploylog.New(client, nil)
	prod, err := log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Production, Version: "12.0.3", DeployedBy: "anna"})
	require.NoError(t, err)
	dev, err := log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Development, Version: "12.1.0\x1b[2J", DeployedBy: "ben"})
	require.NoError(t, err)

	term := newTerminal(t)
	program, err := exec.LookPath("erphub") // where testscript put it
	require.NoError(t, err)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, "env", "deploy", "watch", "--until-done", "--every", "20ms")
	cmd.Env = []string{"ERPHUB_CONFIG=" + filepath.Join(t.TempDir(), "config.yaml"), "ERP_URL=" + srv.URL(), "ERP_TOKEN=" + token, "PATH=" + os.Getenv("PATH"), "TERM=xterm"}
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = term.device, term.device, &stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })

	term.sees(t, `^PROD +\[\.{20}\] +0 % +12\.0\.3 +BUILDING`)
	term.sees(t, `^DEV +\[\.{20}\] +0 % +12\.1\.0`)
	_, err = log.Update(t.Context(), prod.ID, deploylog.Update{Status: deploylog.Deploying})
	require.NoError(t, err)
	progress := 55
	step := "copying plugins"
	_, err = log.Update(t.Context(), prod.ID, deploylog.Update{Progress: &progress, CurrentStep: &step})
	require.NoError(t, err)
	term.sees(t, `^PROD +\[#{11}\.{9}\] +55 % +12\.0\.3 +DEPLOYING: copying plugins`)
	_, err = log.Complete(t.Context(), prod.ID, deploylog.Completion{Status: deploylog.Success})
	require.NoError(t, err)
	term.sees(t, `^PROD +\[#{20}\] 100 % +12\.0\.3 +SUCCESS`)
	_, err = log.Update(t.Context(), dev.ID, deploylog.Update{Status: deploylog.Deploying})
	require.NoError(t, err)
	_, err = log.Complete(t.Context(), dev.ID, deploylog.Completion{Status: deploylog.Failed, ErrorMessage: "no space left\non the device"})
	require.NoError(t, err)
	term.sees(t, `^DEV .* FAILED: no space left`)
	require.NoError(t, cmd.Wait(), "stderr: %s", &stderr)

	bars := 0
	for _, line := range term.screen() {
		assert.LessOrEqual(t, len([]rune(line)), 99, "a line wraps: %q", line)
		if strings.Contains(line, "[") {
			bars++
		}
	}
	assert.Equal(t, 2, bars, "one line per environment, in place")
	assert.NotContains(t, term.raw(), "\x1b[2J", "what a version has in it reached the terminal")
}

// One that leaves a watch has not seen the end of a run: that is not a success.
func TestWatchInterrupted(t *testing.T) {
	t.Parallel()
	srv := startDeployments(t)
	_, err := deploylog.New(deployer(t, srv), nil).Start(t.Context(), deploylog.NewRun{Environment: deploylog.Production, Version: "12.0.3", DeployedBy: "anna"})
	require.NoError(t, err)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("url: "+srv.URL()+"\ntoken: "+token+"\n"), 0o600))
	term := newTerminal(t)
	cmd := atTerminal(t, term, config, "env", "deploy", "watch", "--until-done", "--every", "20ms")
	term.sees(t, `^PROD .* BUILDING`)
	term.types(t, "\x03")
	_ = cmd.Wait()
	assert.Equal(t, 130, cmd.ProcessState.ExitCode(), term.raw())
	assert.NotContains(t, term.raw(), "erphub:")
}

// startDeployments starts an embedded ERP with a deployment log.
func startDeployments(t *testing.T) *erptest.Server {
	t.Helper()
	srv := erptest.New(t)
	plan, err := deploylog.Plan(&deploylog.InstallOptions{NoWindow: true})
	require.NoError(t, err)
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, 0)
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), connect(t, srv, token), plan, &restdict.Options{BatchSize: 200})
	require.NoError(t, err)
	return srv
}

func deployer(t *testing.T, srv *erptest.Server) *erp.Client {
	t.Helper()
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	return connect(t, srv, token)
}

func connect(t *testing.T, srv *erptest.Server, token string) *erp.Client {
	t.Helper()
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// Somebody at a terminal is told that an ERP does not respond, before the command
// gives up.
func TestTerminalWhileTheERPHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("waits as long as the program does")
	}
	t.Parallel()
	term := newTerminal(t)
	ended := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for { // respond once it was said
			term.mu.Lock()
			said := waiting.MatchString(term.text.String())
			term.mu.Unlock()
			if said {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			select {
			case <-ended:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}))
	t.Cleanup(srv.Close)
	defer close(ended)
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte("x"), 0o600))
	cmd := atTerminal(t, term, filepath.Join(dir, "config.yaml"), "--url", srv.URL, "--token-file", token, "record", "list", "C_Order")
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	require.Equal(t, 3, exit.ExitCode(), term.raw())
}
