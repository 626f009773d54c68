package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// TestMain lets scripts run the program as a process of its own, which ends at
// once when it prints a secret.
func TestMain(m *testing.M) {
	testscript.Main(m, testPrograms)
}

// testPrograms are the programs that this test binary can be.
var testPrograms = map[string]func(){"erphub": erphubProgram}

func erphubProgram() {
	ctx, stop := shell.WithSignals(context.Background())
	streams := shell.Streams{In: os.Stdin, Out: &guard{to: os.Stdout}, Err: &guard{to: os.Stderr}}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		streams.Out = os.Stdout // the program finds out by the file
	}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		streams.Err = os.Stderr
	}
	code := execute(ctx, os.Args, os.Environ(), streams)
	stop()
	os.Exit(code)
}

// Each script starts with no configuration and no server. "sandbox" starts an
// embedded ERP in memory and names it in ERP_URL; "exits CODE command..." runs
// a command and compares its exit code; "capture NAME REGEXP" keeps a match of
// the last standard output in a variable.
//
// Scripts whose time goes into reading the dictionary again and again are left
// out under the race detector, which has nothing to see there that others do not
// show it.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	if testing.Short() { // those in which processes work side by side
		files = slices.DeleteFunc(files, func(file string) bool {
			return !slices.Contains([]string{"basics.txtar", "deploy.txtar", "deployspool.txtar", "login.txtar", "process.txtar",
				"sandbox.txtar"}, filepath.Base(file))
		})
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			if cache, err := os.UserCacheDir(); err == nil {
				env.Setenv("XDG_CACHE_HOME", cache) // what the embedded ERP was built to once
			}
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/.config")
			env.Setenv("NO_COLOR", "1")
			env.Setenv("ERPHUB_TOKEN_STORE", "file") // not in the keyring of who runs the tests
			env.Setenv("LINEBREAK", "Kanarienvogel.abc.def\nX-Injected: 1")
			env.Defer(func() { killDetached(filepath.Join(env.WorkDir, ".local", "state", "erphub", "sandboxes")) })
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"waitready":   waitReady,
			"exits":       exits,
			"capture":     capture,
			"capturefile": captureFile,
			"private":     modeIs,
			"killsandbox": killSandbox,
		},
	})
}

// waitReady waits until the sandbox has written its ready file and sets
// ERP_URL to its address.
func waitReady(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: waitready file")
	}
	deadline := time.Now().Add(60 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		var ready struct {
			URL string `json:"url"`
			PID int    `json:"pid"`
		}
		switch {
		case err == nil:
			ts.Check(json.Unmarshal(text, &ready))
			if ready.URL == "" || ready.PID == 0 {
				ts.Fatalf("the ready file says %s", text)
			}
			ts.Setenv("ERP_URL", ready.URL)
			return
		case !errors.Is(err, fs.ErrNotExist):
			ts.Check(err)
		case time.Now().After(deadline):
			ts.Fatalf("no ready file after a minute")
		}
		<-tick.C
	}
}

// exits runs a command that must end with the exit code given.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [args...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit interface{ ExitCode() int }
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got := strconv.Itoa(code); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// capture keeps what the first group of the expression matches in the last
// standard output.
func capture(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: capture NAME regexp")
	}
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(m) < 2 {
		ts.Fatalf("no match of %q", args[1])
	}
	ts.Setenv(args[0], m[1])
}

// captureFile keeps what the first group of the expression matches in a file.
func captureFile(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: capturefile NAME file regexp")
	}
	m := regexp.MustCompile(args[2]).FindStringSubmatch(ts.ReadFile(args[1]))
	if len(m) < 2 {
		ts.Fatalf("no match of %q", args[2])
	}
	ts.Setenv(args[0], m[1])
}

// modeIs checks that a file is for its owner alone.
func modeIs(ts *testscript.TestScript, _ bool, args []string) {
	st, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if st.Mode().Perm() != 0o600 {
		ts.Fatalf("mode of %s is %o", args[0], st.Mode().Perm())
	}
}

// killDetached kills the sandboxes that run by themselves and say so in a folder.
func killDetached(folder string) (killed int) {
	records, _ := filepath.Glob(filepath.Join(folder, "*.json")) // the pattern is ours
	for _, path := range records {
		var record struct {
			PID int `json:"pid"`
		}
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &record) != nil {
			continue
		}
		process, err := os.FindProcess(record.PID)
		if err != nil || process.Kill() != nil {
			continue
		}
		killed++
		lock := flock.New(path + ".lock")
		if err := lock.Lock(); err == nil { // the system frees it with the process
			_ = lock.Unlock()
		}
	}
	return killed
}

// killSandbox kills the one sandbox that runs by itself.
func killSandbox(ts *testscript.TestScript, _ bool, _ []string) {
	if killed := killDetached(ts.MkAbs(".local/state/erphub/sandboxes")); killed != 1 {
		ts.Fatalf("%d sandboxes were killed", killed)
	}
}
