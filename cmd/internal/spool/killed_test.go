//go:build unix

package spool

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// Processes are killed (SIGKILL) wherever they happen to be, several at a time
// in one folder, while the ERP goes and comes. A build server that makes each
// call again until one of its processes ends well finds every run recorded once
// and ended. ERPHUB_SPOOL_SEEDS makes it longer, see TestRandomHistories.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	b := newBench(t, erptest.Options{}, nil)
	rounds := max(seeds(0)/50, 1)
	killed, ended := 0, 0
	var mu sync.Mutex
	for round := range rounds {
		var wg sync.WaitGroup
		for i := range 3 {
			random := rand.New(rand.NewPCG(firstSeed(), round*3+uint64(i)))
			wg.Go(func() {
				build := fmt.Sprintf("%d.%d", round, i)
				var id erp.ID
				for at := 0; at < 5; {
					call := Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: build, BuildNo: build}}
					if at > 0 {
						call = lifeOf(id)[at-1]
					}
					after := random.IntN(40) // of about 20 lines, so that half of them end
					out, err := b.traced(t, child{Call: &call, Trace: true}, after)
					mu.Lock()
					if err == nil {
						at++
						ended++
						if at == 1 {
							id, err = erp.ParseID(strings.TrimSpace(out))
							assert.NoError(t, err)
						}
					} else {
						killed++
					}
					if random.IntN(4) == 0 {
						b.srv.Faults().Reset()
						if random.IntN(2) == 0 {
							b.srv.Faults().On(erptest.Match{}, erptest.CutBefore())
						}
					}
					mu.Unlock()
					if t.Failed() {
						return
					}
				}
			})
		}
		wg.Wait()
		b.srv.Faults().Reset()
		b.flush(t)
		require.Empty(t, b.list(t))
	}
	t.Logf("%d processes were killed, %d ended", killed, ended)
	require.Positive(t, killed)
	runs := map[string]int{}
	for _, run := range b.records(t) {
		if run.Active {
			runs[run.Version]++
			assert.Equal(t, deploylog.Success, run.Status, run.Version)
			assert.Equal(t, "all", run.Changes)
		}
	}
	assert.Len(t, runs, int(rounds)*3)
	for version, n := range runs {
		assert.Equal(t, 1, n, version)
	}
}

// traced runs a child and kills it once it has written so many lines. The error
// is that of a child that was killed; any other end but a good one fails the
// test.
func (b *bench) traced(t *testing.T, c child, lines int) (string, error) {
	c.Dir, c.URL, c.Token = b.dir, b.srv.URL(), b.token
	text, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(context.Background(), os.Args[0])
	cmd.Env = append(os.Environ(), "SPOOL_CHILD="+string(text))
	var out strings.Builder
	cmd.Stdout = &out
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	var said strings.Builder
	lineReader := bufio.NewScanner(io.TeeReader(stderr, &said))
	for lineReader.Scan() {
		if lines--; lines == 0 {
			_ = cmd.Process.Kill()
		}
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		t.Errorf("a child ended with %v: %s", err, said.String())
	}
	return out.String(), err
}
