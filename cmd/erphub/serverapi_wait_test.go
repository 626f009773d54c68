package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// lateDatabase is the address of a database that drops the first connections, as
// one does that is not up yet.
func lateDatabase(t *testing.T, address string, drops int) (late string, dropped *atomic.Int64) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { ln.Close() })
	dropped = new(atomic.Int64)
	behind := u.Host
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			if dropped.Load() < int64(drops) {
				dropped.Add(1)
				conn.Close()
				continue
			}
			go relay(conn, behind)
		}
	}()
	u.Host = ln.Addr().String()
	return u.String(), dropped
}

// relay passes a connection on.
func relay(conn net.Conn, to string) {
	defer conn.Close()
	other, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	var both sync.WaitGroup
	for from, to := range map[net.Conn]net.Conn{conn: other, other: conn} {
		both.Go(func() {
			_, err := io.Copy(to, from)
			_ = errors.Join(err, conn.Close(), other.Close())
		})
	}
	both.Wait()
}

// A database that comes up later is waited for, with words; one that does not
// want us is not. What the ERP does not have is told apart from an ERP that is away.
func TestServerAPIWaitsForTheDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("waits as long as the program does")
	}
	t.Parallel()
	owner := aitest.Postgres(t)
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(tokenSecret), 0o600))

	wrong, err := url.Parse(owner)
	require.NoError(t, err)
	wrong.Path = "/no_such_database"
	var out, errOut bytes.Buffer
	assert.Equal(t, shell.ExitFailed, execute(t.Context(), []string{"erphub", "server", "api", "--jwt-secret-file", secret, "--database", wrong.String()},
		[]string{"HOME=" + t.TempDir()}, shell.Streams{Out: &out, Err: &errOut}))
	assert.Contains(t, errOut.String(), "no_such_database")
	assert.NotContains(t, errOut.String(), "waiting for the database")

	srv := erptest.New(t)
	var away atomic.Bool
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			panic(http.ErrAbortHandler)
		}
		srv.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	database, dropped := lateDatabase(t, owner, 3)
	p := serve(t, gardenAdmin(front.URL), "server", "api", "--database", database, "--install", "--jwt-secret-file", secret)
	assert.EqualValues(t, 3, dropped.Load())
	assert.Contains(t, p.errOut.String(), "waiting for the database, for 1m0s at most")
	missing := func(want string) func() bool {
		return func() bool {
			whole, r := p.ready("/readyz")
			board, _ := p.ready("/readyz/board")
			return whole == http.StatusOK && board == http.StatusServiceUnavailable && slices.Equal(r.Missing, []string{want})
		}
	}
	const noLog = "the ERP does not show the deployment log; the board says why"
	assert.Eventually(t, missing(noLog), 20*time.Second, 10*time.Millisecond)
	away.Store(true)
	assert.Eventually(t, missing("the ERP does not respond"), 20*time.Second, 10*time.Millisecond)
	away.Store(false)
	assert.Eventually(t, missing(noLog), 20*time.Second, 10*time.Millisecond)
	assert.Equal(t, shell.ExitDone, p.stop(), p.errOut.String())
	assert.Contains(t, p.errOut.String(), "Idempotency-Keys")
}
