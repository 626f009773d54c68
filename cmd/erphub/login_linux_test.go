package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/erphub/erphub/erp/erptest"
)

const (
	waitFor = time.Minute
	tick    = time.Millisecond
)

// atTerminal starts the program for a person at the terminal: what Ctrl-C types
// there reaches it as a signal.
func atTerminal(t *testing.T, term *terminal, config string, args ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("erphub") // where testscript put it
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, args...)
	path := filepath.Dir(config) + string(os.PathListSeparator) + os.Getenv("PATH") // a test may bring programs
	cmd.Env = []string{"PATH=" + path, "ERPHUB_CONFIG=" + config, "HOME=" + filepath.Dir(config), "TERM=xterm"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = term.device, term.device, term.device
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// echoes reports whether the terminal shows what is typed.
func (term *terminal) echoes(t *testing.T) bool {
	t.Helper()
	settings, err := unix.IoctlGetTermios(int(term.device.Fd()), unix.TCGETS)
	require.NoError(t, err)
	return settings.Lflag&unix.ECHO != 0
}

// hides waits until the terminal no longer shows what is typed: the program asks
// first, and a test types faster than people.
func (term *terminal) hides(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return !term.echoes(t) }, waitFor, tick)
}

// A person is asked for what is missing, and offered tenants, roles and
// organizations by name; what follows needs nothing else.
func TestLoginAtATerminal(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	config := filepath.Join(t.TempDir(), "config.yaml")

	term := newTerminal(t)
	cmd := atTerminal(t, term, config, "auth", "login")
	term.sees(t, `Address of the ERP`)
	term.types(t, "erp\n")
	term.sees(t, `url must begin with the scheme`)
	term.types(t, srv.URL()+"\n")
	term.sees(t, `User name: `)
	term.types(t, "GardenAdmin\n")
	term.sees(t, `Password: `)
	term.hides(t)
	term.types(t, "GardenAdmin\n")
	term.sees(t, `Role:`)
	term.sees(t, `^  2\) GardenWorld User`)
	term.types(t, "9\n")
	term.sees(t, `it must be a number from 1 to 2, or one of the names`)
	term.types(t, "1\n")
	term.sees(t, `Organization:`)
	term.types(t, "hq\n")
	term.sees(t, `organization +HQ \(11\)`)
	require.NoError(t, cmd.Wait(), term.raw())
	assert.NotContains(t, term.raw(), "Tenant:", "one tenant is no question")
	dialogue, _, _ := strings.Cut(term.raw(), "state  ") // the login is shown behind it
	assert.Equal(t, 1, strings.Count(dialogue, "GardenAdmin\r\n"), "the password was shown")
	assert.True(t, term.echoes(t))

	// The next command needs nothing; the next login offers what there was.
	term = newTerminal(t)
	require.NoError(t, atTerminal(t, term, config, "auth", "status").Wait())
	term.sees(t, `role +GardenWorld Admin \(102\)`)
	cmd = atTerminal(t, term, config, "auth", "login")
	term.sees(t, `^User name \[GardenAdmin\]: `)
	term.types(t, "\n")
	term.sees(t, `Password: `)
	term.hides(t)
	term.types(t, "GardenAdmin\n")
	term.sees(t, `Role:`)
	term.sees(t, `^Number or name \[1\]: `)
	term.types(t, "\n")
	term.sees(t, `Organization:`)
	term.types(t, "\n")
	require.NoError(t, cmd.Wait(), term.raw())

	// One of each is not a question.
	term = newTerminal(t)
	cmd = atTerminal(t, term, config, "auth", "login", "--username", "GardenUser", "--profile", "user")
	term.sees(t, `Password: `)
	term.hides(t)
	term.types(t, "GardenUser\n")
	require.NoError(t, cmd.Wait(), term.raw())
	assert.NotContains(t, term.raw(), "Number or name")
	term.sees(t, `role +GardenWorld User \(103\)`)
}

// Ctrl-C at a question ends the program with the exit code of an interrupt, and
// leaves terminal and stored login as they were.
func TestInterruptAtAQuestion(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	for name, steps := range map[string][]string{ // what is seen, what is typed
		"address":  {`^Address of the ERP`, "\x03"},
		"user":     {`^Address of the ERP`, srv.URL() + "\n", `^User name`, "\x03"},
		"password": {`^Address of the ERP`, srv.URL() + "\n", `^User name`, "GardenAdmin\n", `^Password`, "\x03"},
		"role":     {`^Address of the ERP`, srv.URL() + "\n", `^User name`, "GardenAdmin\n", `^Password`, "GardenAdmin\n", `^Number or name`, "\x03"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := filepath.Join(t.TempDir(), "config.yaml")
			term := newTerminal(t)
			cmd := atTerminal(t, term, config, "auth", "login")
			for i := 0; i < len(steps); i += 2 {
				term.sees(t, steps[i])
				if strings.HasPrefix(steps[i], "^Password") {
					term.hides(t)
				}
				term.types(t, steps[i+1])
			}
			_ = cmd.Wait()
			assert.Equal(t, 130, cmd.ProcessState.ExitCode(), term.raw())
			term.sees(t, `interrupted`)
			assert.True(t, term.echoes(t))
			assert.NoFileExists(t, config)
		})
	}
}

// The same at a question before something is deleted.
func TestInterruptBeforeADeletion(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("url: "+srv.URL()+"\ntoken: "+token+"\n"), 0o600))
	term := newTerminal(t)
	cmd := atTerminal(t, term, config, "record", "delete", "C_BPartner", "118")
	term.sees(t, `^Delete C_BPartner 118 .*\[y/N\]`)
	term.types(t, "\x03")
	_ = cmd.Wait()
	assert.Equal(t, 130, cmd.ProcessState.ExitCode(), term.raw())
	code, out := withConfig(t, config, "record", "get", "C_BPartner", "118")
	assert.Zero(t, code, out)
}
