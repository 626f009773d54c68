package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

// typed is what somebody sees, and types then.
type typed struct{ sees, types string }

// answers types what each question wants. After a password prompt it waits until
// nothing is shown any more.
func answers(t *testing.T, term *terminal, all ...typed) {
	t.Helper()
	for _, a := range all {
		term.sees(t, a.sees)
		if strings.HasPrefix(a.sees, "^Password") {
			term.hides(t)
		}
		term.types(t, a.types)
	}
}

// wide makes the terminal so many columns wide.
func (term *terminal) wide(t *testing.T, columns uint16) {
	t.Helper()
	require.NoError(t, unix.IoctlSetWinsize(int(term.keys.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
}

var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// asks waits until a question was asked so many times.
func (term *terminal) asks(t *testing.T, question string, times int) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Count(term.raw(), question) == times }, waitFor, tick, "%s", question)
}

// A password that is wrong is asked for again, three times in all; then nothing is
// stored.
func TestPasswordAgain(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	for name, tt := range map[string]struct {
		passwords []string
		code      int
	}{
		"at the second": {[]string{"wrong", "GardenUser"}, 0},
		"at the third":  {[]string{"wrong", "Wrong", "GardenUser"}, 0},
		"never":         {[]string{"wrong", "Wrong", "WRONG"}, 3},
		"interrupted":   {[]string{"wrong", "\x03"}, 130},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := filepath.Join(t.TempDir(), "config.yaml")
			term := newTerminal(t)
			cmd := atTerminal(t, term, config, "--url", srv.URL(), "auth", "login", "--username", "GardenUser")
			for i, password := range tt.passwords {
				term.asks(t, "Password: ", i+1)
				term.hides(t)
				term.types(t, strings.TrimSuffix(password+"\n", "\x03\n"))
				if password == "\x03" {
					term.types(t, password)
				}
			}
			_ = cmd.Wait() // the code says it
			assert.Equal(t, tt.code, cmd.ProcessState.ExitCode(), term.raw())
			assert.True(t, term.echoes(t))
			assert.NotRegexp(t, regexp.MustCompile("(?i)wrong[\r\n]"), strings.ReplaceAll(term.raw(), "user name or password is wrong", ""), "a password was shown")
			if tt.code != 0 {
				assert.NoFileExists(t, config)
			}
		})
	}
}

// The dialogue fits narrow terminals, and long names do not break it.
func TestDialogueFits(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	for _, columns := range []uint16{60, 80} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			term := newTerminal(t)
			term.wide(t, columns)
			cmd := atTerminal(t, term, filepath.Join(t.TempDir(), "config.yaml"), "auth", "login")
			term.asks(t, "com: ", 1)
			term.types(t, "erp\n")
			term.asks(t, "com: ", 2)
			term.types(t, srv.URL()+"\n")
			answers(t, term, typed{`^User name`, "GardenAdmin\n"}, typed{`^Password`, "wrong\n"})
			term.asks(t, "Password: ", 2)
			term.hides(t)
			term.types(t, "GardenAdmin\n")
			answers(t, term, typed{`^Number or name: $`, "7\n"})
			term.asks(t, "Number or name: ", 2)
			term.types(t, "1\n")
			answers(t, term, typed{`^  9\) Store West`, ""}, typed{`^Number or name: $`, "HQ\n"})
			require.NoError(t, cmd.Wait(), term.raw())
			term.sees(t, `^state `)
			dialogue, _, ok := strings.Cut(strings.Join(term.screen(), "\n"), "\nstate  ")
			require.True(t, ok, term.raw())
			for line := range strings.Lines(dialogue) {
				line = colours.ReplaceAllString(strings.ReplaceAll(strings.TrimRight(line, "\n"), srv.URL(), ""), "") // somebody typed that
				assert.LessOrEqual(t, len([]rune(line)), int(columns), "%q", line)
			}
		})
	}
}

// --no-input asks nobody, on a terminal either.
func TestNoInput(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte("profiles:\n  p:\n    url: "+srv.URL()+"\n"), 0o600))
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"address":  {[]string{"auth", "login"}, `give --url or set ERP_URL`},
		"user":     {[]string{"auth", "login", "--profile", "p"}, `give --username or set ERP_USERNAME`},
		"password": {[]string{"auth", "login", "--profile", "p", "--username", "GardenAdmin"}, `a login needs a password`},
		"removal":  {[]string{"profile", "remove", "p"}, `needs --yes`},
		"deletion": {[]string{"record", "delete", "C_BPartner", "118", "--profile", "p"}, `--yes`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := newTerminal(t)
			cmd := atTerminal(t, term, path, append(tt.args, "--no-input")...)
			_ = cmd.Wait() // the code says it
			assert.Equal(t, 2, cmd.ProcessState.ExitCode(), term.raw())
			term.sees(t, tt.want)
		})
	}
}

// A profile is removed when somebody says so, and not otherwise.
func TestRemovalIsAskedFor(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		types string
		code  int
		gone  bool
	}{
		"yes": {"y\n", 0, true}, "no": {"n\n", 1, false}, "Enter": {"\n", 1, false}, "Ctrl-C": {"\x03", 130, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "config.yaml")
			require.NoError(t, os.WriteFile(path, []byte("url: http://127.0.0.1:1\nprofiles:\n  p:\n    auth.username: ann\n    token: a.b.c\n    token.url: http://127.0.0.1:1\nversion: 1\n"), 0o600))
			term := newTerminal(t)
			cmd := atTerminal(t, term, path, "profile", "remove", "p")
			answers(t, term, typed{`^Remove the profile p \(ann at http://127\.0\.0\.1:1\).*\[y/N\]`, tt.types})
			_ = cmd.Wait() // the code says it
			assert.Equal(t, tt.code, cmd.ProcessState.ExitCode(), term.raw())
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, tt.gone, !strings.Contains(string(text), "a.b.c"), string(text))
		})
	}
}

// Whatever is typed, and whenever the program is killed: the configuration can be
// read, has a whole login or none, and no secret was shown.
func TestLoginIsKilled(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	rounds := 12
	if whole() {
		rounds = 300
	}
	const seed = 7
	random := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "config.yaml")
	for round := range rounds {
		lines := []typed{{`^User name`, "GardenUser\n"}, {`^Password`, "GardenUser\n"}}
		if random.IntN(2) == 0 {
			lines = []typed{{`^User name`, "GardenAdmin\n"}, {`^Password`, "GardenAdmin\n"}, {`^Number or name[^:]*: $`, "1\n"}, {`^Organization:`, ""}, {`^Number or name[^:]*: $`, "\x7f\x15HQ\n"}}
		}
		lines = lines[:1+random.IntN(len(lines))]
		if random.IntN(4) == 0 {
			lines[len(lines)-1].types = strings.Repeat("\xff\x1b[2J\t;", 20) + "\n"
		}
		term := newTerminal(t)
		cmd := atTerminal(t, term, path, "--url", srv.URL(), "auth", "login")
		answers(t, term, lines...)
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		select {
		case <-time.After(time.Duration(random.IntN(60_000)) * time.Microsecond): // the moment is the test
			_ = cmd.Process.Kill()
		case <-ended:
		}
		<-ended

		what := fmt.Sprintf("seed %d, round %d", seed, round)
		doc, err := config.NewFile(path).Read()
		require.NoError(t, err, what)
		token, _ := doc.Get("", "token")
		refresh, _ := doc.Get("", "refreshToken")
		assert.Equal(t, token == "", refresh == "", what)
		if token != "" {
			store, err := filestore.Open(path)
			require.NoError(t, err)
			m, err := tokens.NewManager(srv.URL(), tokens.WithStore(store))
			require.NoError(t, err)
			status, err := m.Status(t.Context())
			require.NoError(t, err)
			assert.Equal(t, tokens.StateValid, status.State, what)
			assert.NotEmpty(t, status.Names.Role, what)
			assert.NotContains(t, term.raw(), token, what)
			assert.NotContains(t, term.raw(), refresh, what)
		}
	}
}

// A profile that is renamed while the program is killed has one name or the other,
// and its login.
func TestRenamingIsKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte("# ours\nprofile: a\nprofiles:\n  a: # it\n    token: t.o.k\n    refreshToken: r.e.f\nversion: 1\n"), 0o600))
	rounds := 25
	if whole() {
		rounds = 500
	}
	random := rand.New(rand.NewPCG(8, 0))
	renamed, window := 0, 20*time.Millisecond
	for round := range rounds {
		doc, err := config.NewFile(path).Read()
		require.NoError(t, err)
		name := doc.Current()
		to := map[string]string{"a": "b", "b": "a"}[name]
		cmd, said := start(t, path, "profile", "rename", name, to)
		time.AfterFunc(time.Duration(random.Int64N(int64(window))), func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()

		doc, err = config.NewFile(path).Read()
		require.NoError(t, err, "round %d: %s", round, said)
		require.Len(t, doc.Profiles(), 1)
		require.Contains(t, []string{name, to}, doc.Current())
		require.Equal(t, doc.Profiles()[0], doc.Current())
		if doc.Current() == to {
			renamed++
			window = window * 3 / 4 // so that it is killed about when it writes
		} else {
			window = window * 4 / 3
		}
		token, _ := doc.Get(doc.Current(), "token")
		refresh, _ := doc.Get(doc.Current(), "refreshToken")
		require.Equal(t, "t.o.k r.e.f", token+" "+refresh)
		text, err := doc.Bytes()
		require.NoError(t, err)
		require.Contains(t, string(text), "# ours\n")
		require.Contains(t, string(text), ": # it\n")
	}
	t.Logf("%d of %d were renamed", renamed, rounds)
	require.NotZero(t, renamed)
}
