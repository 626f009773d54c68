package restdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// Process is a process of the ERP.
type Process struct {
	ID     int64
	Value  string // search key
	Name   string
	Class  string
	Slug   string // address it is run by
	Active bool
}

// processFacts says what the process for a purpose looks like.
type processFacts struct {
	task    string
	value   string   // search key in the ERP's own dictionary
	classes []string // its class without package, and what plug-ins call theirs
}

// purposes is read only.
var purposes = map[dict.Purpose]processFacts{
	dict.SyncTable:     {"synchronise a table with the database", "AD_Column Sync", []string{"ColumnSync"}},
	dict.ValidateIndex: {"build an index", "AD_TableIndex Validate", []string{"TableIndexValidate"}},
	dict.ImportPackage: {"import a package", "PackIn", []string{"PackIn", "PackInProcess"}},
	dict.RenameColumn:  {"rename a column", "DatabaseTableColumnRename", []string{"DatabaseTableColumnRename"}},
	dict.RenameTable:   {"rename a table", "DatabaseTableRename", []string{"DatabaseTableRename"}},
}

// fits reports whether a process serves the purpose: by its search key, or by
// its class, whichever package that is in.
func (f processFacts) fits(p *Process) bool {
	if strings.EqualFold(p.Value, f.value) {
		return true
	}
	class := p.Class[strings.LastIndexByte(p.Class, '.')+1:]
	return slices.Contains(f.classes, class)
}

// FindProcess finds the process that serves a purpose. configured is the slug or
// AD_Process_ID from a configuration, or empty; the process found under it is
// checked, and when it is something else the error is a [*WrongProcessError].
// Without configuration the process is found by its search key or its class;
// the error is a [*NoProcessError] when it is missing.
func FindProcess(ctx context.Context, c *erp.Client, purpose dict.Purpose, configured string) (*Process, error) {
	facts, ok := purposes[purpose]
	if !ok {
		return nil, fmt.Errorf("no process is known for the purpose %q", purpose)
	}
	if configured == "" {
		return searchProcess(ctx, c, purpose, facts)
	}
	p, err := readProcess(ctx, c, configured)
	switch {
	case errors.Is(err, erp.ErrNotFound):
		return nil, &WrongProcessError{Purpose: purpose, Given: configured}
	case err != nil:
		return nil, fmt.Errorf("reading the process %q that is to %s: %w", configured, facts.task, err)
	case !p.Active || !facts.fits(p):
		return nil, &WrongProcessError{Purpose: purpose, Given: configured, Found: p}
	}
	return p, nil
}

// readProcess reads what a slug or number stands for.
func readProcess(ctx context.Context, c *erp.Client, given string) (*Process, error) {
	number, err := strconv.ParseInt(given, 10, 64)
	slug := ""
	if err != nil {
		info, err := c.Process(ctx, given)
		if err != nil {
			return nil, err
		}
		number, slug = info.ID, info.Slug
	}
	rec, err := c.Get(ctx, "AD_Process", erp.IntID(number), &erp.GetOptions{Select: processColumns})
	if err != nil {
		return nil, err
	}
	p, err := processOf(rec)
	if err == nil && slug != "" {
		p.Slug = slug
	}
	return p, err
}

var processColumns = []string{"Value", "Name", "Classname", "IsActive"}

func processOf(rec erp.Record) (*Process, error) {
	id, ok := rec.ID().Int()
	if !ok {
		return nil, fmt.Errorf("the server gave a process without an id")
	}
	p := &Process{ID: id}
	p.Value, _ = rec.Text("Value")
	p.Name, _ = rec.Text("Name")
	p.Class, _ = rec.Text("Classname")
	p.Active, ok = rec.Bool("IsActive")
	p.Active = p.Active || !ok
	slug, ok := erp.Slug(p.Value)
	if !ok {
		return nil, fmt.Errorf("process %d has the search key %q, which has no address in the REST API", id, p.Value)
	}
	p.Slug = slug
	return p, nil
}

func searchProcess(ctx context.Context, c *erp.Client, purpose dict.Purpose, facts processFacts) (*Process, error) {
	conditions := []erp.Filter{erp.Eq("Value", facts.value)}
	for _, class := range facts.classes {
		conditions = append(conditions, erp.EndsWith("Classname", "."+class))
	}
	var found []*Process
	for rec, err := range c.Records(ctx, "AD_Process", &erp.Query{Filter: erp.Or(conditions...), Select: processColumns}) {
		if err != nil {
			return nil, fmt.Errorf("looking for the process to %s: %w", facts.task, err)
		}
		p, err := processOf(rec)
		if err == nil && p.Active && facts.fits(p) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return nil, &NoProcessError{Purpose: purpose}
	}
	// The one with the ERP's own search key comes first, then the oldest.
	return slices.MinFunc(found, func(a, b *Process) int {
		own := func(p *Process) int {
			if strings.EqualFold(p.Value, facts.value) {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(a.ID, b.ID))
	}), nil
}
