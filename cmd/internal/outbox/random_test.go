//go:build unix

package outbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What must hold, whatever happens to processes, disk and clock:
//
//   - An entry that was acknowledged is delivered, set aside or in the list.
//   - An entry is delivered twice only when it is marked as tried.
//   - The entries of a key are delivered in the order they were appended.
//   - No number is given twice, and nothing of killed processes is left.
//
// TestRandomHistories tries that on random histories. ERPHUB_OUTBOX_SEEDS is how
// many, ERPHUB_OUTBOX_SEED the first one.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	first, n := numberFrom("ERPHUB_OUTBOX_SEED", 1), numberFrom("ERPHUB_OUTBOX_SEEDS", 20)
	total := map[string]int{}
	for seed := first; seed < first+n; seed++ {
		h := &history{
			t: t, dir: filepath.Join(t.TempDir(), "queue"), random: rand.New(rand.NewPCG(seed, 31)), seed: seed, counts: total,
			wanted: map[string][]string{}, acked: map[string]bool{}, received: map[string]int{}, refused: map[string]bool{},
		}
		for range 40 {
			h.step()
		}
		h.judge()
	}
	t.Logf("%d histories from seed %d on: %v", n, first, total)
	for _, what := range []string{"acknowledged", "not acknowledged", "delivered", "delivered again", "set aside", "put back", "killed", "damaged", "held back", "full", "no change possible", "future"} {
		require.Positive(t, total[what], "the histories come to %q", what)
	}
}

func numberFrom(variable string, otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(variable), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// history is one random history of a folder and its receiver.
type history struct {
	t      *testing.T
	dir    string
	random *rand.Rand
	seed   uint64

	mu       sync.Mutex // guards what processes that run at once change
	counts   map[string]int
	wanted   map[string][]string // IDs in the order they are appended, by key
	acked    map[string]bool
	received map[string]int
	order    []string // IDs as they came the first time
	refused  map[string]bool
	damaged  []string
}

func (h *history) count(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[what]++
}

// process is a queue that may be killed, or whose folder refuses something.
func (h *history) process() *Queue {
	q := newQueue(h.dir)
	q.opts.Wait = time.Minute
	q.opts.Delivered = func(e *Entry) bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.received[e.ID] > 0
	}
	left, stump := -1, h.random.IntN(2) == 0
	if h.random.IntN(3) == 0 {
		left = h.random.IntN(12)
	}
	var failing []string
	errno := syscall.EROFS
	switch h.random.IntN(8) {
	case 0:
		failing, errno = []string{"write"}, syscall.ENOSPC
	case 1:
		failing = []string{"write", "move", "remove"}
	case 2:
		failing, errno = []string{[]string{"move", "remove", "list", "lock", "read"}[h.random.IntN(5)]}, syscall.EIO
	}
	q.Fault = func(op, path string) error {
		if left--; left == -1 {
			h.count("killed")
			if op == "write" && stump { // in the middle of writing
				_ = os.WriteFile(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp-123"), []byte("{"), 0o600)
			}
			runtime.Goexit() // locks are freed, as by the system
		}
		if !slices.Contains(failing, op) {
			return nil
		}
		h.count(map[string]string{"write": "full", "move": "no change possible", "remove": "no change possible"}[op])
		return &fs.PathError{Op: op, Path: path, Err: errno}
	}
	return q
}

// step lets one to three processes run at once, or something happen to files.
func (h *history) step() {
	switch h.random.IntN(12) {
	case 0:
		h.damage()
		return
	case 1: // the clock was wrong for a while
		files, err := filepath.Glob(filepath.Join(h.dir, "*"))
		require.NoError(h.t, err)
		at := time.Now().Add(time.Duration(h.random.IntN(400)-200) * time.Hour)
		for _, f := range files {
			require.NoError(h.t, os.Chtimes(f, at, at))
			h.count("future")
		}
		return
	}
	var wg sync.WaitGroup
	keys := []string{"a", "b-1", "0f"}
	h.random.Shuffle(len(keys), func(i, k int) { keys[i], keys[k] = keys[k], keys[i] })
	for _, key := range keys[:1+h.random.IntN(3)] {
		q, what, answers := h.process(), h.random.IntN(6), h.random.Uint64()
		wg.Go(func() {
			done := make(chan struct{})
			go func() {
				defer close(done)
				switch what {
				case 0, 1, 2:
					h.append(q, key)
				case 3, 4:
					h.deliver(q, answers)
				default:
					h.putBack(q)
				}
			}()
			<-done
		})
	}
	wg.Wait()
}

// append is a producer, which appends the same entry until it is acknowledged.
func (h *history) append(q *Queue, key string) {
	h.mu.Lock()
	ids := h.wanted[key]
	if n := len(ids); n == 0 || h.acked[ids[n-1]] {
		ids = append(ids, fmt.Sprintf("%x-%x-%04x", h.seed, key, n))
		h.wanted[key] = ids
	}
	id := ids[len(ids)-1]
	h.mu.Unlock()
	if err := q.Append(context.Background(), &Entry{Key: key, ID: id, At: time.Now(), Content: json.RawMessage("1")}); err != nil {
		assert.ErrorIs(h.t, err, ErrFolder)
		h.count("not acknowledged")
		return
	}
	_ = q.Fault("appended", id) // it is killed before it says so
	h.count("acknowledged")
	h.mu.Lock()
	h.acked[id] = true
	h.mu.Unlock()
}

// deliver sends what waits to a receiver whose answers are random.
func (h *history) deliver(q *Queue, answers uint64) {
	unlock, err := q.Lock(context.Background())
	if err != nil {
		return
	}
	defer unlock()
	random := rand.New(rand.NewPCG(answers, 0))
	held := map[string]bool{}
	for last := (Entry{}); ; {
		e, err := q.Next(last)
		if e == nil || err != nil {
			return
		}
		last = *e
		if err := q.Read(e); err != nil || held[e.Key] {
			held[e.Key] = true
			h.count("held back")
			continue
		}
		wasTried := e.Tried
		if q.MarkTried(e) != nil {
			return
		}
		switch random.IntN(6) {
		case 0:
			return // the receiver is away
		case 1:
			h.mu.Lock()
			h.refused[e.ID] = true
			h.mu.Unlock()
			if q.SetAside(e, "refused") != nil {
				return
			}
			h.count("set aside")
			continue
		}
		h.receive(e, wasTried)
		_ = q.Fault("sent", e.Path)
		if q.Remove(e) != nil {
			h.count("not removed")
		}
	}
}

func (h *history) receive(e *Entry, wasTried bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts["delivered"]++
	if h.received[e.ID]++; h.received[e.ID] == 1 {
		h.order = append(h.order, e.ID)
		return
	}
	h.counts["delivered again"]++
	assert.True(h.t, wasTried, "seed %d: %s was delivered twice without a mark", h.seed, e.ID)
}

func (h *history) putBack(q *Queue) {
	aside, err := q.Aside()
	if err != nil || len(aside) == 0 {
		return
	}
	_ = q.Change(context.Background(), []string{strconv.FormatInt(aside[0].Number, 10)}, func(i *Item) error {
		if i.Aside && i.Err == nil && q.PutBack(context.Background(), &i.Entry) == nil {
			h.count("put back")
		}
		return nil
	})
}

// damage spoils a file of the queue.
func (h *history) damage() {
	list, err := newQueue(h.dir).Waiting()
	require.NoError(h.t, err)
	if len(list) == 0 {
		return
	}
	e := list[h.random.IntN(len(list))]
	require.NoError(h.t, os.WriteFile(e.Path, [][]byte{nil, []byte("\x00\xff"), []byte(`{"version":8}`)}[h.random.IntN(3)], 0o600))
	h.damaged = append(h.damaged, e.ID)
	h.count("damaged")
}

// judge lets everything work again and looks whether what must hold holds.
func (h *history) judge() {
	q := newQueue(h.dir)
	ctx := h.t.Context()
	flush := func() {
		unlock, err := q.Lock(ctx)
		require.NoError(h.t, err)
		defer unlock()
		list, err := q.List()
		require.NoError(h.t, err)
		for _, i := range list {
			if i.Err == nil && !i.Aside && i.Behind == "" {
				h.receive(&i.Entry, i.Tried)
				require.NoError(h.t, q.Remove(&i.Entry))
			}
		}
	}
	flush()
	list, err := q.List()
	require.NoError(h.t, err)
	for key, ids := range h.wanted {
		for _, id := range ids {
			there := slices.ContainsFunc(list, func(i Item) bool { return i.Key == key && i.ID == id })
			if h.acked[id] && h.received[id] == 0 {
				assert.True(h.t, there, "seed %d: %s is lost", h.seed, id)
			}
			free := !slices.ContainsFunc(h.damaged, func(d string) bool { return slices.Contains(ids, d) })
			assert.False(h.t, there && free && !h.refused[id], "seed %d: %s is stuck", h.seed, id)
		}
	}
	numbers := map[int64]bool{}
	for _, i := range list {
		assert.False(h.t, numbers[i.Number], "seed %d: two entries have the number %d", h.seed, i.Number)
		numbers[i.Number] = true
	}
	require.NoError(h.t, q.Change(ctx, nil, func(i *Item) error { return q.Remove(&i.Entry) }))
	flush()
	assert.Empty(h.t, states(h.t, q), "seed %d", h.seed)
	for key, ids := range h.wanted {
		// What was refused may have been put back, behind others.
		came := slices.DeleteFunc(slices.Clone(h.order), func(id string) bool { return !slices.Contains(ids, id) || h.refused[id] })
		assert.True(h.t, slices.IsSorted(came), "seed %d: the entries of %s came as %v", h.seed, key, came)
	}
	require.NoError(h.t, q.Append(ctx, &Entry{Key: "a", ID: "0", Content: json.RawMessage("1")})) // sweeps
	left, err := filepath.Glob(filepath.Join(h.dir, ".*"))
	require.NoError(h.t, err)
	more, err := filepath.Glob(filepath.Join(h.dir, "aside", ".*"))
	require.NoError(h.t, err)
	assert.Empty(h.t, append(left, more...), "seed %d", h.seed)
}

// TestMain is also the process that TestKilled starts and kills: it appends
// entries, delivers what the folder holds and says so.
func TestMain(m *testing.M) {
	dir := os.Getenv("OUTBOX_CHILD")
	if dir == "" {
		os.Exit(m.Run())
	}
	q := newQueue(dir)
	q.Fault = func(op, path string) error {
		_, err := fmt.Fprintln(os.Stderr, op, path)
		return err
	}
	if err := child(q, os.Getenv("OUTBOX_KEY")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(q *Queue, key string) error {
	ctx := context.Background()
	for i := range 4 {
		if err := q.Append(ctx, &Entry{Key: key, ID: fmt.Sprintf("%s-%d", key, i), Content: json.RawMessage("1")}); err != nil {
			return err
		}
		fmt.Printf("%s-%d\n", key, i)
	}
	unlock, err := q.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	received, err := os.OpenFile(q.dir+".received", os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	for {
		e, err := q.Next(Entry{})
		if e == nil || err != nil {
			return err
		}
		wasTried := e.Tried
		if err := errors.Join(q.Read(e), q.MarkTried(e)); err != nil {
			return err
		}
		_, err = fmt.Fprintln(received, e.ID, wasTried)
		if err = errors.Join(err, q.Remove(e)); err != nil {
			return err
		}
	}
}

// Processes are killed (SIGKILL) wherever they happen to be, three at a time in one
// folder: what was appended is delivered, twice only with the mark, and in order.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "queue")
	var mu sync.Mutex
	killed := 0
	var appended []string
	run := func(key string, lines int) {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "OUTBOX_CHILD="+dir, "OUTBOX_KEY="+key)
		var out strings.Builder
		cmd.Stdout = &out
		trace, err := cmd.StderrPipe()
		if !assert.NoError(t, err) || !assert.NoError(t, cmd.Start()) {
			return
		}
		for s := bufio.NewScanner(trace); s.Scan(); {
			if lines--; lines == 0 {
				_ = cmd.Process.Kill()
			}
		}
		err = cmd.Wait()
		mu.Lock()
		defer mu.Unlock()
		var exit *exec.ExitError
		if errors.As(err, &exit) && assert.False(t, exit.Exited(), "%v", err) {
			killed++
		}
		appended = append(appended, strings.Fields(out.String())...)
	}
	random := rand.New(rand.NewPCG(numberFrom("ERPHUB_OUTBOX_SEED", 1), 9))
	for round := range 12 {
		var wg sync.WaitGroup
		for i := range 3 {
			lines := 1 + random.IntN(60)
			wg.Go(func() { run(fmt.Sprintf("%x", round*3+i), lines) })
		}
		wg.Wait()
	}
	run("ff", -1)
	require.Empty(t, states(t, newQueue(dir)))
	text, err := os.ReadFile(dir + ".received")
	require.NoError(t, err)
	delivered, last := map[string]bool{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		var id string
		var marked bool
		_, err := fmt.Sscan(line, &id, &marked)
		require.NoError(t, err, line)
		key, _, _ := strings.Cut(id, "-")
		switch {
		case delivered[id]:
			assert.True(t, marked, "%s was delivered twice without a mark", id)
		default:
			assert.Less(t, last[key], id, "the order of %s", key)
			delivered[id], last[key] = true, id
		}
	}
	for _, id := range appended {
		assert.True(t, delivered[id], "%s is lost", id)
	}
	t.Logf("%d processes were killed, %d entries appended, %d delivered", killed, len(appended), len(delivered))
	require.Positive(t, killed)
}
