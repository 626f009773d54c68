package outbox

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newQueue is a queue whose entries hold numbers.
func newQueue(dir string) *Queue {
	return New(dir, Options{Form: 7, Aside: "aside", Check: func(e *Entry) error {
		var n int
		return Decode(e.Content, &n)
	}})
}

func add(t *testing.T, q *Queue, key, id string) *Entry {
	t.Helper()
	e := &Entry{Key: key, ID: id, At: time.Date(2026, 3, 9, 14, 0, 0, 0, time.UTC), Content: json.RawMessage("1")}
	require.NoError(t, q.Append(t.Context(), e))
	return e
}

// states are the items of a queue: name, key and what is wrong.
func states(t *testing.T, q *Queue) string {
	t.Helper()
	list, err := q.List()
	require.NoError(t, err)
	var states []string
	for _, i := range list {
		text := i.Name + " " + i.Key
		switch {
		case i.Err != nil:
			text += " unreadable"
		case i.Aside:
			text += " aside: " + i.Reason
		case i.Behind != "":
			text += " behind " + i.Behind
		}
		states = append(states, text)
	}
	return strings.Join(states, ", ")
}

func TestEntriesMoveThroughTheFolder(t *testing.T) {
	t.Parallel()
	q := newQueue(filepath.Join(t.TempDir(), "a", "queue"))
	assert.Empty(t, states(t, q), "a folder that is not there is empty")
	require.NoError(t, q.Change(t.Context(), nil, nil))
	assert.NoDirExists(t, q.dir)

	first := add(t, q, "a", "01")
	second := add(t, q, "b", "02")
	add(t, q, "a", "01") // again
	assert.Equal(t, "1 a, 2 b", states(t, q))
	info, err := os.Stat(q.dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	require.NoError(t, q.MarkTried(first))
	require.NoError(t, q.MarkTried(first))
	list, err := q.Waiting()
	require.NoError(t, err)
	assert.True(t, list[0].Tried)
	assert.False(t, list[1].Tried)
	next, err := q.Next(list[0])
	require.NoError(t, err)
	assert.Equal(t, "02", next.ID)
	next, err = q.Next(*next)
	require.NoError(t, err)
	assert.Nil(t, next)

	require.NoError(t, q.SetAside(second, "nobody wants it"))
	assert.False(t, q.Has(second))
	assert.True(t, q.Has(first))
	require.NoError(t, q.Remove(first))
	require.NoError(t, q.Remove(first), "it is gone")
	assert.Equal(t, "2 b aside: nobody wants it", states(t, q))
	add(t, q, "b", "02") // is there, set aside
	add(t, q, "b", "03")
	assert.Equal(t, "3 b, 2 b aside: nobody wants it", states(t, q), "no number is given twice")
	require.NoError(t, q.Change(t.Context(), nil, func(i *Item) error { return q.PutBack(t.Context(), &i.Entry) }))
	assert.Equal(t, "2 b, 3 b", states(t, q))
	list, err = q.Waiting()
	require.NoError(t, err)
	assert.True(t, list[0].Tried, "it may have been sent")

	require.ErrorContains(t, q.Change(t.Context(), []string{"9"}, nil), `no "9"`)
	for _, name := range []string{"2", list[1].Path} {
		require.NoError(t, q.Change(t.Context(), []string{name}, func(i *Item) error { return q.Remove(&i.Entry) }))
	}
	assert.Empty(t, states(t, q))
	for _, e := range []Entry{{ID: "01"}, {Key: "a"}, {Key: "../a", ID: "01"}, {Key: "a", ID: "0/1"}, {Key: "a.b", ID: "01"}} {
		require.ErrorContains(t, q.Append(t.Context(), &e), "part of the name")
	}
}

// A file that cannot be read holds back its key, and all keys when its name does not
// tell one.
func TestUnreadableFilesHoldBackTheirKey(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(text string) string{
		"empty":        func(string) string { return "" },
		"half":         func(text string) string { return text[:len(text)/2] },
		"twice":        func(text string) string { return text + text },
		"another form": func(text string) string { return strings.Replace(text, `"version":7`, `"version":8,"more":1`, 1) },
		"more":         func(text string) string { return strings.Replace(text, `"version":7`, `"version":7,"more":1`, 1) },
		"another key":  func(text string) string { return strings.Replace(text, `"key":"a"`, `"key":"b"`, 1) },
		"another id":   func(text string) string { return strings.Replace(text, `"id":"01"`, `"id":"02"`, 1) },
		"content":      func(text string) string { return strings.Replace(text, `"content":1`, `"content":"x"`, 1) },
	} {
		q := newQueue(t.TempDir())
		damaged := add(t, q, "a", "01")
		add(t, q, "b", "01")
		add(t, q, "a", "02")
		text, err := os.ReadFile(damaged.Path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(damaged.Path, []byte(damage(string(text))), 0o600))
		assert.Equal(t, "1 a unreadable, 2 b, 3 a behind 1", states(t, q), name)
		err = q.Read(damaged)
		require.Error(t, err, name)
		assert.Equal(t, name == "another form", errors.Is(err, ErrForm), "%s: %v", name, err)
	}
	q := newQueue(t.TempDir())
	odd := filepath.Join(q.dir, "0000000001.what.is.this.json.zst")
	require.NoError(t, os.WriteFile(odd, nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(q.dir, "readme.json"), nil, 0o600), "somebody else's")
	add(t, q, "a", "01")
	assert.Equal(t, "1  unreadable, 2 a behind 1", states(t, q))
	require.NoError(t, q.Change(t.Context(), nil, func(i *Item) error { return q.Remove(&i.Entry) }))
	assert.NoFileExists(t, odd)
	assert.Equal(t, "2 a", states(t, q))
}

func TestNotes(t *testing.T) {
	t.Parallel()
	q := newQueue(t.TempDir())
	var text string
	found, err := q.Note("away", &text)
	require.NoError(t, err)
	assert.False(t, found)
	require.NoError(t, q.SetNote("away", "since noon"))
	found, err = q.Note("away", &text)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, "since noon", text)
	assert.Empty(t, states(t, q), "it is no entry")

	other := newQueue(q.dir)
	other.opts.Form = 8
	_, err = other.Note("away", &text)
	require.ErrorIs(t, err, ErrForm)
	require.NoError(t, os.WriteFile(filepath.Join(q.dir, "away.json"), []byte("{"), 0o600))
	_, err = q.Note("away", &text)
	require.ErrorContains(t, err, filepath.Join(q.dir, "away.json"))
	q.RemoveNote("away")
	found, err = q.Note("away", &text)
	require.NoError(t, err)
	assert.False(t, found)

	now := time.Now()
	for name, at := range map[string]time.Time{"result-old": now.Add(-2 * time.Hour), "result-future": now.Add(99 * time.Hour), "other-old": now.Add(-2 * time.Hour)} {
		require.NoError(t, q.SetNote(name, 1))
		require.NoError(t, os.Chtimes(q.notePath(name), at, at))
	}
	q.RemoveOldNotes("result-", time.Hour)
	left, err := filepath.Glob(filepath.Join(q.dir, "*.json"))
	require.NoError(t, err)
	assert.Len(t, left, 2, "%v", left)
	assert.NoFileExists(t, q.notePath("result-old"))
}

// What may have been delivered before is not appended again.
func TestDelivered(t *testing.T) {
	t.Parallel()
	q := newQueue(t.TempDir())
	q.opts.Delivered = func(e *Entry) bool { return e.ID == "01" }
	add(t, q, "a", "01")
	add(t, q, "a", "02")
	assert.Equal(t, "1 a", states(t, q))
}

// Temporary files of processes that were killed are removed, those of others are
// not: whoever holds a lock is the only one who writes what it guards.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	q := newQueue(t.TempDir())
	add(t, q, "a", "01")
	future := time.Now().Add(99 * time.Hour)
	touch := func(name string) string {
		path := filepath.Join(q.dir, name)
		require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
		require.NoError(t, os.Chtimes(path, future, future))
		return path
	}
	ofEntry := touch(".0000000007.1000000.01a-b.json.tmp-123")
	others := []string{touch(".away.json.tmp-9"), touch(".result-01a.json.tmp-9"), touch("aside/.0000000008.a.01.json.tmp-9")}
	foreign := touch(".profile")
	locked := flock.New(filepath.Join(q.dir, deliverLock)) // somebody delivers
	require.NoError(t, locked.Lock())
	add(t, q, "a", "02")
	assert.NoFileExists(t, ofEntry)
	for _, path := range others {
		assert.FileExists(t, path, "its process may be writing it")
	}
	require.NoError(t, locked.Close())
	ofEntry = touch(".0000000007.1000000.01a-b.json.tmp-123")
	unlock, err := q.Lock(t.Context())
	require.NoError(t, err)
	unlock()
	for _, path := range others {
		assert.NoFileExists(t, path)
	}
	assert.FileExists(t, ofEntry, "its process may be writing it")
	assert.FileExists(t, foreign)
}

func FuzzNames(f *testing.F) {
	for _, name := range []string{"0000000001.a.01.json", "0000000001.a-b.01.tried.json", "0000000001.json", "1.a.01.json"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		e, ok := parseName(name)
		if !ok || e.Key == "" {
			return
		}
		again, ok := parseName(filepath.Base((&Queue{}).path(&e)))
		require.True(t, ok)
		require.Equal(t, e, again)
	})
}
