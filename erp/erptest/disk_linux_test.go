package erptest_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// A full disk is said to be full, by writes, log-ins and health; reads go on, what
// was refused is not there, and everything works again once there is room.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96m"); err != nil {
		t.Skip("SKIPPED: no permission to mount a small disk:", err)
	}
	// What another test starts may hold a file open until it is another program.
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	var offset atomic.Int64 // the server's clock: responses about health are kept for 20 s
	srv := erptest.New(t, erptest.Options{
		Path:  filepath.Join(dir, "erp.db"),
		Clock: func() time.Time { return time.Now().Add(time.Duration(offset.Load())) },
	})
	r := readAs(t, srv, asGardenAdmin)
	partners := func() string { return fmt.Sprint(r.ok("models/C_BPartner", "$top", "1")["row-count"]) }
	health := func() (int, string) {
		offset.Add(int64(time.Minute))
		a := r.get("health", "db", "true")
		return a.status, a.header.Get("X-Health-Reason")
	}
	batch := func(name string) readResponse {
		var items []map[string]any
		for i := range 50 {
			items = append(items, map[string]any{"method": "POST", "path": "v1/models/c_bpartner",
				"body": map[string]any{"Value": fmt.Sprint(name, i), "Name": strings.Repeat(name, 10), "C_BP_Group_ID": 103, "Description": strings.Repeat("x", 200)}})
		}
		return r.send(http.MethodPost, "batch?transaction=true", items)
	}
	status, reason := health()
	require.Equal(t, http.StatusOK, status, reason)
	first := batch("a")
	require.Equal(t, http.StatusOK, first.status, first.body)

	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	before := partners()
	var refused readResponse
	require.Eventually(t, func() bool { // what is allocated already takes a few
		refused = batch("b")
		if refused.status == http.StatusOK {
			before = partners()
			fill(t, filler)
		}
		return refused.status != http.StatusOK
	}, 30*time.Second, time.Millisecond)
	full := "nothing was changed: the disk with the server's data is full"
	assert.Contains(t, refused.body, full)
	single := r.send(http.MethodPost, "models/C_BPartner", map[string]any{"Value": strings.Repeat("c", 30), "Name": "c", "C_BP_Group_ID": 103, "Description": strings.Repeat("x", 255)})
	login := r.send(http.MethodPost, "auth/tokens", map[string]any{"userName": "GardenAdmin", "password": "GardenAdmin", "parameters": map[string]any{"clientId": 11, "roleId": 102, "organizationId": 11}})
	for what, a := range map[string]readResponse{"one record": single, "log-in": login} {
		if a.status < 300 { // there was room for so little
			continue
		}
		assert.Contains(t, a.body, full, what)
	}
	if single.status >= 300 {
		assert.Equal(t, before, partners(), "a refused write left something")
	}
	status, reason = health()
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Equal(t, "the disk is full", reason)

	require.NoError(t, os.Remove(filler))
	status, reason = health()
	assert.Equal(t, http.StatusOK, status, reason)
	require.Equal(t, http.StatusOK, batch("d").status)
}

// fill writes to a file until there is no room.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	for size := 1 << 20; size >= 1; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			size /= 4
		}
	}
	require.True(t, errors.Is(err, syscall.ENOSPC), "%v", err)
	require.NoError(t, f.Close())
}
