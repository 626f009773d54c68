package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// value is the value of a field.
type value struct {
	field *field
	values.Value
}

// row is one row on its way into the ERP.
type row struct {
	number int // of the row in the file, from 1
	line   int
	names  []string // of an object
	cells  []values.Cell
	values []value
	column string // what err is about; may be empty
	err    error

	write erp.Write
	undo  map[string]undoValue // of an update
	does  outcome
	made  bool // by an earlier run that was cut off
}

// outcome is what becomes of a row.
type outcome int

const (
	unchanged outcome = iota
	creates
	updates
)

// value is that of a field, nil when the row has none.
func (r *row) value(f *field) *value {
	for i := range r.values {
		if v := &r.values[i]; v.field == f || v.field.role == f.role && f.role != roleValue || f.role == roleValue && v.field.role == roleValue && v.field.col == f.col {
			return v
		}
	}
	return nil
}

// fail notes what is wrong with a row: all of it, so that it is fixed in one go.
func (r *row) fail(column string, err error) {
	switch {
	case r.err == nil:
		r.column, r.err = column, err
	case column == "":
		r.err = fmt.Errorf("%w; and %w", r.err, err)
	default:
		r.err = fmt.Errorf("%w; and %s: %w", r.err, column, err)
	}
}

// preparer turns rows into what is to be written.
type preparer struct {
	in       Reader
	target   *target
	header   []*field // nil: each row names its own columns
	values   *values.Reader
	existing *existing // nil: all rows are new
	opts     *ImportOptions
	runID    string
	number   int // of the last row that was read
}

// chunk prepares the next rows, at most size; none at the end.
func (p *preparer) chunk(ctx context.Context, size int) ([]*row, error) {
	var rows []*row
	for len(rows) < size {
		got, err := p.in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		p.number++
		r := &row{number: p.number, line: got.Line, names: append([]string(nil), got.Names...), cells: append([]values.Cell(nil), got.Cells...)}
		if r.err = got.Err; r.err == nil {
			if err := p.cells(ctx, r); err != nil {
				return nil, err
			}
		}
		rows = append(rows, r)
	}
	return rows, p.settle(ctx, rows)
}

// skip passes over the rows that an earlier run settled. Their keys count as seen.
func (p *preparer) skip(ctx context.Context, count int) error {
	for p.number < count {
		var rows []*row
		for len(rows) < skipped && p.number < count {
			got, err := p.in.Next()
			if err != nil {
				return fmt.Errorf("passing over the %d rows that are done: %w", count, err)
			}
			p.number++
			if p.existing == nil || got.Err != nil {
				continue
			}
			r := &row{line: got.Line, names: append([]string(nil), got.Names...), cells: append([]values.Cell(nil), got.Cells...)}
			if err := p.cells(ctx, r); err != nil {
				return err
			}
			rows = append(rows, r)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.resolve(ctx, rows); err != nil {
			return err
		}
		if p.existing != nil {
			p.claim(rows)
		}
	}
	return nil
}

// skipped is how many rows are passed over at a time.
const skipped = 500

// cells converts the cells of a row. The error is not the row's.
func (p *preparer) cells(ctx context.Context, r *row) error {
	for i, cell := range r.cells {
		var f *field
		if p.header != nil {
			f = p.header[i]
		} else {
			var err error
			if f, err = p.target.field(r.names[i]); err != nil {
				r.fail(r.names[i], err)
				continue
			}
		}
		if f.role == roleIgnored {
			if f.blank && !cell.Empty() {
				r.fail(f.header, fmt.Errorf("there is a value and no heading over it"))
			}
			continue
		}
		v, err := p.read(ctx, f, cell)
		var wrong *values.Error
		if errors.As(err, &wrong) {
			r.fail(f.header, wrong)
			continue
		}
		if err != nil {
			return err
		}
		if r.value(f) != nil {
			r.fail(f.header, fmt.Errorf("%s has a value twice in the row", f.name()))
			continue
		}
		r.values = append(r.values, v)
	}
	return nil
}

// resolve looks up what the values of rows refer to.
func (p *preparer) resolve(ctx context.Context, rows []*row) error {
	var all []*values.Value
	of := map[*values.Value]func(error){}
	for _, r := range rows {
		for i := range r.values {
			v := &r.values[i]
			all = append(all, &v.Value)
			of[&v.Value] = func(err error) { r.fail(v.field.header, err) }
		}
	}
	return p.values.Lookup(ctx, all, func(v *values.Value, err error) { of[v](err) })
}

// read is the value of a cell. The error is what is wrong with it.
func (p *preparer) read(ctx context.Context, f *field, cell values.Cell) (v value, err error) {
	v.field = f
	switch f.role {
	case roleID:
		v.Value, err = values.RecordID(cell)
	case roleUUID:
		v.Value, err = values.RecordUUID(cell)
	default:
		v.Value, err = p.values.Read(ctx, f.to, cell)
	}
	return v, err
}

// settle looks up what rows refer to and which records they are about, and says
// what is to be written.
func (p *preparer) settle(ctx context.Context, rows []*row) error {
	if err := p.resolve(ctx, rows); err != nil {
		return err
	}
	var found map[string][]erp.Record
	if p.existing != nil {
		p.claim(rows)
		var err error
		if found, err = p.existing.find(ctx, rows, p.fields(rows)); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if r.err == nil {
			p.decide(r, found)
		}
	}
	return nil
}

// fields are those that rows may have.
func (p *preparer) fields(rows []*row) []*field {
	if p.header != nil {
		return p.header
	}
	var fields []*field
	seen := map[*field]bool{}
	for _, r := range rows {
		for _, v := range r.values {
			if !seen[v.field] {
				seen[v.field] = true
				fields = append(fields, v.field)
			}
		}
	}
	return fields
}

// claim refuses rows without a key, and those whose key is there twice.
func (p *preparer) claim(rows []*row) {
	for _, r := range rows {
		if r.err != nil {
			continue
		}
		tuple, whole := p.existing.tuple(r)
		if !whole {
			var names []string
			for _, k := range p.existing.keys {
				if v := r.value(k); v == nil || v.Empty {
					names = append(names, k.name())
				}
			}
			r.fail(names[0], fmt.Errorf("the key %s has no value", strings.Join(names, " and ")))
			continue
		}
		if before, twice := p.existing.claim(tuple, r.line); twice {
			r.fail(p.existing.keys[0].name(), fmt.Errorf("the key %s is in line %d, too", text.Quote(strings.ReplaceAll(tuple, "\x00", ", ")), before))
		}
	}
}

// decide says what is to be written of a row.
func (p *preparer) decide(r *row, found map[string][]erp.Record) {
	if p.existing == nil {
		p.create(r)
		return
	}
	tuple, _ := p.existing.tuple(r)
	switch records := found[tuple]; {
	case len(records) == 1:
		p.update(r, records[0])
	case len(records) > 1:
		ids := make([]string, 0, 5)
		for i, rec := range records {
			if i == 5 {
				ids = append(ids, "…")
				break
			}
			ids = append(ids, rec.ID().String())
		}
		r.fail(p.existing.keys[0].name(), fmt.Errorf("%d records have the key %s: %s; name further columns of the key, or use id or uid",
			len(records), text.Quote(strings.ReplaceAll(tuple, "\x00", ", ")), strings.Join(ids, ", ")))
	case p.existing.keys[0].role == roleID:
		r.fail(p.existing.keys[0].header, fmt.Errorf("there is no record %s that the role may see; new records get their numbers from the ERP", tuple))
	default:
		p.create(r)
	}
}

// create is a new record.
func (p *preparer) create(r *row) {
	body := map[string]any{}
	r.write.UUID = rowUUID(p.runID, r.number)
	for i := range r.values {
		v := &r.values[i]
		switch v.field.role {
		case roleUUID:
			if !v.Empty {
				r.write.UUID = v.Plain
			}
			continue
		case roleID:
			continue // the ERP numbers its records itself
		}
		if v.Empty && (p.opts.SkipEmpty || v.field.col.Mandatory || v.field.to.By != "" && v.Send == nil) {
			continue
		}
		body[v.field.col.Name] = v.Send
	}
	for i := range p.target.table.Columns {
		c := &p.target.table.Columns[i]
		if _, given := body[c.Name]; !given && mandatoryText(c) {
			heading := ""
			if v := r.value(&field{col: c}); v != nil {
				heading = v.field.header
			}
			r.fail(heading, fmt.Errorf("%s is mandatory, and the row has no value for it", c.Name))
		}
	}
	r.write.Body, r.does = body, creates
}

// update is a change of a record, of the columns that differ.
func (p *preparer) update(r *row, rec erp.Record) {
	body := map[string]any{}
	for i := range r.values {
		v := &r.values[i]
		if v.field.role != roleValue || v.Empty && p.opts.SkipEmpty || p.isKey(v.field) || values.Same(rec, v.field.col, &v.Value) {
			continue
		}
		col := v.field.col
		switch {
		case v.Empty && col.Mandatory:
			if !mandatoryText(col) {
				continue // as in a new record, where the ERP fills it: the same file twice changes nothing
			}
			r.fail(v.field.header, fmt.Errorf("%s is mandatory, and the row has no value for it", col.Name))
		case !col.Updateable && !col.AlwaysUpdateable:
			r.fail(v.field.header, fmt.Errorf("%s cannot be changed: record %s has %s, the row %s", col.Name, rec.ID(), text.Quote(values.Stored(col, rec)), text.Quote(v.Plain)))
		}
		body[col.Name] = v.Send
	}
	if len(body) == 0 {
		if strings.EqualFold(rec.UUID(), rowUUID(p.runID, r.number)) {
			r.does, r.made = creates, true
		}
		return
	}
	r.write, r.does = erp.Write{ID: rec.ID(), Body: body}, updates
	if p.opts.Undo != "" {
		r.undo = undoOf(rec, r, body)
	}
}

func (p *preparer) isKey(f *field) bool {
	return slices.ContainsFunc(p.existing.keys, func(k *field) bool {
		return k == f || k.role == roleValue && f.role == roleValue && k.col == f.col
	})
}
