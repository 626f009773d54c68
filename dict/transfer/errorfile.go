package transfer

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict/values"
)

// errorFile has the rows that were refused, each behind its reason, so that it can
// be mended and imported.
type errorFile struct {
	path string
	json bool

	f    *os.File
	out  *bufio.Writer
	size int64
}

// open makes the file, under a name that is not taken yet, because somebody may be fixing
// the rows of an earlier run, or another may be at work. That of a run that was cut off
// is its own, and is cut to what the journal knows of.
func (e *errorFile) open(state *journal) error {
	if e.path == "" {
		return nil
	}
	if !state.resumed {
		return e.reserve(state)
	}
	folder, wanted := filepath.Split(e.path)
	if !numbered(state.Errors, wanted) {
		return fmt.Errorf("resuming: the journal names the file of refused rows %q, but no run gives it that name; remove the journal and import with a key", state.Errors)
	}
	e.path = folder + state.Errors
	info, err := os.Lstat(e.path)
	switch {
	case state.ErrorBytes == 0 && errors.Is(err, fs.ErrNotExist):
		return e.reserve(state)
	case err != nil:
		return fmt.Errorf("resuming: the file of refused rows: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("resuming: %s is not a regular file any more", e.path)
	case info.Size() < state.ErrorBytes:
		return fmt.Errorf("resuming: %s is shorter than the run left it; put it back, or remove the journal and import with a key", e.path)
	}
	if e.f, err = os.OpenFile(e.path, os.O_WRONLY, 0o600); err != nil {
		return err
	}
	if err = e.f.Truncate(state.ErrorBytes); err == nil {
		_, err = e.f.Seek(0, 2)
	}
	e.size = state.ErrorBytes
	e.out = bufio.NewWriter(e.f)
	return err
}

// reserve makes the file under the first free name.
func (e *errorFile) reserve(state *journal) error {
	folder, wanted := filepath.Split(e.path)
	for n := 2; ; n++ {
		f, err := os.OpenFile(e.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // the rows may be personal
		if err == nil {
			e.f, e.out, state.Errors = f, bufio.NewWriter(f), filepath.Base(e.path)
			return nil
		}
		info, there := os.Lstat(e.path)
		switch {
		case !errors.Is(err, fs.ErrExist):
			return fmt.Errorf("making the file of refused rows: %w", err)
		case there == nil && !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a regular file; name another for the rows that are refused", e.path)
		}
		name, ext := parts(wanted)
		e.path = fmt.Sprintf("%s%s-%d%s", folder, name, n, ext)
	}
}

// parts are a name with what is before a number and behind it.
func parts(name string) (before, ext string) {
	ext = filepath.Ext(name)
	if ext == name { // .errors is a hidden file
		ext = ""
	}
	return strings.TrimSuffix(name, ext), ext
}

// numbered reports whether a run that wanted a name may have another.
func numbered(name, wanted string) bool {
	before, ext := parts(wanted)
	number, ok := strings.CutPrefix(name, before+"-")
	number, behind := strings.CutSuffix(number, ext)
	n, err := strconv.Atoi(number)
	return name == wanted || ok && behind && err == nil && n > 1 && strconv.Itoa(n) == number
}

// add writes a row.
func (e *errorFile) add(names []string, r *row) error {
	if e.path == "" {
		return nil
	}
	var line bytes.Buffer
	var err error
	if e.json {
		err = e.object(&line, r)
	} else {
		err = e.values(&line, names, r)
	}
	if err == nil {
		_, err = e.out.Write(line.Bytes())
	}
	if err != nil {
		return fmt.Errorf("writing the refused rows: %w", err)
	}
	e.size += int64(line.Len())
	return nil
}

// values writes a line of CSV.
func (e *errorFile) values(line *bytes.Buffer, names []string, r *row) error {
	w := csv.NewWriter(line)
	if e.size == 0 {
		header := []string{ReasonColumn}
		for _, name := range names {
			if name != ReasonColumn {
				header = append(header, name)
			}
		}
		if err := w.Write(header); err != nil {
			return err
		}
	}
	reason := r.err.Error()
	if r.column != "" {
		reason = r.column + ": " + reason
	}
	cells := []string{reason}
	for i, c := range r.cells {
		if i < len(names) && names[i] == ReasonColumn {
			continue
		}
		cells = append(cells, c.Text)
	}
	if err := w.Write(cells); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

// object writes a line of NDJSON.
func (e *errorFile) object(line *bytes.Buffer, r *row) error {
	member := func(name string, value any) error {
		text, err := json.Marshal(name)
		if err != nil {
			return err
		}
		data, err := json.Marshal(value)
		if err != nil {
			return err
		}
		line.Write(text)
		line.WriteByte(':')
		line.Write(data)
		return nil
	}
	reason := r.err.Error()
	if r.column != "" {
		reason = r.column + ": " + reason
	}
	line.WriteByte('{')
	if err := member(ReasonColumn, reason); err != nil {
		return err
	}
	for i, c := range r.cells {
		if r.names[i] == ReasonColumn {
			continue
		}
		line.WriteByte(',')
		if err := member(r.names[i], asJSON(c)); err != nil {
			return err
		}
	}
	line.WriteString("}\n")
	return nil
}

// asJSON is the cell as it stood in JSON.
func asJSON(c values.Cell) any {
	switch c.Kind {
	case values.Null:
		return nil
	case values.Bool, values.Number, values.JSON:
		return json.RawMessage(c.Text)
	}
	return c.Text
}

// hint says in an error where the rows are.
func (e *errorFile) hint() string {
	if e.size == 0 {
		return ""
	}
	return fmt.Sprintf(" (they are in %s)", e.path)
}

// sync makes what was written last, and returns how much there is.
func (e *errorFile) sync() (int64, error) {
	if e.f == nil {
		return 0, nil
	}
	err := e.out.Flush()
	if err == nil {
		err = e.f.Sync()
	}
	if err != nil {
		return 0, fmt.Errorf("writing the refused rows: %w", err)
	}
	return e.size, nil
}

// close ends the file. One without rows is removed when the run is done.
func (e *errorFile) close(done bool) error {
	if e.f == nil {
		return nil
	}
	_, err := e.sync()
	err = errors.Join(err, e.f.Close())
	if done && err == nil && e.size == 0 {
		return os.Remove(e.path)
	}
	return err
}
