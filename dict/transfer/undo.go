package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/text"
)

// ErrNothingToUndo is in the error of [Undo] when no import left anything in the file.
var ErrNothingToUndo = errors.New("there is nothing to take back")

// undoHead begins what a run left in the file of [ImportOptions.Undo].
type undoHead struct {
	Run    string    `json:"run"`
	Server string    `json:"server"`
	Table  string    `json:"table"`
	File   string    `json:"file"`
	At     time.Time `json:"at"`
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

// add appends lines. Those of a run follow its head.
func (u *undoFile) add(head undoHead, lines []undoLine) error {
	if u.path == "" || len(lines) == 0 {
		return nil
	}
	if u.f == nil {
		f, err := os.OpenFile(u.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600) // former values may be personal
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
	if _, err := u.f.Write(b.Bytes()); err != nil {
		return fmt.Errorf("remembering what the import changes: %w", err)
	}
	return nil
}

func (u *undoFile) close() error {
	if u.f == nil {
		return nil
	}
	return errors.Join(u.f.Sync(), u.f.Close())
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
	return undoHead{r.state.Run, r.state.Server, r.state.Table, r.state.File, time.Now().UTC().Truncate(time.Second)}
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

// UndoOptions configure [Undo]. Path and Table are needed.
type UndoOptions struct {
	Path   string // of [ImportOptions.Undo]
	Table  string
	DryRun bool
	// Progress is called after each record; nil: nobody is told.
	Progress func(done, total int)
}

// UndoResult is what [Undo] did, or would do.
type UndoResult struct {
	File     string    `json:"file"` // that was imported
	At       time.Time `json:"at"`   // when
	Deleted  int       `json:"deleted"`
	Restored int       `json:"restored"`
	// Unchanged are records that are gone, or have their former values.
	Unchanged int `json:"unchanged"`
	// Problems are what stays as the import left it, or as it was changed since.
	Problems []string `json:"problems,omitempty"`
}

// Undo takes back the last import that left something in a file: it deletes the records
// that were created and gives the others their former values, in columns that still
// have what the import wrote. What is taken back leaves the file, so that the next Undo
// is about the import before; with Problems it stays, and Undo can be repeated.
func Undo(ctx context.Context, client *erp.Client, reg values.Dictionary, opts UndoOptions) (*UndoResult, error) {
	table, err := reg.Table(ctx, opts.Table)
	if err != nil {
		return nil, err
	}
	content, start, lines, err := readUndo(opts.Path)
	if err != nil {
		return nil, err
	}
	head := lines[0].Import
	if head.Server != client.BaseURL() || head.Table != table.Name {
		return nil, fmt.Errorf("%w: the last import that %s knows went into %s of %s", ErrOtherRun, opts.Path, head.Table, head.Server)
	}
	u := &undoing{client: client, table: &table, dry: opts.DryRun, result: &UndoResult{File: head.File, At: head.At}}
	for i := len(lines) - 1; i >= 0; i-- {
		if err := u.line(ctx, lines[i]); err != nil {
			return u.result, fmt.Errorf("%w; repeat it to take back the rest", err)
		}
		if opts.Progress != nil {
			opts.Progress(len(lines)-i, len(lines))
		}
	}
	switch {
	case opts.DryRun || len(u.result.Problems) > 0:
		return u.result, nil
	case start == 0:
		return u.result, os.Remove(opts.Path)
	}
	return u.result, atomicfile.Write(opts.Path, content[:start], 0o600)
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

// undoing takes one import back.
type undoing struct {
	client *erp.Client
	table  *registry.Table
	dry    bool
	result *UndoResult
}

// line takes back one record. The error is about the connection; what the ERP refuses
// is a problem of the result.
func (u *undoing) line(ctx context.Context, l undoLine) (err error) {
	known := l.Created
	switch {
	case l.Created != "":
		err = u.delete(ctx, l.Created)
	case l.Updated != "":
		known = l.Updated
		err = u.restore(ctx, l)
	}
	var refused *erp.Error
	switch {
	case errors.Is(err, erp.ErrNotFound):
		u.result.Unchanged++
		return nil
	case errors.As(err, &refused) && refused.Detail != "" && !errors.Is(err, erp.ErrUnauthorized):
		u.result.Problems = append(u.result.Problems, fmt.Sprintf("%s %s: %s", u.table.Name, known, text.OneLine(refused.Detail)))
		return nil
	}
	return err
}

func (u *undoing) delete(ctx context.Context, uuid string) error {
	id, err := erp.ParseID(uuid)
	if err != nil {
		return err
	}
	if u.dry {
		_, err = u.client.Get(ctx, u.table.Name, id, nil)
	} else {
		err = u.client.Delete(ctx, u.table.Name, id)
	}
	if err == nil {
		u.result.Deleted++
	}
	return err
}

func (u *undoing) restore(ctx context.Context, l undoLine) error {
	id, err := erp.ParseID(l.Updated)
	if err != nil {
		return err
	}
	rec, err := u.client.Get(ctx, u.table.Name, id, nil)
	if err != nil {
		return err
	}
	body := map[string]any{}
	for name, v := range l.Columns {
		col, ok := u.table.Column(name)
		set := &values.Value{Empty: v.Set == nil}
		if v.Set != nil {
			set.Plain = *v.Set
		}
		switch {
		case !ok || v.Was == nil:
			u.result.Problems = append(u.result.Problems, fmt.Sprintf("%s %s: the former value of %s is not known", u.table.Name, id, name))
		case values.Same(rec, &col, set):
			body[name] = v.Was
		case !bytes.Equal(present(rec, &col), v.Was):
			u.result.Problems = append(u.result.Problems, fmt.Sprintf("%s %s: %s was changed since the import and stays", u.table.Name, id, name))
		}
	}
	if len(body) == 0 {
		u.result.Unchanged++
		return nil
	}
	if !u.dry {
		if _, err := u.client.Update(ctx, u.table.Name, id, body); err != nil {
			return err
		}
	}
	u.result.Restored++
	return nil
}

// present is what a record has in a column, in the form in which it is written.
func present(rec erp.Record, col *registry.Column) json.RawMessage {
	raw, ok := rec.Raw(col.Name)
	empty := !ok || string(raw) == "null"
	var ref struct {
		ID json.RawMessage `json:"id"`
	}
	number := col.Type.IsNumeric() && col.Type != dict.TypeInteger // as text: a server would round
	switch {
	case empty && col.ForeignTable != "" && !col.Type.IsList() && !col.Type.IsMultiple():
		return json.RawMessage(strconv.Itoa(erp.NoRef))
	case empty:
		return json.RawMessage("null")
	case col.Type.IsMultiple(), col.Type == dict.TypeJSON, col.ForeignTable == "" && !col.Type.IsList() && number:
		text, _ := json.Marshal(values.Stored(col, rec)) // of a string
		return text
	case raw[0] == '{' && json.Unmarshal(raw, &ref) == nil && ref.ID != nil:
		return ref.ID
	}
	return raw
}
