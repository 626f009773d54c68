package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/mcp"
)

// The addresses of the resources.
const (
	guideURI     = "erp://guide/dictionary"
	templatesURI = "erp://templates"
	tableURI     = "erp://table/{table}"
	columnURI    = "erp://table/{table}/column/{column}"
	templateURI  = "erp://template/{name}"
)

const markdownType = "text/markdown"

// maxResource is how many bytes a description has at most.
const maxResource = 60 << 10

//go:embed resources_guide.md
var guide string

func (b *Toolbox) resources() []mcp.Resource {
	return []mcp.Resource{
		{
			URI: guideURI, Name: "dictionary-guide", Title: "Guide to the dictionary", MIMEType: markdownType,
			Description: "How the ERP's data model is built and what SQL over it has to know.",
			Read: func(_ context.Context, c *mcp.Call) (mcp.ResourceContent, error) {
				return mcp.ResourceContent{URI: guideURI, MIMEType: markdownType, Text: b.text(c, guide)}, nil
			},
		},
		{
			URI: templatesURI, Name: "query-templates", Title: "Query templates", MIMEType: markdownType,
			Description: "Ready reporting queries with their SQL.",
			Read: func(context.Context, *mcp.Call) (mcp.ResourceContent, error) {
				var text strings.Builder
				text.WriteString("# Query templates\n")
				for _, t := range templates() {
					text.WriteString("\n" + t.markdown())
				}
				return mcp.ResourceContent{URI: templatesURI, MIMEType: markdownType, Text: text.String()}, nil
			},
		},
	}
}

func (b *Toolbox) resourceTemplates() []mcp.ResourceTemplate {
	return []mcp.ResourceTemplate{
		{
			URITemplate: tableURI, Name: "table", Title: "Table", MIMEType: markdownType,
			Description: "A table of the dictionary with its columns and what they point to.",
			Complete:    map[string]mcp.Completer{"table": b.completeTable},
			Read: func(ctx context.Context, c *mcp.Call, uri string, v map[string]string) (mcp.ResourceContent, error) {
				t, err := b.resourceTable(ctx, c, uri, v["table"])
				if err != nil {
					return mcp.ResourceContent{}, err
				}
				return mcp.ResourceContent{URI: uri, MIMEType: markdownType, Text: b.text(c, tableText(t))}, nil
			},
		},
		{
			URITemplate: columnURI, Name: "column", Title: "Column", MIMEType: markdownType,
			Description: "A column of a table in full.",
			Complete:    map[string]mcp.Completer{"table": b.completeTable, "column": b.completeColumn},
			Read: func(ctx context.Context, c *mcp.Call, uri string, v map[string]string) (mcp.ResourceContent, error) {
				t, err := b.resourceTable(ctx, c, uri, v["table"])
				if err != nil {
					return mcp.ResourceContent{}, err
				}
				col, ok := t.Column(v["column"])
				if !ok {
					return mcp.ResourceContent{}, mcp.NoResource(uri, near(columnURI, v["column"], mapped(t.Columns, columnName), "{table}", t.Name, "{column}")...)
				}
				return mcp.ResourceContent{URI: uri, MIMEType: markdownType, Text: columnText(&col)}, nil
			},
		},
		{
			URITemplate: templateURI, Name: "query-template", Title: "Query template", MIMEType: markdownType,
			Description: "A ready reporting query with its SQL and parameters.",
			Complete:    map[string]mcp.Completer{"name": completeTemplate},
			Read: func(_ context.Context, _ *mcp.Call, uri string, v map[string]string) (mcp.ResourceContent, error) {
				t, err := findTemplate(v["name"])
				if err != nil {
					return mcp.ResourceContent{}, mcp.NoResource(uri, near(templateURI, v["name"], templateNames(), "{name}")...)
				}
				return mcp.ResourceContent{URI: uri, MIMEType: markdownType, Text: t.markdown()}, nil
			},
		},
		b.fileTemplate(),
	}
}

// near are the addresses of those names that resemble a word. values are pairs of
// a variable and its value; the last variable takes the name.
func near(address, word string, names []string, values ...string) []string {
	var out []string
	for _, name := range mcp.Nearest(word, names) {
		out = append(out, strings.NewReplacer(append(slices.Clone(values), name)...).Replace(address))
	}
	return out
}

func (b *Toolbox) resourceTable(ctx context.Context, c *mcp.Call, uri, name string) (*registry.Table, error) {
	reg, err := b.registry(ctx, c)
	if err != nil {
		return nil, err
	}
	t, err := reg.Table(ctx, name)
	var missing *registry.NotFoundError
	if errors.As(err, &missing) {
		similar := missing.Suggestions[:min(len(missing.Suggestions), 3)]
		for i, suggestion := range similar {
			similar[i] = strings.Replace(tableURI, "{table}", suggestion, 1)
		}
		return nil, mcp.NoResource(uri, similar...)
	}
	if err != nil {
		return nil, err
	}
	return &t, nil
}

func (t *template) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s (%s, topic %s)\n", t.Title, t.About, t.Name, t.Topic)
	for i, p := range t.Params {
		fmt.Fprintf(&b, "\n- $%d %s: %s, such as %s", i+1, p.Name, p.About, p.Example)
	}
	if len(t.Params) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n```sql\n%s\n```\n", t.SQL)
	return b.String()
}

// cell is text from the dictionary that fits into a line of a table.
func cell(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "|", "/")), " ")
	return clip(text, 160)
}

// tableText describes a table, bounded, with a word about what was left out.
func tableText(t *registry.Table) string {
	var b strings.Builder
	kind := "table"
	if t.View {
		kind = "view"
	}
	fmt.Fprintf(&b, "# %s\n\n%s %s, access level %s, entity type %s.\n", t.Name, kind, cell(t.Label), t.AccessLevel, cell(t.EntityType))
	for _, text := range []string{t.Description, t.Help} {
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n", clip(text, 2000))
		}
	}
	b.WriteString("\n| column | type | about |\n|---|---|---|\n")
	for i := range t.Columns {
		col := &t.Columns[i]
		if b.Len() > maxResource {
			fmt.Fprintf(&b, "\nTruncated: %d of %d columns are shown; describeTable pages through all of them.\n", i, len(t.Columns))
			break
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", col.Name, cell(col.TypeName), cell(strings.Join(facts(col), "; ")))
	}
	return b.String()
}

// facts are what is worth knowing of a column, in words.
func facts(col *registry.Column) []string {
	var out []string
	for _, f := range []struct {
		is   bool
		word string
	}{
		{col.Key, "key"}, {col.Parent, "parent"}, {col.Mandatory, "mandatory"}, {col.Virtual(), "computed, not for SQL"}, {col.Encrypted || col.Secure, "masked in queries"},
	} {
		if f.is {
			out = append(out, f.word)
		}
	}
	if col.ForeignTable != "" {
		out = append(out, "points to "+col.ForeignTable)
	}
	if col.Type.IsList() && col.Reference != "" {
		out = append(out, "list "+col.Reference)
	}
	if label := differs(col.Label, col.Name); label != "" {
		out = append(out, label)
	}
	if col.Description != "" {
		out = append(out, col.Description)
	}
	return out
}

func columnText(col *registry.Column) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s.%s\n\n", col.Table, col.Name)
	for _, f := range []struct{ name, text string }{
		{"Label", col.Label}, {"Type", col.TypeName}, {"Facts", strings.Join(facts(col), "; ")}, {"Default", col.Default}, {"Validation rule", col.ValRule},
		{"Description", col.Description}, {"Help", col.Help},
	} {
		if f.text != "" {
			fmt.Fprintf(&b, "- %s: %s\n", f.name, clip(strings.Join(strings.Fields(f.text), " "), 2000))
		}
	}
	return b.String()
}
