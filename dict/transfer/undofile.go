package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/atomicfile"
)

// undoVersion is the format's number; others are refused.
const undoVersion = 1

// undoHead begins what a run left in the file of [ImportOptions.Undo].
type undoHead struct {
	Version int       `json:"version"`
	Run     string    `json:"run"`
	Server  string    `json:"server"`
	Role    int       `json:"role"`
	Table   string    `json:"table"`
	File    string    `json:"file"`
	At      time.Time `json:"at"`
}

// undoLine is a line of the file: the beginning of a run, or a record.
type undoLine struct {
	Import  *undoHead            `json:"import,omitempty"`
	Created string               `json:"created,omitempty"` // UUID
	Updated string               `json:"updated,omitempty"` // id
	Columns map[string]undoValue `json:"columns,omitempty"`
}

// undoValue is what an import did to a column. A former value that the ERP does not
// show is nil.
type undoValue struct {
	Was json.RawMessage `json:"was,omitempty"`
	Set *string         `json:"set"` // in the form of values.Value.Plain; nil: no value
}

// undoFile remembers what is needed to take a run back.
type undoFile struct {
	path string
	f    *os.File
}

// add appends lines, which are on the disk when it returns. Those of a run follow its
// head.
func (u *undoFile) add(head undoHead, lines []undoLine) error {
	if u.path == "" || len(lines) == 0 {
		return nil
	}
	if u.f == nil {
		f, err := openUndo(u.path)
		if err != nil {
			return fmt.Errorf("remembering what the import changes: %w", err)
		}
		u.f = f
		lines = append([]undoLine{{Import: &head}}, lines...)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	_, err := u.f.Write(b.Bytes())
	if err == nil {
		err = u.f.Sync()
	}
	if err != nil {
		return fmt.Errorf("remembering what the import changes: %w", err)
	}
	return nil
}

// openUndo opens the file behind its last whole line. Whatever is behind that was cut off
// when the process was killed or the disk was full, and what it is about was not sent.
func openUndo(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) // former values may be personal
	if err != nil {
		return nil, err
	}
	end, err := f.Seek(0, io.SeekEnd)
	for block := make([]byte, 64<<10); err == nil && end > 0; {
		start := max(end-int64(len(block)), 0)
		if _, err = f.ReadAt(block[:end-start], start); err != nil {
			break
		}
		if at := bytes.LastIndexByte(block[:end-start], '\n'); at >= 0 {
			end = start + int64(at) + 1
			break
		}
		end = start
	}
	if err == nil {
		err = f.Truncate(end)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (u *undoFile) close() error {
	if u.f == nil {
		return nil
	}
	return u.f.Close()
}

// remember writes down what is about to be written. A UUID of the file is left out: a
// record that is there with it may be anybody's.
func (r *run) remember(rows []*row) error {
	var lines []undoLine
	for _, row := range rows {
		switch {
		case !row.sends():
		case row.does == updates:
			lines = append(lines, undoLine{Updated: row.write.ID.String(), Columns: row.undo})
		case row.write.UUID == r.derived(row):
			lines = append(lines, undoLine{Created: row.write.UUID})
		}
	}
	return r.undo.add(r.undoHead(), lines)
}

func (r *run) undoHead() undoHead {
	return undoHead{undoVersion, r.state.Run, r.state.Server, r.opts.RoleID, r.state.Table, r.state.File, time.Now().UTC().Truncate(time.Second)}
}

// undoOf is what undoing an update of a record needs.
func undoOf(rec erp.Record, r *row, body map[string]any) map[string]undoValue {
	columns := map[string]undoValue{}
	for i := range r.values {
		v := &r.values[i]
		if v.field.role != roleValue {
			continue
		}
		name := v.field.col.Name
		if _, changes := body[name]; !changes {
			continue
		}
		var u undoValue
		if !v.field.col.Secure && !v.field.col.Encrypted {
			u.Was = present(rec, v.field.col)
		}
		if !v.Empty {
			u.Set = &v.Plain
		}
		columns[name] = u
	}
	return columns
}

// readUndo reads the lines of the last run, which begin at a byte of the content.
func readUndo(path string) (content []byte, start int, lines []undoLine, err error) {
	content, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil, fmt.Errorf("%w: no import left %s", ErrNothingToUndo, path)
	}
	if err != nil {
		return nil, 0, nil, err
	}
	at := 0
	in := bufio.NewScanner(bytes.NewReader(content))
	in.Buffer(nil, len(content)+1)
	for number := 1; in.Scan(); number++ {
		var l undoLine
		if err := json.Unmarshal(in.Bytes(), &l); err != nil && at+len(in.Bytes()) < len(content) {
			return nil, 0, nil, fmt.Errorf("%s, line %d cannot be read: %w", path, number, err)
		} else if err != nil {
			break // the process was killed before it wrote the end, and before it sent the rows
		}
		if l.Import != nil && l.Import.Version != undoVersion {
			return nil, 0, nil, fmt.Errorf("%s has form %d, and this erphub reads form %d alone: take it back with the one that imported, or remove it", path, l.Import.Version, undoVersion)
		}
		if l.Import != nil && (len(lines) == 0 || lines[0].Import.Run != l.Import.Run) {
			start, lines = at, nil
		}
		if len(lines) == 0 && l.Import == nil {
			return nil, 0, nil, fmt.Errorf("%s does not begin with an import", path)
		}
		lines = append(lines, l)
		at += len(in.Bytes()) + 1
	}
	if len(lines) == 0 {
		return nil, 0, nil, fmt.Errorf("%w: %s has no import", ErrNothingToUndo, path)
	}
	return content, start, lines, in.Err()
}

// cutBack leaves in the file what runs before the last one left, or removes it.
func cutBack(path string, content []byte) error {
	if len(content) == 0 {
		return os.Remove(path)
	}
	return atomicfile.Write(path, content, 0o600)
}

// forget removes the journal of a run that was cut off.
func forget(path, run string) error {
	if path == "" {
		return nil
	}
	data, err := readBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var left journal
	if err := json.Unmarshal(data, &left); err != nil || left.Run != run {
		return nil // it is another run's
	}
	return os.Remove(path)
}
