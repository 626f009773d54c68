package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testpg"
)

// sandboxClient talks to a sandbox in another process.
type sandboxClient struct {
	t          *testing.T
	url, token string
}

func (c *sandboxClient) do(method, path, kind string, body []byte, header ...string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+"/api/v1/"+path, bytes.NewReader(body))
	require.NoError(c.t, err)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Authorization", "Bearer "+c.token)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func (c *sandboxClient) object(resp *http.Response) map[string]any {
	c.t.Helper()
	text, err := io.ReadAll(resp.Body)
	require.NoError(c.t, err)
	require.Less(c.t, resp.StatusCode, 300, string(text))
	var o map[string]any
	require.NoError(c.t, json.Unmarshal(text, &o), string(text))
	return o
}

func (c *sandboxClient) logIn() {
	c.t.Helper()
	c.token = fmt.Sprint(c.object(c.do("POST", "auth/tokens", "application/json",
		[]byte(`{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":11,"roleId":102,"organizationId":11}}`)))["token"])
}

// peak is the most memory a process has had, in MiB.
func peak(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); f[0] == "VmHWM:" {
			kb, err := strconv.Atoi(f[1])
			require.NoError(t, err)
			return kb >> 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}

// A large file goes through the sandbox, up and down, without being in its memory
// as a whole.
func TestUploadsAreNotInMemory(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the race detector, which runs short, takes memory of its own")
	}
	cmd, url, _ := serving(t, "sandbox", "--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"))
	c := &sandboxClient{t: t, url: url}
	c.logIn()
	// Much more than what the collector leaves lying about, which does not follow it.
	const size, chunk = 96 << 20, 8 << 20
	file := make([]byte, size)
	_, err := rand.Read(file)
	require.NoError(t, err)
	sum := sha256.Sum256(file)
	// The demo data have taken more than what is measured here: the peak begins anew.
	require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", cmd.Process.Pid), []byte("5"), 0))
	before := peak(t, cmd.Process.Pid)
	id := fmt.Sprint(c.object(c.do("POST", "uploads", "application/json", fmt.Appendf(nil,
		`{"fileName":"large.bin","contentType":"application/octet-stream","fileSize":%d,"chunkSize":%d,"sha256":"%s","uploadLocation":"ATTACHMENT","expiresInSeconds":600}`,
		size, chunk, hex.EncodeToString(sum[:]))))["uploadId"])
	for i := range size / chunk {
		c.object(c.do("PUT", fmt.Sprintf("uploads/%s/chunks/%d", id, i+1), "application/octet-stream", file[i*chunk:(i+1)*chunk],
			"X-Total-Chunks", strconv.Itoa(size/chunk)))
	}
	uploaded := peak(t, cmd.Process.Pid)
	resp := c.do("GET", "uploads/"+id+"/file", "", nil)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	assert.EqualValues(t, size, resp.ContentLength)
	got := sha256.New()
	_, err = io.Copy(got, resp.Body)
	require.NoError(t, err)
	assert.Equal(t, sum[:], got.Sum(nil), "the file is another one")
	downloaded := peak(t, cmd.Process.Pid)
	t.Logf("MiB: %d before, %d after the upload, %d after the download of %d", before, uploaded, downloaded, size>>20)
	assert.Less(t, downloaded-before, size>>21, "MiB more than before, of a file of %d", size>>20)
}

// postgresOf is the PostgreSQL server that a process has started, and the folder of
// its files; 0 for none.
func postgresOf(t *testing.T, parent int) (pid int, dir string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, file := range all {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(stat), "(postgres) ")
		if f := strings.Fields(rest); len(f) < 2 || f[1] != strconv.Itoa(parent) {
			continue
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		require.NoError(t, err)
		words := strings.Split(string(line), "\x00")
		require.Greater(t, len(words), 2)
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		require.NoError(t, err)
		assert.NotContains(t, string(line), "password")
		return pid, filepath.Dir(words[2]) // postgres -D FOLDER/data
	}
	return 0, ""
}

// However a sandbox ends, the PostgreSQL server that it has started ends with it
// and leaves no files.
func TestSandboxLeavesNoPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a PostgreSQL")
	}
	t.Parallel()
	testpg.URL(t) // skips without PostgreSQL
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd, _, end := serving(t, "sandbox", "--listen", "127.0.0.1:0", "--postgres", "auto")
			pid, dir := postgresOf(t, cmd.Process.Pid)
			require.NotZero(t, pid)
			require.DirExists(t, dir)
			require.NoError(t, cmd.Process.Signal(sig))
			code := end()
			if sig == syscall.SIGTERM {
				assert.Zero(t, code)
				assert.NoDirExists(t, dir)
			}
			require.Eventually(t, func() bool {
				_, err := os.Stat(dir)
				return os.IsNotExist(err) && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
			}, 20*time.Second, 20*time.Millisecond)
		})
	}
}
