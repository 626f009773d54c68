package tools

import (
	"context"
	"errors"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

type windowLine struct {
	ID          int       `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Type        string    `json:"type,omitempty"`
	Tabs        []tabLine `json:"tabs,omitempty"`
}

type tabLine struct {
	Name   string   `json:"name"`
	Table  string   `json:"table"`
	Level  int      `json:"level,omitempty" jsonschema:"0 is the header"`
	Where  string   `json:"where,omitempty"`
	Fields []string `json:"fields,omitempty" jsonschema:"columns shown, in order"`
}

type listWindowsIn struct {
	Pattern string `json:"pattern,omitempty" jsonschema:"SQL LIKE pattern of the window's name in any case, such as Sales%"`
	Window  string `json:"window,omitempty" jsonschema:"name of one window: returns its tabs and fields, which are what is counted and paged then"`
	Limit   int    `json:"limit,omitempty" jsonschema:"most windows to return"`
	turning
}

type listWindowsOut struct {
	Windows []windowLine `json:"windows"`
	paged
}

var windowTypes = map[dict.WindowType]string{
	dict.WindowMaintain: "maintain", dict.WindowTransaction: "transaction", dict.WindowQueryOnly: "query only", dict.WindowSingle: "single record",
}

func (b *Toolbox) listWindows() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "listWindows", Title: "List windows", Sets: []string{SetRegistry}, Hints: readOnly,
		Description: "Lists the ERP's windows by a pattern, or shows one with its tabs, their tables and fields.",
		Input:       input[listWindowsIn](between("limit", 1, 500, 50), shorter(200, "pattern", "window")),
	}, ofPages(b, func(ctx context.Context, reg registry.Registry, in listWindowsIn, p pager) (out *listWindowsOut, err error) {
		out = &listWindowsOut{}
		if in.Window == "" {
			out.Windows, out.paged, err = listing(ctx, p, registry.ListQuery{Pattern: in.Pattern, Limit: in.Limit}, reg.Windows, windowOf)
			return out, err
		}
		w, err := reg.Window(ctx, in.Window)
		if err != nil {
			return nil, err
		}
		line := windowOf(&w)
		line.Tabs, out.paged = part(p, w.Tabs, tabOf)
		out.Windows = []windowLine{line}
		return out, nil
	}))
}

func tabOf(tab *registry.Tab) tabLine {
	line := tabLine{Name: tab.Name, Table: tab.Table, Level: tab.Level, Where: clip(tab.Where, 200)}
	for _, f := range tab.Fields {
		if f.Displayed {
			line.Fields = append(line.Fields, f.Column)
		}
	}
	return line
}

func windowOf(w *registry.Window) windowLine {
	return windowLine{ID: w.ID, Name: w.Name, Description: clip(w.Description, 120), Type: windowTypes[w.Type]}
}

type processLine struct {
	ID          int             `json:"id"`
	Value       string          `json:"value" jsonschema:"search key: what executeProcess takes"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Report      bool            `json:"report,omitempty"`
	Parameters  []parameterLine `json:"parameters,omitempty"`
}

type parameterLine struct {
	Name       string `json:"name"`
	Label      string `json:"label,omitempty"`
	Type       string `json:"type"`
	References string `json:"references,omitempty"`
	Mandatory  bool   `json:"mandatory,omitempty"`
	Range      bool   `json:"range,omitempty" jsonschema:"has an upper bound as well, named like it with _to"`
	Default    string `json:"default,omitempty"`
}

type listProcessesIn struct {
	Filter  string `json:"filter,omitempty" jsonschema:"SQL LIKE pattern of search key or name in any case, such as %invoice%; without % it is searched within"`
	Process string `json:"process,omitempty" jsonschema:"one process, by search key, name, slug, number or UUID: with its parameters, which are counted and paged then"`
	Limit   int    `json:"limit,omitempty" jsonschema:"most processes to return"`
	turning
}

type listProcessesOut struct {
	Processes []processLine `json:"processes"`
	paged
}

func (b *Toolbox) listProcesses() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "listProcesses", Title: "List processes", Sets: []string{SetRegistry, SetChat, SetRecords}, Hints: readOnly,
		Description: "Lists processes and reports, or shows one with its parameters. Look at the parameters before executeProcess.",
		Input:       input[listProcessesIn](between("limit", 1, 500, 50), shorter(200, "filter", "process")),
	}, ofPages(b, func(ctx context.Context, reg registry.Registry, in listProcessesIn, p pager) (out *listProcessesOut, err error) {
		out = &listProcessesOut{}
		if in.Process == "" {
			out.Processes, out.paged, err = listing(ctx, p, registry.ListQuery{Pattern: within(in.Filter), Limit: in.Limit}, reg.Processes, processOf)
			return out, err
		}
		process, err := findProcess(ctx, reg, in.Process)
		if err != nil {
			return nil, err
		}
		line := processOf(&process)
		line.Parameters, out.paged = part(p, process.Parameters, func(par *registry.Parameter) parameterLine {
			return parameterLine{
				Name: par.Column, Label: differs(par.Name, par.Column), Type: par.TypeName, References: par.ForeignTable,
				Mandatory: par.Mandatory, Range: par.Range, Default: par.Default,
			}
		})
		out.Processes = []processLine{line}
		return out, nil
	}))
}

// within makes a pattern of text that has none of its signs.
func within(text string) string {
	if text == "" || strings.Contains(text, "%") {
		return text
	}
	return "%" + text + "%"
}

// findProcess finds a process by search key, name, number, UUID, or the slug that
// the ERP's REST API has for it.
func findProcess(ctx context.Context, reg registry.Registry, given string) (registry.Process, error) {
	p, err := reg.Process(ctx, given)
	if !errors.Is(err, registry.ErrNotFound) {
		return p, err
	}
	list, listErr := reg.Processes(ctx, registry.ListQuery{})
	if listErr != nil {
		return p, listErr
	}
	for _, found := range list.Items {
		if slug, ok := erp.Slug(found.Value); ok && slug == given {
			return reg.Process(ctx, found.Value)
		}
	}
	return p, err
}

func processOf(p *registry.Process) processLine {
	return processLine{ID: p.ID, Value: p.Value, Name: p.Name, Description: clip(p.Description, 120), Report: p.Report}
}

type valueLine struct {
	Value string `json:"value" jsonschema:"what is stored, and what SQL and filters compare with"`
	Name  string `json:"name"`
}

type referenceLine struct {
	ID          int         `json:"id"`
	Name        string      `json:"name"`
	Kind        string      `json:"kind" jsonschema:"list of values, lookup of records, or data type"`
	Description string      `json:"description,omitempty"`
	Table       string      `json:"table,omitempty" jsonschema:"of a lookup: where the records are"`
	Key         string      `json:"key,omitempty" jsonschema:"of a lookup: column that is stored"`
	Display     string      `json:"display,omitempty" jsonschema:"of a lookup: column that is shown"`
	Values      []valueLine `json:"values,omitempty" jsonschema:"of a list"`
}

type listReferencesIn struct {
	Pattern   string `json:"pattern,omitempty" jsonschema:"SQL LIKE pattern of the reference's name in any case, such as %Status%"`
	Reference string `json:"reference,omitempty" jsonschema:"name of one reference: returns its values, which are counted and paged then, or its lookup"`
	Limit     int    `json:"limit,omitempty" jsonschema:"most references to return"`
	turning
}

type listReferencesOut struct {
	References []referenceLine `json:"references"`
	paged
}

var referenceKinds = map[registry.ReferenceKind]string{registry.ReferenceList: "list", registry.ReferenceTable: "lookup", registry.ReferenceType: "data type"}

func (b *Toolbox) listReferences() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "listReferences", Title: "List references", Sets: []string{SetRegistry}, Hints: readOnly,
		Description: "Lists references: the value lists and lookups of columns. Give one to see which codes a list column stores, such as DocStatus CO for completed.",
		Input:       input[listReferencesIn](between("limit", 1, 500, 50), shorter(200, "pattern", "reference")),
	}, ofPages(b, func(ctx context.Context, reg registry.Registry, in listReferencesIn, p pager) (out *listReferencesOut, err error) {
		out = &listReferencesOut{}
		if in.Reference == "" {
			out.References, out.paged, err = listing(ctx, p, registry.ListQuery{Pattern: in.Pattern, Limit: in.Limit}, reg.References, referenceOf)
			return out, err
		}
		r, err := reg.Reference(ctx, in.Reference)
		if err != nil {
			return nil, err
		}
		line := referenceOf(&r)
		line.Values, out.paged = part(p, r.Values, func(v *registry.ListValue) valueLine { return valueLine{v.Value, v.Name} })
		out.References = []referenceLine{line}
		return out, nil
	}))
}

func referenceOf(r *registry.Reference) referenceLine {
	line := referenceLine{ID: r.ID, Name: r.Name, Kind: referenceKinds[r.Kind], Description: clip(r.Description, 120)}
	if r.Lookup != nil {
		line.Table, line.Key, line.Display = r.Lookup.Table, r.Lookup.Key, r.Lookup.Display
	}
	return line
}
