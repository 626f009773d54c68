package maskfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/maskfile"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

const example = `# what differs here
amounts:
  scatter: 2.5
classes:
  label: keep
tables:
  C_BPartner:
    Description: empty
    Rating: keep
    URL: {constant: "https://www.example.com"}
  XX_Machine: keep
`

func TestParse(t *testing.T) {
	t.Parallel()
	rules, err := maskfile.Parse("rules.yaml", []byte(example))
	require.NoError(t, err)
	assert.Equal(t, mask.Rules{
		Scatter: 2.5,
		Classes: map[mask.Class]mask.Class{mask.Label: mask.Keep},
		Tables: []mask.TableRule{
			{Table: "C_BPartner", Where: "rules.yaml:7", Columns: []mask.ColumnRule{
				{Column: "Description", Class: mask.Emptied, Where: "rules.yaml:8"},
				{Column: "Rating", Class: mask.Keep, Where: "rules.yaml:9"},
				{Column: "URL", Class: mask.Fixed, Constant: "https://www.example.com", Where: "rules.yaml:10"},
			}},
			{Table: "XX_Machine", Keep: true, Where: "rules.yaml:11"},
		},
	}, rules)
	for name, text := range map[string]string{"nothing": "", "a comment": "# later\n", "null": "~\n"} {
		rules, err := maskfile.Parse("rules.yaml", []byte(text))
		require.NoError(t, err, name)
		assert.Equal(t, mask.Rules{}, rules, name)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rules.yaml")
	_, err := maskfile.Load(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte(example), 0o600))
	rules, err := maskfile.Load(path)
	require.NoError(t, err)
	assert.Len(t, rules.Tables, 2)
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"no YAML":           {"tables: [", "rules.yaml:1: this is no YAML"},
		"a list":            {"- a\n", "rules.yaml:1: the file needs lines of the form name: value"},
		"two documents":     {"tables: {}\n---\ntables: {}\n", "more than one YAML document"},
		"unknown setting":   {"table: {}\n", `there is no setting "table"; did you mean tables?`},
		"unknown class":     {"tables:\n  A:\n    B: persn\n", `rules.yaml:3: there is no class "persn"; did you mean person?`},
		"no such class":     {"classes:\n  label: zzzzzzzz\n", `there is no class "zzzzzzzz"; use one of keep, person`},
		"twice":             {"tables:\n  A: keep\n  a: keep\n", `rules.yaml:3: "a" stands twice in tables`},
		"table with class":  {"tables:\n  A: person\n", "a table gets keep, or lines with its columns"},
		"constant a list":   {"tables:\n  A:\n    B: {constant: [1]}\n", "{constant: value}"},
		"an empty mapping":  {"tables:\n  A:\n    B: {}\n", "{constant: value}"},
		"a word for amount": {"amounts: {scatter: much}\n", "scatter needs a number of percent"},
		"NaN":               {"amounts: {scatter: .nan}\n", "scatter needs a number of percent"},
		"too much":          {"amounts: {scatter: 91}\n", "scatter needs a number of percent"},
		"aliases":           {"tables: &a\n  A: keep\nclasses: *a\n", "rules.yaml:3: references to other places"},
		"merge keys":        {"tables:\n  <<: {A: keep}\n", "names are plain texts"},
		"everything at once": {"amount: {}\ntables:\n  A:\n    B: persn\n    C: citi\n",
			"rules.yaml:1: there is no setting \"amount\"; did you mean amounts?\nrules.yaml:4: there is no class \"persn\"; did you mean person?\nrules.yaml:5: there is no class \"citi\"; did you mean city?"},
		"too long": {strings.Repeat("#", 2<<20), "rules are shorter"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := maskfile.Parse("rules.yaml", []byte(c.text))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("tables: &a {A: *a}"))
	f.Add([]byte("tables:\n  ? [a]\n  : keep\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, err := maskfile.Parse("f", data)
		if err != nil {
			assert.Equal(t, mask.Rules{}, rules)
			assert.Contains(t, err.Error(), "f:")
			return
		}
		for _, tr := range rules.Tables {
			assert.NotEmpty(t, tr.Where)
			for _, c := range tr.Columns {
				assert.NotEmpty(t, c.Class)
			}
		}
		_, err = mask.New(nil, mask.Options{Key: mask.FixedKey("fuzz"), Rules: rules})
		if len(rules.Tables) > 0 {
			assert.Error(t, err, "the dictionary has no table")
		}
	})
}

func Example() {
	rules, err := maskfile.Parse("rules.yaml", []byte("tables:\n  C_BPartner:\n    Name: person\n    Name3: keep\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	tables := []mask.Table{{Name: "C_BPartner", Columns: []mask.Column{{Name: "Name"}, {Name: "Name2"}}}}
	_, err = mask.New(tables, mask.Options{Key: mask.FixedKey("example"), Rules: rules})
	fmt.Println(err)
	// Output: masking rules: rules.yaml:4: table C_BPartner has no column "Name3"; did you mean Name?
}
