package erptest_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// loadTime is how long the server is put under load: ERPHUB_LOAD, such as 60s,
// or a few seconds.
func loadTime(t *testing.T) time.Duration {
	t.Helper()
	if text := os.Getenv("ERPHUB_LOAD"); text != "" {
		d, err := time.ParseDuration(text)
		require.NoError(t, err, "ERPHUB_LOAD")
		return d
	}
	if testing.Short() {
		return time.Second
	}
	return 4 * time.Second
}

// memoryInUse is the Go heap after collection and, where the system tells, what
// the process has in memory; the database is in neither garbage collector's care.
func memoryInUse() (heap, resident uint64) {
	runtime.GC()
	runtime.GC() // what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" {
				kb, _ := strconv.ParseUint(f[1], 10, 64) // the kernel writes a number
				resident = kb << 10
			}
		}
	}
	return m.HeapAlloc, resident
}

// loader is one of the connections that load the server.
type loader struct {
	client    *http.Client
	base      string
	token     string
	random    *rand.Rand
	name      string
	latencies []time.Duration
	statuses  map[int]int
	failure   string // the first response that was none or a server's error
}

// send makes a request and notes how it went.
func (l *loader) send(ctx context.Context, method, path, body string) {
	r, err := http.NewRequestWithContext(ctx, method, l.base+path, strings.NewReader(body))
	if err != nil {
		l.failure = err.Error()
		return
	}
	r.Header.Set("Authorization", "Bearer "+l.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	start := time.Now()
	resp, err := l.client.Do(r)
	if err != nil {
		if ctx.Err() == nil && l.failure == "" {
			l.failure = fmt.Sprintf("%s %s: %v", method, path, err)
		}
		return
	}
	text, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		if ctx.Err() == nil && l.failure == "" {
			l.failure = fmt.Sprintf("%s %s: reading the response: %v", method, path, err)
		}
		return
	}
	l.latencies = append(l.latencies, time.Since(start))
	l.statuses[resp.StatusCode]++
	if resp.StatusCode >= 400 && l.failure == "" {
		l.failure = fmt.Sprintf("%s %s: %d %.200s", method, path, resp.StatusCode, text)
	}
}

// loadReads are what the connections read.
var loadReads = []string{
	"/models/C_BPartner?$filter=contains(tolower(Name),'farm')%20or%20IsVendor%20eq%20true&$orderby=Name&$top=20",
	"/models/C_Order/100?$expand=C_OrderLine($select=Line,LineNetAmt),C_BPartner_ID",
	"/models/M_Product?$select=Value,Name&$top=50",
	"/models/AD_Column?$top=100&$orderby=AD_Column_ID&$filter=AD_Table_ID%20eq%20259",
	"/models/C_Invoice/104/GrandTotal",
	"/windows/bank-cash/100?$expand=account", "/infos/business-partner-info", "/charts/50000/data", "/processes/rv_orderdetail",
	"/menutree/10", "/views/customer?$top=5", "/reference/131", "/health",
}

// round is a few requests, a third of which write; nothing stays.
func (l *loader) round(ctx context.Context) {
	for range 4 {
		l.send(ctx, "GET", loadReads[l.random.IntN(len(loadReads))], "")
	}
	switch l.random.IntN(3) {
	case 0:
		l.send(ctx, "PUT", fmt.Sprint("/models/C_BPartner/", []int{112, 117, 118, 119, 120}[l.random.IntN(5)]),
			fmt.Sprintf(`{"Description":"load %d"}`, l.random.Int64()))
	case 1:
		l.send(ctx, "POST", "/models/C_BP_Group", fmt.Sprintf(`{"C_BP_Group_UU":%q,"Value":%q,"Name":"Load"}`, l.name, l.name))
		l.send(ctx, "DELETE", "/models/C_BP_Group/"+l.name, "")
	case 2:
		l.send(ctx, "POST", "/batch?transaction=true", fmt.Sprintf(
			`[{"method":"PUT","path":"v1/models/M_Product/122","body":{"Weight":%d}},{"method":"PUT","path":"v1/models/M_Product/123","body":{"Weight":%[1]d}}]`,
			l.random.IntN(1000)))
	}
}

// Sixty-four connections read and write at once: nothing fails and memory
// stays.
func TestLoad(t *testing.T) {
	srv := erptest.New(t)
	total := loadTime(t)
	transport := &http.Transport{MaxIdleConnsPerHost: 64, MaxConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	loaders := make([]*loader, 64)
	for i := range loaders {
		token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
		require.NoError(t, err)
		loaders[i] = &loader{
			client: &http.Client{Transport: transport, Timeout: time.Minute}, base: srv.URL() + "/api/v1", token: token,
			random: rand.New(rand.NewPCG(uint64(i), 1)), name: fmt.Sprintf("10ad0000-0000-4000-8000-%012d", i), statuses: map[int]int{},
		}
	}
	load := func(d time.Duration) time.Duration {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		var all sync.WaitGroup
		for _, l := range loaders {
			all.Go(func() {
				for ctx.Err() == nil {
					l.round(t.Context()) // a round that has begun ends
				}
			})
		}
		all.Wait()
		return time.Since(start)
	}
	load(total / 4) // caches fill, connections open
	heap, resident := memoryInUse()
	for _, l := range loaders {
		l.latencies = nil
	}
	took := load(total - total/4)

	statuses := map[int]int{}
	var latencies []time.Duration
	for _, l := range loaders {
		assert.Empty(t, l.failure)
		for status, n := range l.statuses {
			statuses[status] += n
		}
		latencies = append(latencies, l.latencies...)
		l.latencies = nil
	}
	require.NotEmpty(t, latencies)
	slices.Sort(latencies)
	n := len(latencies)
	at := func(share float64) time.Duration { return latencies[int(share*float64(n-1))].Round(time.Millisecond) }
	rate, median, tail, worst := float64(n)/took.Seconds(), at(0.5), at(0.99), at(1)
	latencies = nil
	heapAfter, residentAfter := memoryInUse()
	t.Logf("%.0f requests/s over %v; responses in %v (median), %v (99 of 100), %v (worst); statuses %v", rate, took.Round(time.Second), median, tail, worst, statuses)
	t.Logf("heap %.1f MiB before, %.1f MiB after; resident %.0f MiB before, %.0f MiB after",
		float64(heap)/(1<<20), float64(heapAfter)/(1<<20), float64(resident)/(1<<20), float64(residentAfter)/(1<<20))
	assert.Less(t, heapAfter, heap+heap/4+16<<20, "the heap grew")
	if resident > 0 {
		assert.Less(t, residentAfter, resident+resident/2+128<<20, "the process grew")
	}
	assert.Zero(t, statuses[http.StatusInternalServerError])
}
