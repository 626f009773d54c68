package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

// records are the lines of an audit; each has to be one.
func records(t *testing.T, text string) []mcp.AuditRecord {
	t.Helper()
	var all []mcp.AuditRecord
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		if lines.Text() == "" {
			continue
		}
		var r mcp.AuditRecord
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r), "%q", lines.Text())
		all = append(all, r)
	}
	return all
}

// events are records in few words.
func events(all []mcp.AuditRecord) []string {
	words := make([]string, len(all))
	for i, r := range all {
		words[i] = strings.TrimSuffix(fmt.Sprintf("%s %s %s", r.Tool, r.Event, r.Outcome), " ")
	}
	return words
}

func yes(context.Context, string) (bool, error) { return true, nil }

// changing is a tool that asks, and then changes something by do.
func changing(name string, do func(ctx context.Context) error) mcp.Tool {
	return tool(name, mcp.Hints{}, "x", func(ctx context.Context, c *mcp.Call, in echoInput) (any, error) {
		if err := c.Confirmed(ctx, mcp.Ask("Do it?")); err != nil {
			return nil, err
		}
		return in, do(ctx)
	})
}

func TestAChangeIsOnRecordBeforeItIsMade(t *testing.T) {
	t.Parallel()
	var audit bytes.Buffer
	b := newBoundary(t, mcp.BoundaryOptions{Audit: mcp.AuditTo(&audit)})
	var seen []string
	change := changing("change", func(context.Context) error { seen = events(records(t, audit.String())); return nil })
	call := func(tl mcp.Tool, confirm func(context.Context, string) (bool, error)) error {
		_, err := b.Call(t.Context(), tl, &mcp.Call{Caller: reader, Confirm: confirm})
		return err
	}
	require.NoError(t, call(change, yes))
	assert.Equal(t, []string{"change begun"}, seen, "while it is made")
	require.Error(t, call(changing("fail", func(context.Context) error { return errors.New("no") }), yes))
	require.Error(t, call(change, nil))
	require.Error(t, call(change, func(context.Context, string) (bool, error) { return false, nil }))
	require.NoError(t, call(tool("read", mcp.Hints{ReadOnly: true}, "x", nil), nil))
	all := records(t, audit.String())
	assert.Equal(t, []string{
		"change begun", "change ended ok", "fail begun", "fail ended internal",
		"change ended confirmation_required", "change ended declined", "read ended ok",
	}, events(all))
	assert.Equal(t, all[0].Reference, all[1].Reference)
	assert.NotEqual(t, all[0].Reference, all[2].Reference)
	assert.Equal(t, "11/100", all[0].Caller)
}

type unsendable struct{}

func (unsendable) MarshalJSON() ([]byte, error) { panic("boom") }

// Whatever panics after a change began, the call has its last record and an error that
// does not say to try again, and the server goes on.
func TestAPanicAfterAChangeBegan(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func() any{
		"the tool panics":           func() any { panic("boom") },
		"it ends its goroutine":     func() any { runtime.Goexit(); return nil },
		"its result cannot be sent": func() any { return unsendable{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var audit bytes.Buffer
			b := newBoundary(t, mcp.BoundaryOptions{Audit: mcp.AuditTo(&audit), Limits: mcp.Limits{Concurrent: 1}})
			bad := tool("bad", mcp.Hints{}, "x", func(ctx context.Context, c *mcp.Call, _ echoInput) (any, error) {
				if err := c.Confirmed(ctx, mcp.Ask("Do it?")); err != nil {
					return nil, err
				}
				return end(), nil
			})
			bad.Timeout = time.Minute
			_, err := b.Call(t.Context(), bad, &mcp.Call{Caller: reader, Confirm: yes})
			require.Equal(t, mcp.CodeOutcomeUnknown, code(err), "%v", err)
			all := records(t, audit.String())
			require.Equal(t, []string{"bad begun", "bad ended outcome_unknown"}, events(all))
			assert.Contains(t, err.Error(), all[0].Reference)
			require.Eventually(t, func() bool {
				_, err = b.Call(t.Context(), tool("read", mcp.Hints{ReadOnly: true}, "x", nil), &mcp.Call{Caller: reader})
				return err == nil
			}, 5*time.Second, time.Millisecond, "the place of the call is free again")
		})
	}
}

// fullDisk is a file system that has no room, or only for the beginning of a line.
type fullDisk struct {
	bytes.Buffer
	full bool
	room int
}

func (d *fullDisk) Write(b []byte) (int, error) {
	if !d.full {
		return d.Buffer.Write(b)
	}
	n := min(d.room, len(b))
	d.room -= n
	_, _ = d.Buffer.Write(b[:n])
	return n, errors.New("no space left on device")
}

// Nothing is changed that cannot be put on record; what reads goes on; and who looks
// after the server is told, also when it works again.
func TestAnAuditThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, room := range map[string]int{"no room": 0, "room for a part": 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk, failures, changes := &fullDisk{}, 0, 0
			b := newBoundary(t, mcp.BoundaryOptions{Audit: mcp.AuditTo(disk), Metrics: mcp.BoundaryMetrics{AuditFailed: func() { failures++ }}})
			change := changing("change", func(context.Context) error { changes++; return nil })
			call := func() error {
				_, err := b.Call(t.Context(), change, &mcp.Call{Caller: reader, Confirm: yes})
				return err
			}
			require.NoError(t, call())
			require.NoError(t, b.Audited())
			disk.full, disk.room = true, room
			err := call()
			require.Equal(t, mcp.CodeRefused, code(err))
			assert.ErrorContains(t, err, "nothing was changed: the server's audit cannot be written")
			assert.Equal(t, 1, changes)
			require.Error(t, b.Audited())
			_, err = b.Call(t.Context(), tool("read", mcp.Hints{ReadOnly: true}, "x", nil), &mcp.Call{Caller: reader})
			require.NoError(t, err)
			require.Error(t, b.Audited())
			assert.Equal(t, 3, failures, "two records of the change, one of the reading")
			disk.full = false
			require.NoError(t, b.Audited(), "it looks whether there is room again")
			require.NoError(t, call())
			assert.Equal(t, 2, changes)
			var whole []string
			for line := range strings.Lines(disk.String()) {
				if json.Valid([]byte(line)) {
					whole = append(whole, line)
				}
			}
			assert.Equal(t, []string{"change begun", "change ended ok", "change begun", "change ended ok"}, events(records(t, strings.Join(whole, ""))), "no line is spoilt by one that was cut")
		})
	}
}

// A file that was renamed is left alone once the audit is opened again; one that
// cannot be opened keeps the audit where it is.
func TestAnAuditIsOpenedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	audit, err := mcp.OpenAudit(path)
	require.NoError(t, err)
	write := func(tool string) { require.NoError(t, audit.Write(mcp.AuditRecord{Tool: tool, Event: mcp.AuditBegun})) }
	in := func(name string) []string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return events(records(t, string(text)))
	}
	write("a")
	require.NoError(t, os.Rename(path, path+".1"))
	write("b")
	require.NoError(t, audit.Reopen())
	write("c")
	assert.Equal(t, []string{"a begun", "b begun"}, in("audit.jsonl.1"))
	assert.Equal(t, []string{"c begun"}, in("audit.jsonl"))
	st, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	require.NoError(t, os.Rename(path, path+".2"))
	require.NoError(t, os.Mkdir(path, 0o700))
	require.Error(t, audit.Reopen())
	write("d")
	assert.Equal(t, []string{"c begun", "d begun"}, in("audit.jsonl.2"))
	require.NoError(t, audit.Close())
	require.ErrorIs(t, audit.Write(mcp.AuditRecord{}), os.ErrClosed)
	_, err = mcp.OpenAudit(filepath.Join(dir, "none", "audit.jsonl"))
	require.ErrorContains(t, err, "opening the audit")
}

// When the server ends, what runs is cancelled, and what had begun a change is on
// record as cut off; nothing is written after that, and nothing is changed.
func TestTheEndOfTheServer(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var text bytes.Buffer
	audit := mcp.AuditTo(writerFunc(func(b []byte) (int, error) { mu.Lock(); defer mu.Unlock(); return text.Write(b) }))
	b := newBoundary(t, mcp.BoundaryOptions{Audit: audit})
	release := make(chan struct{})
	inside := make(chan struct{}, 3)
	obeys := changing("obeys", func(ctx context.Context) error { inside <- struct{}{}; <-ctx.Done(); return ctx.Err() })
	deaf := changing("deaf", func(context.Context) error { inside <- struct{}{}; <-release; return nil })
	late := tool("late", mcp.Hints{}, "x", func(ctx context.Context, c *mcp.Call, in echoInput) (any, error) {
		inside <- struct{}{}
		<-release
		return in, c.Confirmed(ctx, mcp.Ask("Do it?"))
	})
	results := make(chan error, 3)
	for _, tl := range []mcp.Tool{obeys, deaf, late} {
		go func() {
			_, err := b.Call(t.Context(), tl, &mcp.Call{Caller: reader, Confirm: yes})
			results <- err
		}()
		<-inside
	}
	require.NoError(t, b.Close(t.Context()), "each call is left when its time is over")
	require.NoError(t, audit.Close())
	for range 3 {
		require.Error(t, <-results)
	}
	_, err := b.Call(t.Context(), obeys, &mcp.Call{Caller: reader, Confirm: yes})
	require.ErrorContains(t, err, "the server is ending")
	close(release)
	mu.Lock()
	defer mu.Unlock()
	got := events(records(t, text.String()))
	assert.Subset(t, got, []string{"obeys begun", "deaf begun", "obeys ended cut_off", "deaf ended cut_off", "late ended cancelled"})
	assert.Len(t, got, 5)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// Wherever calls are cut, by their callers or by the end of the server: whatever was
// changed is on record as begun, and everything that began has an end, once the
// server ended in order.
func TestEveryChangeIsOnRecord(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		var mu sync.Mutex // guards what follows
		var text bytes.Buffer
		changed := map[string]bool{}
		audit := mcp.AuditTo(writerFunc(func(b []byte) (int, error) { mu.Lock(); defer mu.Unlock(); return text.Write(b) }))
		b := newBoundary(t, mcp.BoundaryOptions{Audit: audit, Limits: mcp.Limits{Concurrent: 100}})
		var calls sync.WaitGroup
		for i := range 20 {
			name := fmt.Sprintf("tool%d", i)
			steps, asked, before := 1+random.IntN(4), random.IntN(5) > 0, time.Duration(random.IntN(3000))*time.Microsecond
			ctx, cancel := context.WithCancel(t.Context())
			if random.IntN(2) == 0 {
				time.AfterFunc(time.Duration(random.IntN(3000))*time.Microsecond, cancel)
			}
			confirm := yes
			if !asked {
				confirm = nil
			}
			tl := changing(name, func(ctx context.Context) error {
				for range steps {
					if err := mcp.Changes(ctx); err != nil {
						return err
					}
					mu.Lock()
					changed[name] = true
					mu.Unlock()
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(before):
					}
				}
				return nil
			})
			calls.Go(func() {
				defer cancel()
				_, _ = b.Call(ctx, tl, &mcp.Call{Caller: reader, Confirm: confirm})
			})
		}
		time.AfterFunc(time.Duration(random.IntN(4000))*time.Microsecond, b.Cancel)
		calls.Wait()
		require.NoError(t, b.Close(t.Context()))
		require.NoError(t, audit.Close())
		begun, ended := map[string]bool{}, map[string]int{}
		for _, r := range records(t, text.String()) {
			switch r.Event {
			case mcp.AuditBegun:
				begun[r.Tool] = true
				assert.Zero(t, ended[r.Tool], "seed %d: %s began after it ended", seed, r.Tool)
			case mcp.AuditEnded:
				ended[r.Tool]++
			}
		}
		for name := range changed {
			assert.True(t, begun[name], "seed %d: %s changed something, and no record of it began", seed, name)
		}
		assert.Len(t, ended, 20, "seed %d", seed)
	}
}

// A server that has no time left says what it leaves.
func TestAnEndWithoutTime(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	b := newBoundary(t, mcp.BoundaryOptions{Audit: mcp.AuditTo(&text)})
	release, inside, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	deaf := changing("deaf", func(context.Context) error { close(inside); <-release; return nil })
	go func() {
		defer close(left)
		_, _ = b.Call(t.Context(), deaf, &mcp.Call{Caller: reader, Confirm: yes})
	}()
	<-inside
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, b.Close(ended), "were cut off")
	close(release)
	<-left
	assert.Equal(t, []string{"deaf begun", "deaf ended cut_off"}, events(records(t, text.String())))
}
