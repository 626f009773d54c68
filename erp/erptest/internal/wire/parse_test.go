package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"empty", " \n", `null`},
		{"object keeps its order", `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{"the last of two members counts", `{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{"digits of numbers", `[1.50,-0,1e3,12345678901234567890]`, `[1.50,-0,1e3,12345678901234567890]`},
		{"escapes", `"\u00e9\n\"\/\ud83d\ude00\ud800"`, `"é\n\"/😀` + "\uFFFD" + `"`},
		{"comments", "// a\n{/*b*/\"a\":#c\n1}", `{"a":1}`},
		{"bare names and texts", `{a: b, c: 'd"e'}`, `{"a":"b","c":"d\"e"}`},
		{"other separators", `{a=1; b=>2}`, `{"a":1,"b":2}`},
		{"words", `[TRUE,False,NULL,nullx,1x]`, `[true,false,null,"nullx","1x"]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v, err := Parse([]byte(tc.in))
			require.NoError(t, err)
			got, err := Encode(v)
			require.NoError(t, err)
			assert.Equal(t, tc.want, string(got))
		})
	}
	for _, in := range []string{
		`{`, `{"a"`, `{"a":`, `{"a":1`, `{"a" 1}`, `[`, `[1`, `[,1]`, `{"a":1,}`, `"`, `"\`, `"\u12`, `"\x"`, `{"a":1}}`, `/*`, `{:1}`,
		strings.Repeat("[", 102) + strings.Repeat("]", 102),
	} {
		_, err := Parse([]byte(in))
		var syntax *SyntaxError
		assert.ErrorAs(t, err, &syntax, "%.40q", in)
	}
}

// What is JSON means the same to the lenient parser as to the strict one.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"x",null,true,{"b":{}}]}`, `{a:'b';c=>1}`, `[1.5e3]`, `"\ud83d\ude00"`, "\ufeff{}", `/*x*/1`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		v, err := Parse([]byte(in))
		if !json.Valid([]byte(in)) {
			return // lenient or not, it did not panic
		}
		if err != nil {
			if strings.Count(in, "[")+strings.Count(in, "{") > maxDepth {
				return
			}
			t.Fatalf("valid JSON refused: %v", err)
		}
		encoded, err := Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if json.Unmarshal([]byte(in), &want) != nil || json.Unmarshal(encoded, &got) != nil {
			return // numbers beyond float64
		}
		assert.Equal(t, want, got, "%s read as %s", in, encoded)
	})
}
