package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/erp"
)

func recordsOf(texts ...string) iter.Seq2[erp.Record, error] {
	return func(yield func(erp.Record, error) bool) {
		for _, text := range texts {
			rec, err := erp.ParseRecord([]byte(text))
			if !yield(rec, err) {
				return
			}
		}
	}
}

func TestWriteRecords(t *testing.T) {
	t.Parallel()
	one := `{"id":1,"uid":"u1","Name":"Joe\nBlock\n\nend","Group":{"id":103,"identifier":"Staff"},"model-name":"c_bpartner"}`
	two := `{"id":2,"Name":"Ann"}`
	total := 7
	for name, tt := range map[string]struct {
		flags Flags
		opts  RecordOptions
		want  string
	}{
		"name":             {Flags{Output: "name"}, RecordOptions{}, "1\n2\n"},
		"name of a column": {Flags{Output: "name"}, RecordOptions{Columns: []string{"Name"}}, "Joe Block end\nAnn\n"},
		"vertical":         {Flags{Output: "vertical"}, RecordOptions{}, "-[ 1 ]-\nid     1\nuid    u1\nName   Joe\n       Block\n\n       end\nGroup  103\n-[ 2 ]-\nid    2\nName  Ann\n"},
		"vertical columns": {Flags{Output: "vertical"}, RecordOptions{Columns: []string{"Name", "Group"}, Names: true}, "-[ 1 ]-\nName   Joe\n       Block\n\n       end\nGroup  Staff\n-[ 2 ]-\nName   Ann\nGroup\n"},
		"csv":              {Flags{Output: "csv"}, RecordOptions{Columns: []string{"id", "Name"}}, "id,Name\n1,\"Joe\nBlock\n\nend\"\n2,Ann\n"},
		"ndjson":           {Flags{Output: "ndjson"}, RecordOptions{}, one + "\n" + two + "\n"},
		"json":             {Flags{JSON: true}, RecordOptions{Total: &total}, "{\"records\":[\n" + one + ",\n" + two + "\n],\"count\":2,\"total\":7}\n"},
		"jq":               {Flags{JQ: ".count, .records[0].id"}, RecordOptions{}, "2\n1\n"},
		"jq of each":       {Flags{JQ: ".id", Output: "ndjson"}, RecordOptions{}, "1\n2\n"},
		"template of each": {Flags{Template: "<{{.id}}>", Usual: FormatNDJSON}, RecordOptions{}, "<1>\n<2>\n"},
	} {
		tt.flags.Rows = true
		c, err := Parse(tt.flags)
		require.NoError(t, err, name)
		var b bytes.Buffer
		n, err := c.WriteRecords(t.Context(), &b, Screen{}, recordsOf(one, two), &tt.opts)
		require.NoError(t, err, name)
		assert.Equal(t, 2, n, name)
		assert.Equal(t, tt.want, b.String(), name)
	}
}

// YAML of records says what JSON says.
func TestYAMLRecords(t *testing.T) {
	t.Parallel()
	total := 3
	for _, texts := range [][]string{nil, {`{"id":1}`}, {`{"id":1,"Name":"a\n  b\n\nc\n","Note":null,"List":[1,{"x":"- y"}]}`, `{}`, `{"id":3,"t":" - \n"}`}} {
		for _, opts := range []*RecordOptions{{}, {Total: &total}} {
			var asYAML, asJSON bytes.Buffer
			_, err := (&Choice{Format: FormatYAML}).WriteRecords(t.Context(), &asYAML, Screen{}, recordsOf(texts...), opts)
			require.NoError(t, err)
			_, err = (&Choice{Format: FormatJSON}).WriteRecords(t.Context(), &asJSON, Screen{}, recordsOf(texts...), opts)
			require.NoError(t, err)
			var got any
			require.NoError(t, yaml.Unmarshal(asYAML.Bytes(), &got), asYAML.String())
			back, err := json.Marshal(got)
			require.NoError(t, err)
			assert.JSONEq(t, asJSON.String(), string(back), asYAML.String())
		}
	}
}

// What came before an error is written.
func TestRecordsEndWithAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection broken")
	source := func(yield func(erp.Record, error) bool) {
		for rec := range recordsOf(`{"id":1}`) {
			if !yield(rec, nil) {
				return
			}
		}
		yield(erp.Record{}, broken)
	}
	for _, format := range []Format{FormatName, FormatVertical, FormatYAML, FormatNDJSON} {
		var b bytes.Buffer
		n, err := (&Choice{Format: format}).WriteRecords(t.Context(), &b, Screen{}, source, &RecordOptions{})
		require.ErrorIs(t, err, broken, format)
		assert.Equal(t, 1, n, format)
		assert.Contains(t, b.String(), "1", format)
	}
}

// Memory does not grow with the number of records.
func TestRecordsAreNotHeld(t *testing.T) {
	text := `{"id":1,"Name":"` + strings.Repeat("x", 1000) + `"}`
	for _, flags := range []Flags{{Output: "name"}, {Output: "vertical"}, {Output: "yaml"}, {JQ: ".id", Output: "ndjson"}, {Output: "csv"}} {
		flags.Rows = true
		often := 10_000
		if flags.Output == "csv" {
			often = 100_000 // which are no more memory either
		}
		c, err := Parse(flags)
		require.NoError(t, err)
		measure := func(count int) (most uint64) {
			source := func(yield func(erp.Record, error) bool) {
				for i := range count {
					rec, err := erp.ParseRecord([]byte(text))
					if !yield(rec, err) {
						return
					}
					if i%1000 == 0 {
						runtime.GC()
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						most = max(most, m.HeapAlloc)
					}
				}
			}
			_, err := c.WriteRecords(t.Context(), io.Discard, Screen{}, source, &RecordOptions{Columns: []string{"id", "Name"}})
			require.NoError(t, err)
			return most
		}
		few, many := measure(1_000), measure(often)
		assert.Less(t, many, few+4<<20, fmt.Sprint("10 MB of records, or 100, must not be held: ", flags.Output))
	}
}
