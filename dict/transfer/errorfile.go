package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/erphub/erphub/dict/values"
)

// errorFile has the rows that were refused, each behind its reason, so that it can
// be mended and imported.
type errorFile struct {
	path string
	json bool
	made bool

	f    *os.File
	out  *bufio.Writer
	size int64
}

// open chooses a file that is not there yet, because somebody may be fixing the rows of
// an earlier one. That of a run that was cut off is cut to what the journal knows of.
func (e *errorFile) open(state *journal) error {
	if e.path == "" {
		return nil
	}
	if !state.resumed {
		ext := filepath.Ext(e.path)
		name := strings.TrimSuffix(e.path, ext)
		for n := 2; ; n++ {
			if _, err := os.Lstat(e.path); errors.Is(err, fs.ErrNotExist) {
				state.Errors = filepath.Base(e.path)
				return nil
			} else if err != nil {
				return err
			}
			e.path = fmt.Sprintf("%s-%d%s", name, n, ext)
		}
	}
	e.path = filepath.Join(filepath.Dir(e.path), filepath.Base(cmp.Or(state.Errors, e.path)))
	info, err := os.Stat(e.path)
	switch {
	case state.ErrorBytes == 0 && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("resuming: the file of refused rows: %w", err)
	case info.Size() < state.ErrorBytes:
		return fmt.Errorf("resuming: %s is shorter than the run left it; put it back, or remove the journal and import with a key", e.path)
	}
	if e.f, err = os.OpenFile(e.path, os.O_WRONLY, 0o600); err != nil {
		return err
	}
	e.made = true
	if err = e.f.Truncate(state.ErrorBytes); err == nil {
		_, err = e.f.Seek(0, 2)
	}
	e.size = state.ErrorBytes
	e.out = bufio.NewWriter(e.f)
	return err
}

// add writes a row.
func (e *errorFile) add(names []string, r *row) error {
	if e.path == "" {
		return nil
	}
	if e.f == nil {
		f, err := os.OpenFile(e.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // the rows may be personal
		if err != nil {
			return fmt.Errorf("writing the refused rows: %w", err)
		}
		e.f, e.out, e.made = f, bufio.NewWriter(f), true
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

func (e *errorFile) close() error {
	if e.f == nil {
		return nil
	}
	_, err := e.sync()
	return errors.Join(err, e.f.Close())
}
