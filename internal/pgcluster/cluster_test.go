//go:build unix

package pgcluster_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/pgcluster"
)

// childVariable has the test binary start a cluster, say where it is, and wait.
const childVariable = "PGCLUSTER_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		child()
		return
	}
	os.Exit(m.Run())
}

// installed skips the test where there is no PostgreSQL.
func installed(t *testing.T) {
	t.Helper()
	_, err := pgcluster.Find()
	if errors.Is(err, pgcluster.ErrNotInstalled) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	require.NoError(t, err)
}

// socketFolder is where the server of an address listens.
func socketFolder(t *testing.T, address string) string {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	require.NoError(t, err)
	return config.Host
}

func ask(t *testing.T, address, statement string) (result string, err error) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		return "", err
	}
	defer conn.Close(t.Context())
	return result, conn.QueryRow(t.Context(), statement).Scan(&result)
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	installed(t)
	c, err := pgcluster.Start(t.Context(), nil)
	require.NoError(t, err)
	address := c.URL("postgres")
	dir := socketFolder(t, address)
	for statement, want := range map[string]string{
		"SELECT current_user::text":                                           "erphub",
		"SELECT current_setting('listen_addresses')":                          "",
		"SELECT current_setting('server_encoding')":                           "UTF8",
		"SELECT current_setting('unix_socket_directories')":                   dir,
		"SELECT string_agg(DISTINCT auth_method, ' ') FROM pg_hba_file_rules": "scram-sha-256",
		"SELECT (upper('ä') = 'Ä' AND 'Z' < 'a')::text":                       "true",
	} {
		got, err := ask(t, address, statement)
		require.NoError(t, err, statement)
		assert.Equal(t, want, got, statement)
	}
	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	assert.NoFileExists(t, filepath.Join(dir, "password"))
	for what, other := range map[string]string{"without a password": c.As("erphub", "", "postgres"), "with a wrong one": c.As("erphub", "guess", "postgres")} {
		_, err := ask(t, other, "SELECT 'in'")
		assert.ErrorContains(t, err, "password authentication failed", what)
	}
	require.NoError(t, c.Close())
	require.NoError(t, c.Close(), "closing twice does nothing")
	assert.NoDirExists(t, dir)
	_, err = ask(t, address, "SELECT 'in'")
	assert.Error(t, err)
}

// child starts a cluster, prints its address, and waits to be killed.
func child() {
	c, err := pgcluster.Start(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(c.URL("postgres"))
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// A process that is killed leaves neither server nor files.
func TestKilled(t *testing.T) {
	t.Parallel()
	installed(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"=1")
	_, err := cmd.StdinPipe() // stays open
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	address := strings.TrimSpace(line)
	dir := socketFolder(t, address)
	server := serverIn(t, dir)
	require.NoError(t, syscall.Kill(server, 0), "the server runs")

	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.Eventually(t, func() bool {
		_, err := os.Stat(dir)
		return errors.Is(err, fs.ErrNotExist) && errors.Is(syscall.Kill(server, 0), syscall.ESRCH)
	}, 20*time.Second, 20*time.Millisecond)
}

// serverIn is the number of the process whose files are in a folder.
func serverIn(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	require.NoError(t, err)
	return pid
}

// A server that cannot start leaves nothing, and says why.
func TestDoesNotStart(t *testing.T) {
	installed(t)
	dir, err := os.MkdirTemp("/tmp", "pgcluster")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755)) //nolint:gosec // the server may be another user's
	pgcluster.Below(t, dir)
	_, err = pgcluster.Start(t.Context(), &pgcluster.Options{Settings: []string{"shared_buffers=many"}})
	require.ErrorContains(t, err, "shared_buffers")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// Without an installation the error says what to install.
func TestNotInstalled(t *testing.T) {
	pgcluster.OnlyPath(t)
	t.Setenv("PATH", t.TempDir())
	_, err := pgcluster.Start(t.Context(), nil)
	require.ErrorIs(t, err, pgcluster.ErrNotInstalled)
	assert.ErrorContains(t, err, "install the package postgresql")
}
