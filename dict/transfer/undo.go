package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// ErrNothingToUndo is in the error of [Undo] when no import left anything in the file.
var ErrNothingToUndo = errors.New("there is nothing to take back")

// UndoOptions configure [Undo]. Path and Table are needed.
type UndoOptions struct {
	Path  string // of [ImportOptions.Undo]
	Table string
	// Journal is the journal of the imports; with it no import of the file runs meanwhile, and
	// one that was cut off cannot be resumed after it was taken back.
	Journal string
	// RoleID is the role of the imports. What another role has imported is refused, because
	// records that this one may not see would count as gone.
	RoleID int
	DryRun bool
	// Progress is called after each record; nil: no calls.
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
	// Problems name what stays as the import left it, or as it was changed since.
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
	if opts.Journal != "" && !opts.DryRun {
		lock, err := lockJournal(opts.Journal, opts.Path)
		if err != nil {
			return nil, err
		}
		defer unlockJournal(opts.Journal, lock)
	}
	content, start, lines, err := readUndo(opts.Path)
	if err != nil {
		return nil, err
	}
	head := lines[0].Import
	if err := head.matches(client.BaseURL(), table.Name, &opts); err != nil {
		return nil, err
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
	if opts.DryRun || len(u.result.Problems) > 0 {
		return u.result, nil
	}
	if err := forget(opts.Journal, head.Run); err != nil {
		return u.result, err
	}
	return u.result, cutBack(opts.Path, content[:start])
}

// matches refuses to take back what another login, or an import of something else, did.
func (h *undoHead) matches(server, table string, opts *UndoOptions) error {
	switch {
	case h.Server != server || h.Table != table:
		return fmt.Errorf("%w: the last import that %s knows went into %s of %s", ErrOtherRun, opts.Path, h.Table, h.Server)
	case h.Role != opts.RoleID:
		return fmt.Errorf("%w: the last import that %s knows was made with the role %d, and this login has the role %d, which may not see all of it",
			ErrOtherRun, opts.Path, h.Role, opts.RoleID)
	}
	return nil
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
	case errors.As(err, &refused) && refused.Detail != "" && !errors.Is(err, erp.ErrUnauthorized) && !erp.Retryable(err):
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
