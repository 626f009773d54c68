package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/internal/text"
)

// ExportOptions configure [Export]. Only Table is needed.
type ExportOptions struct {
	// Table is read from. Names are found in any case.
	Table string
	// Columns are the columns of the file, with "id" and "uid" for the number and the
	// UUID; none: these two and all that an import writes.
	Columns []string
	// Filter and OrderBy choose and order the records; without an order they come
	// by their key. Only active ones are read, unless the filter names IsActive.
	Filter  erp.Filter
	OrderBy []string
	// Limit is the number of records to write; 0: all.
	Limit int
	// References is what stands for a record that is referred to: empty for its key,
	// "uid" for its UUID, "value" for what it is called (Value, else DocumentNo, else
	// Name), which another ERP has, too. The headings then say so.
	References string
	// Progress is called after each page; nil: no calls. total is 0 when it is
	// not known.
	Progress func(rows, total int)
}

// References of [ExportOptions].
const (
	ByKey   = ""
	ByUUID  = "uid"
	ByValue = "value"
)

const (
	exportPage = 1000   // records of a request; a server may give fewer
	mostNames  = 50_000 // of the records that a column refers to
)

// Export writes records of a table to a file, such that importing it with the key
// uid changes nothing, and importing it into another ERP makes equal records. It
// returns how many it wrote, and holds a page of them.
func Export(ctx context.Context, client *erp.Client, reg values.Dictionary, w RowWriter, opts ExportOptions) (int, error) {
	t, err := reg.Table(ctx, opts.Table)
	if err != nil {
		return 0, err
	}
	names, err := values.New(client, reg, values.Options{})
	if err != nil {
		return 0, err
	}
	e := &export{client: client, names: names, w: w, opts: opts, table: &t}
	if err := e.choose(ctx); err != nil {
		return 0, err
	}
	headings := make([]string, len(e.columns))
	for i, c := range e.columns {
		headings[i] = c.heading
	}
	if err := w.Header(headings); err != nil {
		return 0, err
	}
	err = e.records(ctx)
	if err == nil {
		err = w.Close()
	}
	return e.written, err
}

// export is one Export.
type export struct {
	client  *erp.Client
	names   *values.Reader
	w       RowWriter
	opts    ExportOptions
	table   *registry.Table
	columns []*exported
	written int
	cells   []values.Cell
}

// exported is one column of the file.
type exported struct {
	heading string
	role    role
	col     *registry.Column
	naming  *values.Naming    // of a reference that is not written by its key
	known   map[string]string // what stands for a key
}

// exportable are the columns that an export writes and an import reads.
func exportable(t *registry.Table) []string {
	var names []string
	for i := range t.Columns {
		c := &t.Columns[i]
		switch {
		case !c.Active, values.ReadOnly(t, c) != "", c.Secure, c.Encrypted, strings.EqualFold(c.Name, "AD_Client_ID"),
			strings.EqualFold(c.Name, t.Name+"_ID"), strings.EqualFold(c.Name, t.Name+"_UU"):
			continue
		}
		names = append(names, c.Name)
	}
	return names
}

// choose resolves the columns.
func (e *export) choose(ctx context.Context) error {
	names := e.opts.Columns
	if len(names) == 0 {
		if _, ok := e.table.Column(e.table.Name + "_ID"); ok {
			names = append(names, "id")
		}
		if _, ok := e.table.Column(e.table.Name + "_UU"); ok {
			names = append(names, "uid")
		}
		names = append(names, exportable(e.table)...)
	}
	switch e.opts.References {
	case ByKey, ByUUID, ByValue:
	default:
		return fmt.Errorf("references are written as their key, uid or value, not as %s", text.Quote(e.opts.References))
	}
	for _, name := range names {
		c := &exported{heading: name, known: map[string]string{}}
		switch lower := strings.ToLower(name); {
		case lower == "id", strings.EqualFold(name, e.table.Name+"_ID"):
			c.role = roleID
		case lower == "uid", strings.EqualFold(name, e.table.Name+"_UU"):
			c.role = roleUUID
		default:
			col, ok := e.table.Column(name)
			if !ok {
				var known []string
				for _, c := range e.table.Columns {
					known = append(known, c.Name)
				}
				hint := ""
				if near := nearest.Name(name, known); near != "" {
					hint = fmt.Sprintf("; did you mean %q?", near)
				}
				return fmt.Errorf("%s has no column %s%s", e.table.Name, text.Quote(name), hint)
			}
			c.col, c.heading = &col, col.Name
			if err := e.by(ctx, c); err != nil {
				return err
			}
		}
		e.columns = append(e.columns, c)
	}
	return nil
}

// by settles what stands for the records that a column refers to.
func (e *export) by(ctx context.Context, c *exported) (err error) {
	if e.opts.References == ByKey {
		return nil
	}
	c.naming, err = e.names.Naming(ctx, values.OfColumn(c.col), e.opts.References == ByUUID)
	if c.naming != nil {
		c.heading = c.col.Name + ":" + c.naming.By
	}
	return err
}

func (e *export) records(ctx context.Context) error {
	q := &erp.Query{Filter: e.opts.Filter, OrderBy: e.opts.OrderBy, Limit: e.opts.Limit, Top: exportPage}
	for _, c := range e.columns {
		if c.col != nil && !slices.Contains(q.Select, c.col.Name) {
			q.Select = append(q.Select, c.col.Name)
		}
	}
	if len(q.Select) == 0 {
		q.Select = []string{"IsActive"} // id and uid come anyway, and nothing is everything
	}
	var page []erp.Record
	for rec, err := range e.client.Records(ctx, e.table.Name, q) {
		if err != nil {
			return err
		}
		if page = append(page, rec); len(page) == exportPage {
			if err := e.rows(ctx, page); err != nil {
				return err
			}
			page = page[:0]
		}
	}
	return e.rows(ctx, page)
}

// rows writes records.
func (e *export) rows(ctx context.Context, page []erp.Record) error {
	for _, c := range e.columns {
		if c.naming != nil {
			if err := e.refer(ctx, c, page); err != nil {
				return err
			}
		}
	}
	for _, rec := range page {
		e.cells = e.cells[:0]
		for _, c := range e.columns {
			cell, err := c.cell(rec)
			if err != nil {
				return fmt.Errorf("record %s: %w", rec.ID(), err)
			}
			e.cells = append(e.cells, cell)
		}
		if err := e.w.Row(e.cells); err != nil {
			return fmt.Errorf("record %s: %w", rec.ID(), err)
		}
		e.written++
	}
	if e.opts.Progress != nil {
		e.opts.Progress(e.written, 0)
	}
	return nil
}

// refer looks up what stands for the records that a column refers to.
func (e *export) refer(ctx context.Context, c *exported, page []erp.Record) error {
	if len(c.known) > mostNames {
		c.known = map[string]string{}
	}
	wanted := map[string]bool{}
	for _, rec := range page {
		if key := values.Stored(c.col, rec); key != "" {
			if _, known := c.known[key]; !known {
				wanted[key] = true
			}
		}
	}
	names, err := c.naming.Read(ctx, e.client, slices.Collect(maps.Keys(wanted)))
	maps.Copy(c.known, names)
	return err
}

func (c *exported) named(key string) (values.Cell, error) {
	name := c.known[key]
	if name == "" && key != "0" {
		return values.Cell{}, fmt.Errorf("%s refers to record %s of %s, whose %s the role may not see; export references by their key", c.col.Name, key, c.naming.Table, c.naming.By)
	}
	if name == "" {
		return values.Cell{Kind: values.Null}, nil
	}
	return values.Cell{Text: name}, nil
}

// cell is the value of a column.
func (c *exported) cell(rec erp.Record) (values.Cell, error) {
	switch c.role {
	case roleID:
		if _, ok := rec.ID().Int(); !ok {
			return values.Cell{Kind: values.Null}, nil
		}
		return values.Cell{Kind: values.Number, Text: rec.ID().String()}, nil
	case roleUUID:
		return values.Cell{Text: rec.UUID()}, nil
	}
	is := values.Stored(c.col, rec)
	if is == "" {
		return values.Cell{Kind: values.Null}, nil
	}
	if c.naming != nil {
		return c.named(is)
	}
	switch t := c.col.Type; {
	case t.IsMultiple(), t.IsList():
	case t == dict.TypeYesNo:
		return values.Cell{Kind: values.Bool, Text: is}, nil
	case t == dict.TypeDate:
		return values.Cell{Kind: values.Date, Text: is}, nil
	case t == dict.TypeJSON:
		if json.Valid([]byte(is)) {
			return values.Cell{Kind: values.JSON, Text: is}, nil
		}
	case t.IsID(), t.IsNumeric(), t == dict.TypeButton:
		if _, err := strconv.ParseInt(is, 10, 64); err == nil {
			return values.Cell{Kind: values.Number, Text: is}, nil
		}
		if d, err := erp.ParseDecimal(is); err == nil && t.IsNumeric() {
			return values.Cell{Kind: values.Number, Text: d.String()}, nil
		}
	}
	return values.Cell{Text: is}, nil
}
