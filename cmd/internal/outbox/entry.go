package outbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// Entry is a file of the folder. Number, Key, ID, Tried and Aside are in its name;
// [Queue.Read] fills in the rest.
type Entry struct {
	Form    int             `json:"version"`
	Key     string          `json:"key,omitempty"` // what stays in order; empty: the name is of another form
	ID      string          `json:"id"`            // tells the entry from others, also of other keys
	At      time.Time       `json:"at,omitzero"`
	Reason  string          `json:"reason,omitempty"` // why it was set aside
	Content json.RawMessage `json:"content"`

	Number int64  `json:"-"`
	Tried  bool   `json:"-"` // it may have been sent
	Aside  bool   `json:"-"`
	Path   string `json:"-"`
}

// ErrForm is in the error of a file of another form, in name or content.
var ErrForm = errors.New("another version of erphub wrote it")

// What begins like an entry's name and continues otherwise is of another form.
// Temporary files are named by package atomicfile.
var (
	entryName   = lazyregexp.New(`^(\d{10,18})\.([0-9a-z-]{1,100})\.([0-9a-f-]{1,64})(\.tried)?\.json$`)
	anotherName = lazyregexp.New(`^(\d{10,18})\..*json`)
	tempName    = lazyregexp.New(`^\.(.+)\.tmp-.`)
)

// parseName returns what a name tells; false when it is not that of an entry.
func parseName(name string) (e Entry, ok bool) {
	m := entryName().FindStringSubmatch(name)
	if m != nil {
		e = Entry{Key: m[2], ID: m[3], Tried: m[4] != ""}
	} else if m = anotherName().FindStringSubmatch(name); m != nil {
		e.ID = name
	} else {
		return e, false
	}
	e.Number, _ = strconv.ParseInt(m[1], 10, 64) // 18 digits fit
	return e, true
}

// path is where the entry is, or will be.
func (q *Queue) path(e *Entry) string {
	dir, end := q.dir, ".json"
	if e.Aside {
		dir = q.asideDir()
	}
	if e.Tried {
		end = ".tried.json"
	}
	return filepath.Join(dir, fmt.Sprintf("%010d.%s.%s%s", e.Number, e.Key, e.ID, end))
}

// compare is negative for an entry that was appended before another one.
func compare(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Number, b.Number), strings.Compare(a.ID, b.ID), strings.Compare(a.Key, b.Key))
}

// Read reads the file of an entry. The error says what is wrong with it.
func (q *Queue) Read(e *Entry) error {
	got, err := q.read(e.Path)
	switch {
	case err != nil:
		return err
	case e.Key == "":
		return fmt.Errorf("%w: its name is of another form", ErrForm)
	case got.Key != e.Key || got.ID != e.ID:
		return errors.New("it holds another entry than its name says")
	case q.opts.Check != nil:
		err = q.opts.Check(&got)
	}
	if err == nil {
		e.At, e.Reason, e.Content = got.At, got.Reason, got.Content
	}
	return err
}

// read reads the file of an entry or a note.
func (q *Queue) read(path string) (e Entry, err error) {
	data, err := os.ReadFile(path)
	if err == nil {
		err = q.Fault("read", path)
	}
	var form struct {
		Version int `json:"version"`
	}
	if err == nil && len(bytes.TrimSpace(data)) == 0 {
		err = errors.New("it is empty")
	}
	if err == nil {
		err = json.Unmarshal(data, &form)
	}
	if err == nil && form.Version != q.opts.Form {
		err = fmt.Errorf("%w: it has form %d, and this erphub reads form %d alone; deliver it with the one that wrote it, or discard it", ErrForm, form.Version, q.opts.Form)
	}
	if err == nil {
		err = Decode(data, &e)
	}
	return e, err
}

// Decode reads a JSON value. What v has no place for is an error, because what is
// dropped could be what matters.
func Decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
