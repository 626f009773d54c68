package tablefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/dict"
)

// referenceParts are the objects of the format in the order of the reference.
var referenceParts = []struct {
	def   string // "": the document
	typ   reflect.Type
	title string
	about string
}{
	{"", reflect.TypeFor[document](), "Table", "One document describes one table. A file holds one document, or several separated by lines of three dashes."},
	{"column", reflect.TypeFor[column](), "Column", "An entry of `columns`, and of `columns` of `import`. A column that chooses from values has one of `reference`, `list` and `lookup`."},
	{"existing", reflect.TypeFor[existing](), "Existing reference", "`reference` of a column: a record of AD_Reference that the ERP has. The name alone stands for the whole object."},
	{"list", reflect.TypeFor[list](), "List", "`list` of a column: a list of values that is created."},
	{"entry", reflect.TypeFor[entry](), "List value", "An entry of `values` of a list."},
	{"lookup", reflect.TypeFor[lookup](), "Lookup", "`lookup` of a column: a table reference that is created."},
	{"index", reflect.TypeFor[index](), "Index", "An entry of `indexes`."},
	{"importing", reflect.TypeFor[importing](), "Import target", "`import` of a table that rows are loaded into before they become records of another."},
	{"window", reflect.TypeFor[window](), "Window", "`window` of a table."},
}

const fileReferenceHead = `# Table files

A table file describes tables of the Application Dictionary in YAML. ` + "`erphub dict plan`" + `, ` + "`apply`" + `, ` + "`diff`" + ` and ` + "`lint`" + ` read it, and
` + "`erphub dict inspect`" + ` writes it; [dictionary-as-code.md](dictionary-as-code.md) shows how they are used.

- ` + "`erphub dict schema`" + ` prints the JSON Schema. Editors with a YAML language server complete and check files by it when the first line
  names it as below.
- Leave out what has its default. A yes/no key that is left out is false, unless its row says otherwise.
- Unknown keys, keys given twice, empty values and values of another type are errors with file, line and column.
- A name has the letters A to Z and a to z, digits and underscores, and begins with a letter.
- Anchors, aliases and merge keys may be used; what they expand to is bounded.

This page is written by a test from the schema (` + "`go test ./internal/tablefile -run TestFileReference -update`" + `).

## Example

Two tables with most of what a file can say. A test reads this file, checks it and makes a plan of it.

`

// The reference of the files is what the schema says.
func TestFileReference(t *testing.T) {
	t.Parallel()
	want := fileReference(t)
	path := filepath.Join("..", "..", "docs", "table-files.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, want == string(got), "docs/table-files.md is not what the code says: go test ./internal/tablefile -run TestFileReference -update")
}

func fileReference(t *testing.T) string {
	t.Helper()
	var root schemaNode
	require.NoError(t, json.Unmarshal(Schema(), &root))
	require.Len(t, referenceParts, len(root.Defs)+1, "referenceParts has every object of the schema")
	example, err := os.ReadFile(filepath.Join("testdata", "complete.yaml"))
	require.NoError(t, err)

	var b strings.Builder
	b.WriteString(fileReferenceHead)
	fmt.Fprintf(&b, "```yaml\n%s```\n", example)
	for _, part := range referenceParts {
		node := &root
		if part.def != "" {
			node = root.Defs[part.def]
			require.NotNil(t, node, part.def)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| Key | Type | Allowed | Default | What it is |\n|---|---|---|---|---|\n", part.title, part.about)
		fields := fieldsOf(part.typ)
		require.Len(t, node.Properties, len(fields), part.title)
		for _, f := range fields {
			p := node.Properties[f.key]
			require.NotNil(t, p, f.key)
			about, def, _ := strings.Cut(p.Description, " Default: ")
			def = strings.TrimSuffix(def, ".")
			if f.need {
				def = "**required**"
			}
			fileRow(&b, "`"+f.key+"`", typeText(t, p), allowedText(p), def, about)
		}
	}

	b.WriteString("\n## Words\n\nWhat the words of keys stand for in the dictionary.\n\n| Key | Word | Value in the dictionary |\n|---|---|---|\n")
	for _, set := range []struct{ key, name string }{
		{"access", "access"}, {"replication", "replication"}, {"foreignKey", "foreignKey"}, {"type of a window", "window"},
	} {
		for _, w := range wordSets(set.name) {
			fileRow(&b, set.key, "`"+w.word+"`", "`"+w.code+"`")
		}
	}

	b.WriteString("\n## Templates\n\nColumns that a template adds, with their display types. In a table they come before its own columns, in this order.\n\n| Template | Columns |\n|---|---|\n")
	for _, tpl := range dict.Templates() {
		var columns []string
		for _, c := range tpl.Columns("TABLE") {
			columns = append(columns, fmt.Sprintf("%s (%s)", c.Name, c.Type))
		}
		fileRow(&b, "`"+string(tpl)+"`", strings.Join(columns, ", "))
	}

	b.WriteString("\n## Display types\n\nWhat `type` of a column may be: a name of this list, or a number above 999999 for a display type of a plugin. The length\n" +
		"is used where the column gives none; a list is as long as its longest value, and is `CHAR(1)` where that is 1. A link (`Table`, `Table Direct`, `Search` …) and a button\n" +
		"are numbers where the name of the column ends in `_ID`, and text elsewhere.\n\n" +
		"| Type | Number | Length | PostgreSQL | Oracle | Java |\n|---|---|---|---|---|---|\n")
	for _, d := range dict.DisplayTypes() {
		name := "XX_Name_ID"
		if d == dict.TypeButton {
			name = "XX_Name"
		}
		columns := dict.NewTable("XX_Table").Column(dict.Column{Name: name, Type: d}).AllColumns()
		c := columns[len(columns)-1]
		length := ""
		if c.Length > 0 {
			length = fmt.Sprint(c.Length)
		}
		postgres, oracle := d.SQLType(dict.PostgreSQL, name, c.Length), d.SQLType(dict.Oracle, name, c.Length)
		if d.IsList() && c.Length == 0 {
			length, postgres, oracle = "of its values", strings.Replace(postgres, "0", "n", 1), strings.Replace(oracle, "0", "n", 1)
		}
		fileRow(&b, "`"+d.String()+"`", fmt.Sprint(int(d)), length, postgres, oracle, d.JavaType())
	}
	return b.String()
}

// typeText is the type of a value, with links to the objects.
func typeText(t *testing.T, p *schemaNode) string {
	t.Helper()
	switch {
	case p.Ref != "":
		def := strings.TrimPrefix(p.Ref, "#/$defs/")
		for _, part := range referenceParts {
			if part.def == def {
				return fmt.Sprintf("[%s](#%s)", strings.ToLower(part.title), strings.ReplaceAll(strings.ToLower(part.title), " ", "-"))
			}
		}
		require.Fail(t, "no part for "+p.Ref)
	case p.Items != nil:
		one := typeText(t, p.Items)
		if p.Items.Ref == "" {
			one += "s"
		}
		return "list of " + one
	case len(p.AnyOf) > 0:
		var texts []string
		for _, one := range p.AnyOf {
			texts = append(texts, typeText(t, one))
		}
		return strings.Join(texts, " or ")
	}
	if list, ok := p.Type.([]any); ok {
		require.Len(t, list, len(anyScalar()))
		return "text or number"
	}
	switch p.Type {
	case "string":
		return "text"
	case "boolean":
		return "true or false"
	case "integer":
		return "whole number"
	}
	require.Fail(t, fmt.Sprintf("no word for the type %v", p.Type))
	return ""
}

func allowedText(p *schemaNode) string {
	switch {
	case p.Items != nil && p.Items.Ref == "":
		return allowedText(p.Items)
	case len(p.AnyOf) > 0 && len(p.AnyOf[0].Enum) > 0:
		return "a [display type](#display-types)"
	case len(p.Enum) > 0:
		return "`" + strings.Join(p.Enum, "`, `") + "`"
	case p.Pattern != "":
		return fmt.Sprintf("a name, at most %d characters", p.MaxLength)
	case p.Minimum != nil && p.Maximum == maxNumber:
		return fmt.Sprintf("%d or more", *p.Minimum)
	case p.Minimum != nil:
		return fmt.Sprintf("%d to %d", *p.Minimum, p.Maximum)
	}
	return ""
}

func fileRow(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
	}
	b.WriteString("|\n")
}

// The example of the reference is a file that can be used: it fits the schema, can
// be planned, and survives being written and read. It has every object and most keys.
func TestFileReferenceExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "complete.yaml"))
	require.NoError(t, err)
	set, err := Parse("complete.yaml", text)
	require.NoError(t, err)
	require.NoError(t, set.Validate(nil))
	plan, err := dict.NewPlan(nil, set.Tables()...)
	require.NoError(t, err)
	assert.NotEmpty(t, plan.Steps())

	written, err := Marshal(set.Tables()...)
	require.NoError(t, err)
	again, err := Parse("again.yaml", written)
	require.NoError(t, err)
	assert.Equal(t, set.Tables(), again.Tables())
	assert.Equal(t, string(withoutComments(text)), string(written), "the example is written as dict inspect writes files")

	compiled, seen := compiledSchema(t), map[string]bool{}
	var root schemaNode
	require.NoError(t, json.Unmarshal(Schema(), &root))
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var value any
		if dec.Decode(&value) != nil {
			break
		}
		encoded, err := json.Marshal(value)
		require.NoError(t, err)
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
		require.NoError(t, err)
		assert.NoError(t, compiled.Validate(instance))
		root.objectsOf(&root, value, seen)
	}
	for def := range root.Defs {
		assert.True(t, seen[def], "the example has no %s", def)
	}
}

// objectsOf notes which objects of the schema a value has.
func (root *schemaNode) objectsOf(node *schemaNode, value any, seen map[string]bool) {
	for _, one := range node.AnyOf {
		root.objectsOf(one, value, seen)
	}
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			root.objectsOf(node.Items, one, seen)
		}
	case map[string]any:
		if def, ok := strings.CutPrefix(node.Ref, "#/$defs/"); ok {
			seen[def] = true
			node = root.Defs[def]
		}
		for key, p := range node.Properties {
			if one, ok := v[key]; ok {
				root.objectsOf(p, one, seen)
			}
		}
	}
}

func withoutComments(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("#")) {
			out = append(out, line...)
		}
	}
	return out
}
