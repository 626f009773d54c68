package tokens_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

// helper is what the test binary does as another process.
func helper(what string) int {
	ctx := context.Background()
	store, err := filestore.Open(os.Getenv("TOKENS_TEST_FILE"), filestore.WithProfile("shared"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	var own atomic.Int64 // refreshes this process has made
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		res, err := http.DefaultTransport.RoundTrip(r)
		if err == nil && res.StatusCode == 200 && strings.HasSuffix(r.URL.Path, "/auth/refresh") {
			own.Add(1)
		}
		return res, err
	})}
	m, err := tokens.NewManager(os.Getenv("TOKENS_TEST_URL"), tokens.WithStore(store), tokens.WithHTTPClient(client), tokens.WithHoldOff(0))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	want, _ := strconv.ParseInt(os.Getenv("TOKENS_TEST_REFRESHES"), 10, 64)
	fmt.Println("ready")
	switch what {
	case "refresh":
		for own.Load() < want {
			if err := m.Refresh(ctx); err != nil {
				fmt.Println(err)
				return 1
			}
		}
	case "once":
		if _, err := m.Token(ctx); err != nil {
			fmt.Println(err)
			return 1
		}
		if err := m.Refresh(ctx); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	return 0
}

// process starts the test binary as a helper.
func process(t *testing.T, what, url, file string, refreshes int) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "TOKENS_TEST_HELPER="+what, "TOKENS_TEST_URL="+url, "TOKENS_TEST_FILE="+file,
		"TOKENS_TEST_REFRESHES="+strconv.Itoa(refreshes))
	return cmd
}

// shared makes a configuration file with a login in the profile shared.
func shared(t *testing.T, f *front) (path string, m *tokens.Manager) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte("# mine\nurl: http://elsewhere # keep\ncolour: green\n"), 0o600))
	store, err := filestore.Open(path, filestore.WithProfile("shared"))
	require.NoError(t, err)
	m = f.manager(t, tokens.WithStore(store), tokens.WithHoldOff(0))
	require.NoError(t, m.Login(t.Context(), garden))
	return path, m
}

// TestManyProcesses: 16 processes share one file and each makes 50 refreshes
// of its own. The ERP revokes the chain when a refresh token comes twice.
func TestManyProcesses(t *testing.T) {
	const processes = 16
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	f := newFront(t, nil)
	path, m := shared(t, f)
	start := time.Now()
	var wg sync.WaitGroup
	for range processes {
		wg.Go(func() {
			out, err := process(t, "refresh", f.URL, path, rounds).CombinedOutput()
			assert.NoError(t, err, "%s", out)
		})
	}
	wg.Wait()
	all, twice := f.spent()
	t.Logf("%d refreshes by %d processes in %v", all, processes, time.Since(start).Round(time.Millisecond))
	assert.Equal(t, processes*rounds, all)
	assert.Equal(t, processes*rounds, f.counted(refreshOK))
	assert.Zero(t, twice)
	assert.Equal(t, 1, f.counted(loginOK))

	// Nothing is lost: the pair in the file works, for calls and for refreshing.
	require.NoError(t, m.Refresh(t.Context()))
	assert.Equal(t, 200, f.works(t, token(t, m)))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "# mine\nurl: http://elsewhere # keep\ncolour: green\n"), "the rest of the file")
	onlyConfig(t, path)
}

// onlyConfig fails when a temporary file was left behind.
func onlyConfig(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() != "config.yaml" && e.Name() != "config.yaml.lock" {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

// TestKilledDuringRefresh kills a process at chosen and random moments of a
// refresh. The next one gets in with the token that is still valid, and a
// refresh either works or says what a person must do. No refresh token is
// ever sent twice.
func TestKilledDuringRefresh(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	f := newFront(t, nil)
	path, _ := shared(t, f)
	store, err := filestore.Open(path, filestore.WithProfile("shared"))
	require.NoError(t, err)

	rounds := 24
	if testing.Short() {
		rounds = 8
	}
	outcomes := map[string]int{}
	for round := range rounds {
		cmd := process(t, "refresh", f.URL, path, 1_000_000)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		kill := sync.OnceFunc(func() { _ = cmd.Process.Kill() })
		after := int64(rnd.IntN(5)) // refreshes to let through
		phase := []string{"before", "after", "moment", "moment"}[round%4]
		delay := time.Duration(rnd.IntN(20_000)) * time.Microsecond
		var seen atomic.Int64
		f.setFault(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if !strings.HasSuffix(r.URL.Path, "/auth/refresh") || seen.Add(1) <= after || phase == "moment" {
				pass()
				return
			}
			if phase == "after" {
				pass()
			}
			kill()
			panic(http.ErrAbortHandler) // the dead do not read responses
		})
		scanner := bufio.NewScanner(out)
		require.True(t, scanner.Scan())
		require.Equal(t, "ready", scanner.Text())
		if phase == "moment" {
			time.AfterFunc(delay, kill)
		}
		_ = cmd.Wait()
		f.setFault(nil)

		// The next process, without credentials.
		m := f.manager(t, tokens.WithStore(store), tokens.WithHoldOff(0))
		assert.Equal(t, 200, f.works(t, token(t, m)), "round %d: the token still works", round)
		err = m.Refresh(t.Context())
		switch {
		case err == nil:
			outcomes["went on, killed "+phase]++
		case errors.Is(err, tokens.ErrInterrupted) && errors.Is(err, tokens.ErrAuthentication):
			outcomes["must log in, killed "+phase]++
			assert.ErrorContains(t, err, "log in with `erphub auth login`")
			// With credentials nobody is needed.
			m = f.manager(t, tokens.WithStore(store), tokens.WithCredentials(garden), tokens.WithHoldOff(0))
			require.NoError(t, m.Refresh(t.Context()))
		default:
			t.Fatalf("round %d, killed %s: %v", round, phase, err)
		}
		assert.Equal(t, 200, f.works(t, token(t, m)))
	}
	all, twice := f.spent()
	t.Logf("%d refreshes, %v", all, outcomes)
	assert.Zero(t, twice)
	assert.Equal(t, rounds/4, outcomes["must log in, killed before"])
	assert.Equal(t, rounds/4, outcomes["must log in, killed after"])
	onlyConfig(t, path)
}

// TestLockedByAnother: a living process holds the lock for longer than the
// refresh may take, a dead one does not matter.
func TestLockedByAnother(t *testing.T) {
	t.Parallel()
	f := newFront(t, nil)
	path, _ := shared(t, f)
	store, err := filestore.Open(path, filestore.WithProfile("shared"))
	require.NoError(t, err)
	release, err := config.NewFile(path).Lock(t.Context())
	require.NoError(t, err)
	m := f.manager(t, tokens.WithStore(store), tokens.WithRefreshTimeout(50*time.Millisecond), tokens.WithHoldOff(0))
	token(t, m) // a good token needs no lock
	err = m.Refresh(t.Context())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorContains(t, err, "another process is refreshing the token")

	// A program that ends does not wait for the other one.
	locking := lockingStore{store, make(chan struct{}, 1)}
	ending := f.manager(t, tokens.WithStore(locking), tokens.WithHoldOff(0))
	waited := make(chan error, 1)
	go func() { waited <- ending.Refresh(t.Context()) }()
	<-locking.asked
	require.NoError(t, ending.Close(t.Context()))
	require.ErrorIs(t, <-waited, context.Canceled)
	release()
	require.NoError(t, f.manager(t, tokens.WithStore(store)).Refresh(t.Context()))
}

// lockingStore tells when its lock is asked for.
type lockingStore struct {
	*filestore.Store
	asked chan struct{}
}

func (l lockingStore) Lock(ctx context.Context) (func(), error) {
	l.asked <- struct{}{}
	return l.Store.Lock(ctx)
}
