package tools

import (
	"context"
	"strings"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/mcp"
)

type searchRegistryIn struct {
	Query  string   `json:"query,omitempty" jsonschema:"words or a question in the user's language, such as: customer group"`
	Kinds  []string `json:"kinds,omitempty" jsonschema:"only these; empty: all"`
	Column string   `json:"column,omitempty" jsonschema:"only tables that have this column"`
	Limit  int      `json:"limit,omitempty" jsonschema:"most hits to return"`
}

type hitLine struct {
	Kind        string   `json:"kind"`
	Name        string   `json:"name"`
	Label       string   `json:"label,omitempty"`
	Description string   `json:"description,omitempty"`
	Tables      []string `json:"tables,omitempty" jsonschema:"of a column: tables that have it, ten at most"`
	InTables    int      `json:"inTables,omitempty" jsonschema:"of a column: how many tables have it"`
	Why         string   `json:"why,omitempty" jsonschema:"what matched: name, label, synonym …"`
}

type searchRegistryOut struct {
	Hits        []hitLine `json:"hits" jsonschema:"best first"`
	Total       int       `json:"total" jsonschema:"how many there are altogether"`
	Truncated   bool      `json:"truncated" jsonschema:"whether there are more: use more words or a higher limit"`
	Suggestions []string  `json:"suggestions,omitempty" jsonschema:"names close to the words, when nothing has all of them"`
	noted
}

var searchKinds = []registry.SearchKind{registry.SearchTable, registry.SearchColumn, registry.SearchWindow, registry.SearchProcess, registry.SearchReference}

func (b *Toolbox) searchRegistry() mcp.Tool {
	in := input[searchRegistryIn](between("limit", 1, 100, 20), shorter(300, "query", "column"))
	property(in, "kinds").Items.Enum = anyOf(searchKinds)
	return mcp.New(mcp.Tool{
		Name: "searchRegistry", Title: "Search the dictionary", Sets: []string{SetRegistry, SetQuery}, Hints: readOnly,
		Description: "Finds tables, columns, windows, processes and references by words in names, labels, descriptions and common synonyms (customer, stock, ledger); typing errors are forgiven. Start here when you do not know the name.",
		Input:       in,
	}, ofDictionary(b, func(ctx context.Context, _ *mcp.Call, reg registry.Registry, in searchRegistryIn) (*searchRegistryOut, error) {
		if strings.TrimSpace(in.Query) == "" && in.Column == "" {
			return nil, fail(mcp.CodeInvalidArguments, `such as {"query": "sales order line"}`, "the query is empty")
		}
		q := registry.SearchQuery{Text: in.Query, Column: in.Column, Limit: in.Limit}
		q.Kinds = mapped(in.Kinds, func(k *string) registry.SearchKind { return registry.SearchKind(*k) })
		found, err := reg.Search(ctx, q)
		if err != nil {
			return nil, err
		}
		lines := mapped(found.Hits, func(h *registry.SearchHit) hitLine {
			return hitLine{Kind: string(h.Kind), Name: h.Name, Label: differs(h.Label, h.Name), Description: clip(h.Description, 120), Tables: h.Tables, InTables: h.TableCount, Why: h.Why}
		})
		out := &searchRegistryOut{Hits: fitting(lines), Total: found.Total, Suggestions: found.Suggestions}
		out.Truncated = out.Total > len(out.Hits)
		return out, nil
	}))
}

type getStatisticsOut struct {
	Tables       int            `json:"tables" jsonschema:"views included"`
	Views        int            `json:"views"`
	CustomTables int            `json:"customTables" jsonschema:"with the prefix XX_"`
	Columns      int            `json:"columns"`
	Windows      int            `json:"windows"`
	Tabs         int            `json:"tabs"`
	Processes    int            `json:"processes" jsonschema:"reports included"`
	Reports      int            `json:"reports"`
	References   int            `json:"references"`
	ByEntityType map[string]int `json:"tablesByEntityType"`
	ByAccess     map[string]int `json:"tablesByAccessLevel"`
	Source       string         `json:"source,omitempty" jsonschema:"the ERP it was read from"`
	Loaded       string         `json:"loaded,omitempty" jsonschema:"when it was read, or found unchanged"`
	noted
}

func (b *Toolbox) getStatistics() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "getStatistics", Title: "Count the dictionary", Sets: []string{SetRegistry}, Hints: readOnly,
		Description: "Counts what is in the dictionary: tables, columns, windows, processes, by entity type and access level.",
	}, ofDictionary(b, func(ctx context.Context, _ *mcp.Call, reg registry.Registry, _ struct{}) (*getStatisticsOut, error) {
		s, err := reg.Statistics(ctx)
		if err != nil {
			return nil, err
		}
		out := &getStatisticsOut{
			Tables: s.Tables, Views: s.Views, CustomTables: s.CustomTables, Columns: s.Columns, Windows: s.Windows, Tabs: s.Tabs,
			Processes: s.Processes, Reports: s.Reports, References: s.References, ByEntityType: s.TablesByEntityType, ByAccess: map[string]int{}, Source: s.Origin,
			Loaded: timeText(s.Loaded),
		}
		for level, n := range s.TablesByAccessLevel {
			out.ByAccess[level.String()] = n
		}
		return out, nil
	}))
}
