package outbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func (q *Queue) notePath(name string) string { return filepath.Join(q.dir, name+".json") }

// Note reads a note; found is false when no note has that name.
func (q *Queue) Note(name string, v any) (found bool, err error) {
	e, err := q.read(q.notePath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = Decode(e.Content, v)
	}
	if err != nil {
		return false, fmt.Errorf("reading %s: %w", q.notePath(name), err)
	}
	return true, nil
}

// SetNote writes a note, or replaces it.
func (q *Queue) SetNote(name string, v any) error {
	content, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return q.write(q.notePath(name), &Entry{ID: name, Content: content})
}

// RemoveNote removes a note, where there is one.
func (q *Queue) RemoveNote(name string) {
	_ = os.Remove(q.notePath(name)) // a note that stays says what it said before
}

// RemoveOldNotes removes the notes whose names begin with a prefix and that are
// older than an age.
func (q *Queue) RemoveOldNotes(prefix string, age time.Duration) {
	files, err := os.ReadDir(q.dir)
	if err != nil {
		return
	}
	for _, f := range files {
		info, err := f.Info()
		if err == nil && strings.HasPrefix(f.Name(), prefix) && time.Since(info.ModTime()) > age {
			_ = os.Remove(filepath.Join(q.dir, f.Name())) // the next time, then
		}
	}
}
