package output

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		flags  Flags
		format Format
		file   string
	}{
		"nothing":             {Flags{}, FormatTable, ""},
		"usual":               {Flags{Usual: FormatNDJSON}, FormatNDJSON, ""},
		"standard output":     {Flags{Output: "-"}, FormatTable, ""},
		"a format":            {Flags{Output: "csv", Rows: true}, FormatCSV, ""},
		"capitals":            {Flags{Output: "YAML"}, FormatYAML, ""},
		"json":                {Flags{JSON: true, Usual: FormatNDJSON}, FormatJSON, ""},
		"json twice":          {Flags{JSON: true, Output: "json"}, FormatJSON, ""},
		"json as ndjson":      {Flags{JSON: true, Output: "ndjson"}, FormatNDJSON, ""},
		"a file":              {Flags{Output: "orders.csv", Rows: true}, FormatCSV, "orders.csv"},
		"a file in a folder":  {Flags{Output: "out/orders.JSONL"}, FormatNDJSON, "out/orders.JSONL"},
		"a file named csv":    {Flags{Output: "./csv.txt"}, FormatTable, "./csv.txt"},
		"jq":                  {Flags{JQ: ".a"}, FormatJSON, ""},
		"jq of each":          {Flags{JQ: ".a", Output: "ndjson"}, FormatNDJSON, ""},
		"jq of all":           {Flags{JQ: ".a", Usual: FormatNDJSON}, FormatNDJSON, ""},
		"jq to a file":        {Flags{JQ: ".a", Output: "a.txt"}, FormatJSON, "a.txt"},
		"a template's file":   {Flags{Template: "{{.}}", Output: "a.html"}, FormatJSON, "a.html"},
		"a template's values": {Flags{Template: "{{.}}", Output: "a.csv", Rows: true}, FormatJSON, "a.csv"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := Parse(tt.flags)
			require.NoError(t, err)
			assert.Equal(t, tt.format, c.Format)
			assert.Equal(t, tt.file, c.File)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		flags Flags
		want  string
	}{
		"no format":             {Flags{Output: "jsn", Rows: true}, `there is no format "jsn"; did you mean -o json? use table, wide, json, ndjson, yaml, csv, name or vertical, or name a file such as -o jsn.json`},
		"nothing like it":       {Flags{Output: "orders"}, `there is no format "orders"; use table, wide, json, ndjson or yaml, or name a file such as -o orders.json`},
		"no extension":          {Flags{Output: "out/orders"}, "does not say its format; end it in .json"},
		"another extension":     {Flags{Output: "orders.xlsx"}, "does not say its format"},
		"no rows":               {Flags{Output: "csv"}, "-o csv needs rows and columns, which this command does not print; use table, wide, json, ndjson or yaml"},
		"no rows in a file":     {Flags{Output: "a.csv"}, "-o a.csv needs rows and columns"},
		"json and csv":          {Flags{Output: "csv", JSON: true, Rows: true}, "--json and -o csv contradict each other"},
		"json and a csv file":   {Flags{Output: "a.csv", JSON: true, Rows: true}, "--json and -o a.csv contradict each other"},
		"jq and csv":            {Flags{Output: "csv", JQ: ".", Rows: true}, "--jq and -o csv contradict each other"},
		"jq and a csv file":     {Flags{Output: "a.csv", JQ: ".", Rows: true}, "--jq and -o a.csv contradict each other"},
		"template and table":    {Flags{Output: "table", Template: "x"}, "--template and -o table contradict each other"},
		"jq and template":       {Flags{JQ: ".", Template: "x"}, "--jq and --template contradict each other"},
		"jq and columns":        {Flags{JQ: ".", Columns: "a", Rows: true}, "--jq and --columns contradict each other"},
		"jq that is none":       {Flags{JQ: ".["}, `--jq ".["`},
		"template that is none": {Flags{Template: "{{"}, "--template"},
		"no columns":            {Flags{Columns: " ,", Rows: true}, "--columns takes names"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(tt.flags)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestColoured(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mode     string
		env      map[string]string
		terminal bool
		want     bool
	}{
		"a terminal":             {"", nil, true, true},
		"no terminal":            {"auto", nil, false, false},
		"always":                 {"always", map[string]string{"NO_COLOR": "1"}, false, true},
		"never":                  {"never", map[string]string{"CLICOLOR_FORCE": "1"}, true, false},
		"NO_COLOR":               {"", map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, true, false},
		"NO_COLOR that is empty": {"", map[string]string{"NO_COLOR": ""}, true, true},
		"CLICOLOR=0":             {"", map[string]string{"CLICOLOR": "0"}, true, false},
		"CLICOLOR=1":             {"", map[string]string{"CLICOLOR": "1"}, false, false},
		"CLICOLOR_FORCE":         {"", map[string]string{"CLICOLOR_FORCE": "1", "TERM": "dumb"}, false, true},
		"CLICOLOR_FORCE=0":       {"", map[string]string{"CLICOLOR_FORCE": "0"}, false, false},
		"a terminal without":     {"", map[string]string{"TERM": "dumb"}, true, false},
	} {
		assert.Equal(t, tt.want, Coloured(tt.mode, func(k string) string { return tt.env[k] }, tt.terminal), name)
	}
}
