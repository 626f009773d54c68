package tools

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/mcp"
)

type columnPrefixIn struct {
	Column string `json:"column,omitempty" jsonschema:"a column name to get advice for, such as XX_Remark_ID or IsPaid"`
}

type columnRule struct {
	Name    string `json:"name" jsonschema:"form of the name; … stands for your own word"`
	Type    string `json:"type" jsonschema:"display type that goes with it"`
	Meaning string `json:"meaning"`
}

type modulePrefix struct {
	Prefix string `json:"prefix"`
	Tables int    `json:"tables" jsonschema:"tables of this ERP with the prefix"`
	About  string `json:"about,omitempty"`
}

type columnAdvice struct {
	Column  string `json:"column"`
	Type    string `json:"type,omitempty" jsonschema:"display type that fits the name"`
	Table   string `json:"table,omitempty" jsonschema:"table the name points to"`
	Element string `json:"element,omitempty" jsonschema:"label that all columns of this name share, if the dictionary has the name"`
	Used    int    `json:"used" jsonschema:"columns of this name in the dictionary"`
	Advice  string `json:"advice"`
}

type columnPrefixOut struct {
	Rules    []columnRule   `json:"rules"`
	Prefixes []modulePrefix `json:"prefixes" jsonschema:"prefixes of tables, most used first"`
	Advice   *columnAdvice  `json:"advice,omitempty" jsonschema:"with column"`
}

// columnRules are how the ERP's own columns are named, the more special first.
func columnRules() []columnRule {
	return []columnRule{
		{"<Table>_ID", "ID", "the key of its own table; the standard columns have it"},
		{"<OtherTable>_ID", "Table Direct", "points to the table in its name, such as C_BPartner_ID; Search where there are many records"},
		{"…_ID of another word", "Table", "points to a table by pointsTo, such as SalesRep_ID to AD_User"},
		{"<Table>_UU", "UUID", "the UUID; the standard columns have it"},
		{"Is…, Has…", "Yes-No", "a flag, Y or N, with a default"},
		{"Date…, …Date", "Date", "a day; Date+Time with the time"},
		{"Qty…, …Qty", "Quantity", "an amount of something"},
		{"…Amt, Amt…, …Price", "Amount", "money; Costs+Prices for a price per unit"},
		{"…Rate, …Factor", "Number", "a plain decimal"},
		{"…No, …Count, SeqNo, Line", "Integer", "a whole number; DocumentNo is a String"},
		{"…URL", "URL", "an address"},
		{"…Status, …Type, …Rule", "List", "one of a list of codes, by values or reference"},
		{"XX_…", "any", "a name of your own that the dictionary does not have: the prefix keeps it apart from later releases"},
	}
}

// modules are the prefixes of the ERP's tables.
var modules = map[string]string{
	"AD": "application dictionary and system", "C": "common: partners, orders, invoices, payments", "M": "materials: products, stock, shipments, prices",
	"GL": "general ledger", "R": "requests", "S": "services and resources", "A": "assets", "I": "import", "T": "temporary data of reports", "RV": "report views",
	"PA": "performance and financial reports", "PP": "manufacturing", "DD": "distribution orders", "W": "web shop", "K": "knowledge base", "EXP": "export formats", "IMP": "import processors",
	"HR": "payroll", "FACT": "postings", "REST": "REST service", "XX": "custom tables",
}

func (b *Toolbox) getColumnPrefixHelp() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "getColumnPrefixHelp", Title: "Help on names", Sets: []string{SetTable}, Hints: readOnly,
		Description: "Tells how columns and tables are named, which display type goes with which name, and what this dictionary knows about one column name. Call it before createTable.",
		Input:       input[columnPrefixIn](shorter(63, "column")),
	}, ofDictionary(b, func(ctx context.Context, _ *mcp.Call, reg registry.Registry, in columnPrefixIn) (*columnPrefixOut, error) {
		list, err := reg.Tables(ctx, registry.ListQuery{})
		if err != nil {
			return nil, err
		}
		out := &columnPrefixOut{Rules: columnRules(), Prefixes: prefixesOf(list.Items)}
		if name := strings.TrimSpace(in.Column); name != "" {
			if out.Advice, err = adviceOn(ctx, reg, name); err != nil {
				return nil, err
			}
		}
		return out, nil
	}))
}

// prefixesOf counts what tables' names begin with.
func prefixesOf(tables []registry.Table) []modulePrefix {
	counts := map[string]int{}
	for i := range tables {
		if prefix, _, ok := strings.Cut(strings.ToUpper(tables[i].Name), "_"); ok {
			counts[prefix]++
		}
	}
	counts["XX"] += 0 // list it even if nobody has made a table yet
	var out []modulePrefix
	for _, prefix := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, modulePrefix{Prefix: prefix + "_", Tables: counts[prefix], About: modules[prefix]})
	}
	slices.SortStableFunc(out, func(a, b modulePrefix) int { return b.Tables - a.Tables })
	return out[:min(len(out), 40)]
}

// adviceOn is what the name of a column says.
func adviceOn(ctx context.Context, reg registry.Registry, name string) (*columnAdvice, error) {
	a := &columnAdvice{Column: name}
	used, err := reg.Columns(ctx, "", registry.ListQuery{Pattern: escapeLike(name)})
	if err != nil {
		return nil, err
	}
	if a.Used = used.Total; a.Used > 0 {
		first := used.Items[0]
		a.Column, a.Type, a.Table, a.Element = first.Name, mostUsedType(used.Items), first.ForeignTable, first.ElementName
		a.Advice = "the dictionary has this name: take it as it is, with its type, so that its label and help are shared"
		return a, nil
	}
	if table, ok := strings.CutSuffix(name, "_ID"); ok {
		t, err := reg.Table(ctx, table)
		switch {
		case err == nil:
			a.Type, a.Table, a.Advice = dict.TypeTableDir.String(), t.Name, "it points to "+t.Name+" by its name"
			return a, nil
		case !isMissing(err):
			return nil, err
		}
		a.Type, a.Advice = "Table", "no table is called "+clip(table, 63)+": give pointsTo, or correct the name"
		return a, nil
	}
	a.Type = typeByName(name)
	a.Advice = "the name is new: its label is made for it"
	if !strings.HasPrefix(strings.ToUpper(name), dict.CustomPrefix) {
		a.Advice = "the name is new: with the prefix " + dict.CustomPrefix + " it stays apart from names of later releases"
	}
	return a, nil
}

// escapeLike is a pattern that only the text itself fits.
func escapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// mostUsedType is the type that most of the columns have.
func mostUsedType(columns []registry.Column) string {
	counts := map[string]int{}
	best := ""
	for i := range columns {
		t := columns[i].TypeName
		if counts[t]++; counts[t] > counts[best] {
			best = t
		}
	}
	return best
}

// typeByName is the display type that the form of a name suggests, by [columnRules].
func typeByName(name string) string {
	word := name
	if len(name) > len(dict.CustomPrefix) && strings.EqualFold(name[:len(dict.CustomPrefix)], dict.CustomPrefix) {
		word = name[len(dict.CustomPrefix):]
	}
	for _, r := range columnRules()[:len(columnRules())-1] { // the last is for all others
		for form := range strings.SplitSeq(strings.ReplaceAll(r.Name, "<Table>", "…"), ", ") {
			begin, end, open := strings.Cut(form, "…")
			if word == form || open && strings.HasPrefix(word, begin) && strings.HasSuffix(word, end) {
				return r.Type
			}
		}
	}
	return dict.TypeString.String()
}
