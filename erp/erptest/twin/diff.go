package twin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/twinfile"
)

// Change is a record of the dictionary that the ERP and a twin have differently.
type Change struct {
	Table  string `json:"table"`
	Key    string `json:"key"`            // of the record; parts are separated by commas
	Name   string `json:"name,omitempty"` // what people know it by
	Action string `json:"action"`         // added, removed or changed, seen from the twin
	// Columns are those with other values, for what was changed.
	Columns []string `json:"columns,omitempty"`
}

// Differences are what in the dictionary of an ERP changed since a twin was made.
type Differences struct {
	Changes []Change `json:"changes"`
	// Unreadable says of tables why they were not compared.
	Unreadable map[string]string `json:"unreadable,omitempty"`
	// Compared is how many tables had to be read, because their number of rows or
	// their newest change is another.
	Compared int `json:"compared"`
}

// Diff compares the dictionary of an ERP with that of the twin in a folder. Tables
// with as many rows and the same newest change as when the twin was made are taken
// as unchanged. Who changed a record and when does not count, nor do values that a
// twin does not have: secrets, emptied references and SQL that does not run in it.
// In a masked twin texts are compared for records of System only. Both are only
// read; the memory it takes grows with the largest table of the dictionary.
func Diff(ctx context.Context, src Source, dir string, opts Options) (_ *Differences, err error) {
	path := InFolder(dir)
	fail := func(err error) (*Differences, error) {
		return nil, fmt.Errorf("comparing %s with the twin in %s: %w", src.Origin(), dir, err)
	}
	head, err := readHead(ctx, path)
	if err != nil {
		return fail(err)
	}
	var was Report
	if err := json.Unmarshal(head.Report, &was); err != nil {
		return fail(fmt.Errorf("%w: %w", ErrDamaged, err))
	}
	work, err := store.Open(ctx, path, store.Options{ReadOnly: true})
	if err != nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, work.Close()) }()
	c := &clone{src: src, opts: opts.withDefaults(), work: work, refs: map[string][]ref{}}
	var made Options
	if err := json.Unmarshal(head.Options, &made); err != nil {
		return fail(fmt.Errorf("%w: %w", ErrDamaged, err))
	}
	if c.opts.Tenants = made.Tenants; made.Tenants != nil {
		if err := c.chooseTenants(ctx); err != nil {
			return fail(err)
		}
	}
	out := &Differences{}
	for i := range was.Tables {
		t := &was.Tables[i]
		if t.Part != Dictionary || t.Skipped != "" || t.Unreadable != "" || strings.EqualFold(t.Table, "AD_User") || translates(t.Table) != "" {
			continue
		}
		if err := c.diffTable(ctx, t, head.Masked, out); err != nil {
			return fail(err)
		}
	}
	slices.SortStableFunc(out.Changes, func(a, b Change) int { return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Key, b.Key)) })
	return out, nil
}

func readHead(ctx context.Context, path string) (*twinfile.Head, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	head, err := twinfile.ReadHead(ctx, db.QueryContext)
	if cerr := db.Close(); err == nil {
		err = cerr
	}
	if err == nil && head == nil {
		err = ErrNoTwin
	}
	return head, err
}

func (c *clone) diffTable(ctx context.Context, was *TableReport, masked bool, out *Differences) error {
	return c.work.View(ctx, func(tx *store.Tx) error {
		t, err := tx.Table(ctx, was.Table)
		if err != nil {
			return err
		}
		p, _, err := c.planOf(ctx, tx, t, Dictionary)
		if err != nil {
			return err
		}
		var now Stamp
		what := "the table " + t.Name
		err = c.retry(ctx, what, func() (bool, error) {
			var err error
			now, err = c.src.Stamp(ctx, p.table)
			return false, err
		})
		if err == nil && now.Equal(was.Source) {
			return nil
		}
		var changes []Change
		if err == nil {
			out.Compared++
			err = c.retry(ctx, what, func() (bool, error) {
				d := &tableDiff{p: p, was: was, masked: masked, have: map[string][16]byte{}}
				var err error
				if changes, err = d.run(ctx, tx, c.src); err != nil && d.own {
					err = &errSink{err}
				}
				return false, err
			})
		}
		if errors.Is(err, ErrNotReadable) || errors.Is(err, ErrNoTable) {
			if out.Unreadable == nil {
				out.Unreadable = map[string]string{}
			}
			out.Unreadable[t.Name] = err.Error()
			return nil
		}
		out.Changes = append(out.Changes, changes...)
		return err
	})
}

// tableDiff compares one table.
type tableDiff struct {
	p       *plan
	was     *TableReport
	masked  bool
	own     bool                // the error is not the source's
	have    map[string][16]byte // digests of the twin's rows that were not seen yet, by key
	columns []int               // of the targets, that are compared
	keys    []int
	names   []int
	tenant  int
}

func (d *tableDiff) run(ctx context.Context, tx *store.Tx, src Source) ([]Change, error) {
	d.own = true
	d.tenant = -1
	columns := d.sortColumns()
	if len(d.keys) == 0 {
		return nil, nil // there is no telling which record is which
	}
	if err := d.digestOwn(ctx, tx, columns); err != nil {
		return nil, err
	}
	var out []Change
	d.own = false
	err := src.Rows(ctx, &Query{Table: d.p.table, Columns: d.p.columns, Tenants: d.p.tenants}, func(from []any) error {
		row, err := d.p.convert(from, &TableReport{})
		if err != nil || row == nil {
			return err
		}
		key := d.keyText(row)
		digest, there := d.have[key]
		delete(d.have, key)
		switch {
		case !there && d.was.LeftOut == nil:
			out = append(out, Change{Table: d.p.t.Name, Key: key, Name: d.nameOf(row), Action: "added"})
		case there && digest != d.digest(row):
			change := Change{Table: d.p.t.Name, Key: key, Name: d.nameOf(row), Action: "changed"}
			if change.Columns, err = d.changed(ctx, tx, row); err != nil {
				d.own = true
				return err
			}
			if len(change.Columns) > 0 {
				out = append(out, change)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for key := range d.have {
		out = append(out, Change{Table: d.p.t.Name, Key: key, Action: "removed"})
	}
	return out, nil
}

// sortColumns notes what each column is for, and returns those to read.
func (d *tableDiff) sortColumns() (columns []*store.Column) {
	key := d.p.t.KeyColumns()
	for i := range d.p.targets {
		t := &d.p.targets[i]
		columns = append(columns, t.c)
		upper := strings.ToUpper(t.c.Name)
		switch {
		case slices.Contains(key, t.c):
			d.keys = append(d.keys, i)
		case slices.Contains([]string{"NAME", "COLUMNNAME", "TABLENAME", "VALUE"}, upper):
			d.names = append(d.names, i)
		}
		if upper == "AD_CLIENT_ID" {
			d.tenant = i
		}
		switch {
		case t.from < 0, slices.Contains([]string{"CREATED", "CREATEDBY", "UPDATED", "UPDATEDBY"}, upper), d.was.Emptied[t.c.Name] > 0:
		case strings.EqualFold(d.p.t.Name, "AD_Sequence") && strings.HasPrefix(upper, "CURRENTNEXT"):
		default:
			d.columns = append(d.columns, i)
		}
	}
	return columns
}

// digestOwn reads what the twin has.
func (d *tableDiff) digestOwn(ctx context.Context, tx *store.Tx, columns []*store.Column) error {
	rows, err := tx.Query(ctx, store.SelectSQL(d.p.t, columns, store.Selection{}))
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Err says what there is to say
	values, scan := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		scan[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(scan...); err != nil {
			return err
		}
		d.have[d.keyText(values)] = d.digest(values)
	}
	return rows.Err()
}

// keyText is the key of a row.
func (d *tableDiff) keyText(row []any) string {
	parts := make([]string, len(d.keys))
	for i, at := range d.keys {
		parts[i] = plainText(row[at])
	}
	return strings.Join(parts, ",")
}

func (d *tableDiff) nameOf(row []any) string {
	for _, at := range d.names {
		if s := plainText(row[at]); s != "" {
			return s
		}
	}
	return ""
}

func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case int64:
		return strconv.FormatInt(v, 10)
	case []byte:
		return string(v)
	}
	return fmt.Sprint(v)
}

// compared reports whether the values of a column count in a row.
func (d *tableDiff) compared(at int, row []any) bool {
	return !d.masked || d.p.targets[at].typ != Text || d.tenant < 0 || plainText(row[d.tenant]) == "0"
}

func (d *tableDiff) digest(row []any) (out [16]byte) {
	var line []byte
	for _, at := range d.columns {
		if !d.compared(at, row) || virtualSQL(d.p, at) {
			continue
		}
		text := plainText(row[at])
		line = append(binary.AppendUvarint(line, uint64(len(text))), text...)
	}
	sum := sha256.Sum256(line)
	return [16]byte(sum[:16])
}

// virtualSQL reports whether a column is AD_Column.ColumnSQL, which a twin changes.
func virtualSQL(p *plan, at int) bool {
	return strings.EqualFold(p.t.Name, "AD_Column") && strings.EqualFold(p.targets[at].c.Name, "ColumnSQL")
}

// changed are the columns of the twin's row that the row of the source has
// differently.
func (d *tableDiff) changed(ctx context.Context, tx *store.Tx, row []any) ([]string, error) {
	var where []string
	var args []any
	for _, at := range d.keys {
		where = append(where, store.Expr(d.p.t, d.p.targets[at].c)+"=?")
		args = append(args, row[at])
	}
	own, err := tx.One(ctx, d.p.t, strings.Join(where, " AND "), args...)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, at := range d.columns {
		c := d.p.targets[at].c
		if d.compared(at, row) && !virtualSQL(d.p, at) && plainText(own[c.Name]) != plainText(row[at]) {
			out = append(out, c.Name)
		}
	}
	slices.Sort(out)
	return out, nil
}
