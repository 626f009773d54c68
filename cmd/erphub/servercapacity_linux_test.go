package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cpuOf is the CPU time a process has used, in clock ticks of 10 ms.
func cpuOf(t *testing.T, pid int) (ticks int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	for _, f := range fields[11:13] { // user and system
		var n int
		_, err := fmt.Sscan(f, &n)
		require.NoError(t, err)
		ticks += n
	}
	return ticks
}

// What one, two and three replicas do on this machine, behind the proxy of the tests:
// the figures of docs/servers.md. ERPHUB_CAPACITY=1 measures; otherwise it is a
// sample that shows that each replica has its share.
func TestReplicasShareTheWork(t *testing.T) {
	duration, most := 300*time.Millisecond, 2
	if os.Getenv("ERPHUB_CAPACITY") != "" {
		duration, most = 5*time.Second, 3
	}
	for n := 1; n <= most; n++ {
		p := startReplicas(t, n)
		const clients = 8
		var user, done atomic.Int64
		tokens := make([]string, 4000) // signed before, and of many users, who each have a limit
		for i := range tokens {
			tokens[i] = signedFor(t, i+1)
		}
		before := 0
		for _, c := range p.cmds {
			before += cpuOf(t, c.Process.Pid)
		}
		begin := time.Now()
		var all sync.WaitGroup
		for range clients {
			client := &http.Client{Transport: &http.Transport{}}
			all.Go(func() {
				defer client.CloseIdleConnections()
				for time.Since(begin) < duration {
					if !assert.NoError(t, generateOnce(client, p.url, tokens[int(user.Add(1))%len(tokens)])) {
						return
					}
					done.Add(1)
				}
			})
		}
		all.Wait()
		took, used := time.Since(begin), -before
		for i, c := range p.cmds {
			used += cpuOf(t, c.Process.Pid)
			share := float64(p.served[i].Load()) / float64(done.Load())
			assert.InDelta(t, 1/float64(n), share, 0.2)
		}
		t.Logf("%d replicas: %.0f plugins a second, %.2f ms of CPU each in the replicas, which used %.2f of the processors",
			n, float64(done.Load())/took.Seconds(), float64(used)*10/float64(done.Load()), float64(used)/100/took.Seconds())
	}
}
