package dictionary

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/registry"
)

// dictBrowseCommands are the commands that look into the dictionary.
func (a *app) dictBrowseCommands() []*cli.Command {
	const kept = "The dictionary is read once and kept in the cache folder of the user; what changed since is read anew each time."
	return []*cli.Command{
		{
			Name: "list", Usage: "list tables", ArgsUsage: "[PATTERN]", Action: a.dictList,
			Description: "A pattern is a part of the name, or the whole with * and ?, in any case: 'XX_*'. " + kept,
			Flags: append([]cli.Flag{
				&cli.StringFlag{Name: "entity-type", Usage: "only tables that belong to this entity type, such as U"},
				&cli.BoolFlag{Name: "custom", Usage: "only tables whose names start with XX_"},
				&cli.IntFlag{Name: "top", Usage: "most tables to list"},
			}, shell.OutputFlags()...),
		},
		{
			Name: "search", Usage: "find tables, columns, windows, processes and references by what they are about", ArgsUsage: "WORDS...", Action: a.dictSearch,
			Description: "Looks at names, labels, descriptions and common synonyms (customer, stock, ledger) and forgives typing errors. " + kept,
			Flags: append([]cli.Flag{
				&cli.StringSliceFlag{Name: "kind", Usage: "only these: table, column, window, process, reference; may be given several times"},
				&cli.StringFlag{Name: "column", Usage: "only tables that have this column"},
				&cli.IntFlag{Name: "top", Value: 20, Usage: "most hits to list"},
			}, shell.OutputFlags()...),
		},
		{
			Name: "describe", Usage: "describe a table or a column", ArgsUsage: "TABLE[.COLUMN]", Action: shell.Takes(a.dictDescribe, "a table, or a table and a column, such as C_Order or C_Order.DocStatus"),
			Description: "Of a table: its columns, its windows and the tables that refer to it; -o wide tells more of each column. Of a column: all there " +
				"is to say, with the values of its list. " + kept,
			Flags: append([]cli.Flag{
				&cli.BoolFlag{Name: "lines", Usage: "describe a table in the few lines that assistants get: columns by type, ! for mandatory, >T for those that point to table T"},
			}, shell.OutputFlags()...),
		},
	}
}

// nameLike turns a pattern for names into one of SQL's LIKE: * and ? stand for any text
// and any character; without them it is a part of the name.
func nameLike(pattern string) string {
	if pattern == "" {
		return ""
	}
	if !strings.ContainsAny(pattern, "*?") {
		pattern = "*" + pattern + "*"
	}
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`, "*", "%", "?", "_").Replace(pattern)
}

// tableLine is a table of a list.
type tableLine struct {
	Name        string `json:"name"`
	Label       string `json:"label,omitempty"`
	EntityType  string `json:"entityType"`
	Access      string `json:"access"`
	Columns     int    `json:"columns"`
	View        bool   `json:"view,omitempty"`
	Description string `json:"description,omitempty"`
}

func (a *app) dictList(c *cli.Context) error {
	if c.NArg() > 1 {
		return shell.Usagef("dict list takes one pattern, got %d arguments; put quotes around it: 'XX_*'", c.NArg())
	}
	if c.Int("top") < 0 {
		return shell.Usagef("--top %d: give the most tables to list", c.Int("top"))
	}
	reg, err := a.dictionary(c)
	if err != nil {
		return err
	}
	found, err := reg.Tables(c.Context, registry.ListQuery{Pattern: nameLike(c.Args().First()), EntityType: c.String("entity-type"),
		CustomOnly: c.Bool("custom"), Limit: c.Int("top")})
	if err != nil {
		return err
	}
	lines, rows := []tableLine{}, [][]string{}
	for _, t := range found.Items {
		l := tableLine{t.Name, t.Label, t.EntityType, t.AccessLevel.String(), t.ColumnCount, t.View, t.Description}
		lines = append(lines, l)
		rows = append(rows, []string{l.Name, l.Label, l.EntityType, l.Access, strconv.Itoa(l.Columns), shell.YesNo(l.View), l.Description})
	}
	columns := output.Columns("table=name", "label", "entity type=entityType", "access", ">columns", "view", "description")
	columns[5].Wide, columns[6].Wide = true, true
	err = a.Print(c, lines, output.Table{Columns: columns, Rows: rows,
		Empty: "no table has such a name; `erphub dict search WORDS` looks at labels and descriptions, too"})
	if err != nil {
		return err
	}
	if found.Total > len(lines) {
		a.Note("%d of %d tables; --top lists more", len(lines), found.Total)
	}
	return nil
}

// hitLine is a hit of a search.
type hitLine struct {
	Kind        registry.SearchKind `json:"kind"`
	Name        string              `json:"name"`
	Label       string              `json:"label,omitempty"`
	Description string              `json:"description,omitempty"`
	Tables      []string            `json:"tables,omitempty"`
	InTables    int                 `json:"inTables,omitempty"`
	Why         string              `json:"why,omitempty"`
}

// searchReport is what a search found.
type searchReport struct {
	Hits        []hitLine `json:"hits"`
	Total       int       `json:"total"`
	Suggestions []string  `json:"suggestions,omitempty"`
}

// searchKinds reads kinds of things to look for, in the singular or the plural.
func searchKinds(given []string) ([]registry.SearchKind, error) {
	var kinds []registry.SearchKind
	for _, kind := range given {
		i := slices.IndexFunc(allKinds, func(k registry.SearchKind) bool {
			return strings.EqualFold(string(k), kind) || strings.EqualFold(string(k)+"s", kind)
		})
		if i < 0 {
			return nil, shell.Usagef("--kind %s: use table, column, window, process or reference", kind)
		}
		kinds = append(kinds, allKinds[i])
	}
	return kinds, nil
}

// allKinds are what can be looked for.
var allKinds = []registry.SearchKind{
	registry.SearchTable, registry.SearchColumn, registry.SearchWindow, registry.SearchProcess, registry.SearchReference,
}

func (a *app) dictSearch(c *cli.Context) error {
	q := registry.SearchQuery{Text: strings.Join(c.Args().Slice(), " "), Column: c.String("column"), Limit: c.Int("top")}
	if strings.TrimSpace(q.Text) == "" && q.Column == "" {
		return shell.Usagef("dict search takes words, such as `erphub dict search sales order line`")
	}
	if q.Limit < 1 {
		return shell.Usagef("--top %d: give the most hits to list", q.Limit)
	}
	var err error
	if q.Kinds, err = searchKinds(c.StringSlice("kind")); err != nil {
		return err
	}
	reg, err := a.dictionary(c)
	if err != nil {
		return err
	}
	found, err := reg.Search(c.Context, q)
	if err != nil {
		return err
	}
	r := searchReport{Hits: []hitLine{}, Total: found.Total, Suggestions: found.Suggestions}
	var rows [][]string
	for _, h := range found.Hits {
		r.Hits = append(r.Hits, hitLine{h.Kind, h.Name, h.Label, h.Description, h.Tables, h.TableCount, h.Why})
		where := h.Description
		if h.Kind == registry.SearchColumn {
			where = fmt.Sprintf("in %s", strings.Join(h.Tables[:min(3, len(h.Tables))], ", "))
			if more := h.TableCount - 3; more > 0 {
				where += fmt.Sprintf(" and %d more", more)
			}
		}
		rows = append(rows, []string{string(h.Kind), h.Name, h.Label, where, h.Why})
	}
	hint := "try other words"
	if len(r.Suggestions) > 0 {
		hint = "close to it: " + strings.Join(r.Suggestions, ", ")
	}
	columns := output.Columns("kind", "name", "label", "what=description", "found by=why")
	columns[1].ID = true
	if err := a.Print(c, r, output.Table{Columns: columns, Rows: rows, List: "hits", Empty: "nothing is about that; " + hint}); err != nil {
		return err
	}
	if r.Total > len(rows) {
		a.Note("%d of %d hits; use more words, or --top", len(rows), r.Total)
	}
	return nil
}

// searchHint adds to the error of a name that is not in the dictionary how to find it.
func searchHint(err error) error {
	var missing *registry.NotFoundError
	if !errors.As(err, &missing) || missing.Empty {
		return err
	}
	return fmt.Errorf("%w; `erphub dict search WORDS` looks at names, labels and descriptions", err)
}
