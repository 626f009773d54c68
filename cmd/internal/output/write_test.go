package output

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// partners is a result as commands give it.
func partners() (any, Table) {
	type partner struct {
		ID    int         `json:"id"`
		Name  string      `json:"name"`
		State string      `json:"state"`
		Open  json.Number `json:"openAmount"`
		Note  *string     `json:"note"`
	}
	value := map[string]any{"total": 2, "partners": []partner{
		{118, "Joe \"Block\", Inc", "ok", "12345678901234567890.10", nil}, {119, "Größe\n木 <b>", "fail", "0.5", nil},
	}}
	return value, Table{
		Columns: []Column{
			{Name: "id", Right: true}, {Name: "name", Max: 12}, {Name: "state", Style: ByText(map[string]Style{"ok": Good, "fail": Bad})},
			{Name: "open", Key: "openAmount", Right: true}, {Name: "note", Wide: true},
		},
		Rows: [][]string{{"118", "Joe \"Block\", Inc", "ok", "12345678901234567890.10", ""}, {"119", "Größe\n木 <b>", "fail", "0.5", ""}},
		List: "partners",
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		flags  Flags
		screen Screen
		want   string
	}{
		"table":  {Flags{}, Screen{}, " id  name          state                     open\n118  Joe \"Block\"…  ok     12345678901234567890.10\n119  Größe 木 <b>  fail                       0.5\n"},
		"wide":   {Flags{Output: "wide"}, Screen{Width: 20}, " id  name              state                     open  note\n118  Joe \"Block\", Inc  ok     12345678901234567890.10\n119  Größe 木 <b>      fail                       0.5\n"},
		"colour": {Flags{Columns: "STATE,id"}, Screen{Colour: true}, "\x1b[1mstate\x1b[0m   \x1b[1mid\x1b[0m\n\x1b[32mok\x1b[0m     118\n\x1b[31mfail\x1b[0m   119\n"},
		"json": {Flags{JSON: true}, Screen{}, `{
  "partners": [
    {
      "id": 118,
      "name": "Joe \"Block\", Inc",
      "state": "ok",
      "openAmount": 12345678901234567890.10,
      "note": null
    },
    {
      "id": 119,
      "name": "Größe\n木 <b>",
      "state": "fail",
      "openAmount": 0.5,
      "note": null
    }
  ],
  "total": 2
}
`},
		"json columns":  {Flags{Output: "json", Columns: "openamount,ID"}, Screen{}, "{\n  \"partners\": [\n    {\n      \"openAmount\": 12345678901234567890.10,\n      \"id\": 118\n    },\n    {\n      \"openAmount\": 0.5,\n      \"id\": 119\n    }\n  ],\n  \"total\": 2\n}\n"},
		"json headings": {Flags{Output: "ndjson", Columns: "open"}, Screen{}, "{\"openAmount\":12345678901234567890.10}\n{\"openAmount\":0.5}\n"},
		"ndjson": {Flags{Output: "ndjson"}, Screen{}, `{"id":118,"name":"Joe \"Block\", Inc","state":"ok","openAmount":12345678901234567890.10,"note":null}
{"id":119,"name":"Größe\n木 <b>","state":"fail","openAmount":0.5,"note":null}
`},
		"yaml":             {Flags{Output: "yaml"}, Screen{}, "partners:\n  - id: 118\n    name: Joe \"Block\", Inc\n    state: ok\n    openAmount: 12345678901234567890.10\n    note: null\n  - id: 119\n    name: |-\n      Größe\n      木 <b>\n    state: fail\n    openAmount: 0.5\n    note: null\ntotal: 2\n"},
		"csv":              {Flags{Output: "csv"}, Screen{Width: 20}, "id,name,state,open,note\n118,\"Joe \"\"Block\"\", Inc\",ok,12345678901234567890.10,\n119,\"Größe\n木 <b>\",fail,0.5,\n"},
		"csv columns":      {Flags{Output: "csv", Columns: "openAmount, name"}, Screen{}, "open,name\n12345678901234567890.10,\"Joe \"\"Block\"\", Inc\"\n0.5,\"Größe\n木 <b>\"\n"},
		"name":             {Flags{Output: "name"}, Screen{}, "118\n119\n"},
		"name of a column": {Flags{Output: "name", Columns: "state"}, Screen{}, "ok\nfail\n"},
		"vertical":         {Flags{Output: "vertical", Columns: "id,name,note"}, Screen{}, "-[ 1 ]-\nid    118\nname  Joe \"Block\", Inc\nnote\n-[ 2 ]-\nid    119\nname  Größe\n      木 <b>\nnote\n"},
		"jq":               {Flags{JQ: ".partners[] | .name, .id"}, Screen{}, "Joe \"Block\", Inc\n118\nGröße\n木 <b>\n119\n"},
		"jq of each":       {Flags{JQ: "[.id]", Output: "ndjson"}, Screen{}, "[118]\n[119]\n"},
		"template":         {Flags{Template: `{{range .partners}}{{.id}}={{.openAmount}} {{pad 6 .state}}|{{pad -6 .state}};{{end}}`}, Screen{}, "118=12345678901234567890.10 ok    |    ok;119=0.5 fail  |  fail;\n"},
		"template of each": {Flags{Template: `{{json .id}} {{upper .state}}`, Output: "ndjson"}, Screen{}, "118 OK\n119 FAIL\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.flags.Rows = true
			c, err := Parse(tt.flags)
			require.NoError(t, err)
			value, table := partners()
			var b bytes.Buffer
			_, err = c.Write(t.Context(), &b, tt.screen, value, table)
			require.NoError(t, err)
			assert.Equal(t, tt.want, b.String())
		})
	}
}

// One thing is shown as lines, and is a row for programs.
func TestWriteSingle(t *testing.T) {
	t.Parallel()
	value := map[string]any{"a": 1, "b": "x"}
	table := Table{
		Columns: []Column{{Name: "a", Right: true}, {Name: "b", Style: ByText(map[string]Style{"x": Bad})}}, Rows: [][]string{{"1", "x"}},
		Single: &[2]string{"column", "value"}, Below: "that is all\n",
	}
	for output, want := range map[string]string{
		"table": "column  value\na       1\nb       x\nthat is all\n", "csv": "a,b\n1,x\n", "vertical": "a  1\nb  x\n", "ndjson": "{\"a\":1,\"b\":\"x\"}\n", "name": "1\n",
		"yaml": "a: 1\nb: x\n",
	} {
		c, err := Parse(Flags{Output: output, Rows: true})
		require.NoError(t, err)
		var b bytes.Buffer
		_, err = c.Write(t.Context(), &b, Screen{}, value, table)
		require.NoError(t, err)
		assert.Equal(t, want, b.String(), output)
	}
	var b bytes.Buffer
	_, err := (&Choice{Format: FormatTable, Columns: []string{"b"}}).Write(t.Context(), &b, Screen{Colour: true}, value, table)
	require.NoError(t, err)
	assert.Equal(t, "\x1b[1mcolumn\x1b[0m  \x1b[1mvalue\x1b[0m\nb       \x1b[31mx\x1b[0m\nthat is all\n", b.String())
	b.Reset()
	_, err = (&Choice{Format: FormatJSON, Columns: []string{"B"}}).Write(t.Context(), &b, Screen{}, value, table)
	require.NoError(t, err)
	assert.Equal(t, "{\n  \"b\": \"x\"\n}\n", b.String())
}

func TestUnknownColumn(t *testing.T) {
	t.Parallel()
	for _, format := range Formats {
		value, table := partners()
		_, err := (&Choice{Format: format, Columns: []string{"nmae"}}).Write(t.Context(), &bytes.Buffer{}, Screen{}, value, table)
		var column *ColumnError
		require.ErrorAs(t, err, &column, format)
		assert.Contains(t, err.Error(), `there is no column "nmae"; did you mean "name"? the columns are id, name, state, open, note`, format)
	}
	_, err := (&Choice{Format: FormatJSON, Columns: []string{"a"}}).Write(t.Context(), &bytes.Buffer{}, Screen{}, []int{1}, Table{Columns: Columns("a")})
	require.ErrorContains(t, err, "--columns chooses members of objects")
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		`{{join ", " .list}}`:               "a, 1, true, , {\"x\":\"<\"}\n",
		`{{date "02.01.2006" .day}}`:        "09.03.2026\n",
		`{{date "15:04" .time}}`:            "12:30\n",
		`{{date "15:04" .list}}`:            "",
		`{{date "2006" .name}}`:             "",
		`{{json .list}}`:                    "[\"a\",1,true,null,{\"x\":\"<\"}]\n",
		`{{pad 5 "木"}}|{{lower "ÄB"}}`:      "木   |äb\n",
		"{{.name}}\n":                       "Joe\n",
		`{{range .none}}x{{end}}`:           "",
		`{{len (pad 2000000000 "x")}}`:      "1001\n",
		`{{printf "%.2s" .name}} {{.day}}!`: "Jo 2026-03-09!\n",
	} {
		parsed, err := ParseTemplate(template)
		require.NoError(t, err, template)
		var b strings.Builder
		err = parsed.Write(&b, []byte(`{"list":["a",1,true,null,{"x":"<"}],"day":"2026-03-09","time":"2026-03-09T12:30:00Z","name":"Joe","none":[]}`))
		if want == "" && !strings.Contains(template, "range") {
			require.ErrorContains(t, err, "--template", template)
			continue
		}
		require.NoError(t, err, template)
		assert.Equal(t, want, b.String(), template)
	}
}

// YAML keeps what looks like something else a text, and every digit.
func TestYAML(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, writeYAML(&b, []byte(`{"no":"no","number":"12","null":"null","empty":"","n":-0.10,"big":123456789012345678901234567890,"e":1e400,"date":"2026-03-09","list":[],"object":{},"nested":[[1],{"a":[{}]}],"emoji":"\ud83d\ude00","esc":"a\u001bb","lead":" x","colon":"a: b","hash":"a #b"}`)))
	want := "\"no\": \"no\"\nnumber: \"12\"\n\"null\": \"null\"\nempty: \"\"\n\"n\": -0.10\nbig: 123456789012345678901234567890\n"
	assert.Contains(t, strings.ReplaceAll(b.String(), "'", "\""), want)
	assert.Contains(t, b.String(), "e: 1e400\ndate: \"2026-03-09\"\nlist: []\nobject: {}\n")
	assert.Contains(t, b.String(), "esc: \"a\\eb\"")
	assert.Contains(t, b.String(), "emoji: \"\\U0001F600\"")
}

// What a command painted for the terminal is plain in a file.
func TestPaintedText(t *testing.T) {
	t.Parallel()
	changes := PaintChanges("# XX_A\n  + column a\n  - column b\n  ~ column c\n      Name: a -> b\nPlan: 1 to add\n")
	assert.Equal(t, "# XX_A\n\x1b[32m  + column a\x1b[0m\n\x1b[31m  - column b\x1b[0m\n\x1b[33m  ~ column c\x1b[0m\n      Name: a -> b\nPlan: 1 to add\n", changes)
	for colour, want := range map[bool]string{true: changes, false: "# XX_A\n  + column a\n  - column b\n  ~ column c\n      Name: a -> b\nPlan: 1 to add\n"} {
		var b strings.Builder
		_, err := (&Choice{Format: FormatTable}).Write(t.Context(), &b, Screen{Colour: colour}, nil, Table{Below: changes})
		require.NoError(t, err)
		assert.Equal(t, want, b.String())
	}
}
