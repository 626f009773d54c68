package jsonscan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func valid(data []byte) bool {
	s := Scanner{Data: data}
	s.Space()
	return s.Value() && s.End()
}

func TestValueAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "{}", "[]", "{", "[", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `[1,]`, `[1 2]`, `{"a" 1}`,
		"0", "-0", "-", "01", "1.", "1.5", ".5", "1e", "1e5", "1E+5", "1e-5", "1e+", "0E-12", "12.50",
		"true", "tru", "trueX", "false", "null", "nul", "nil",
		`"a"`, `"a`, `"\n"`, `"\x"`, `"\u12"`, `"\u12ag"`, `"\u12aF"`, "\"\x01\"", "\"\xff\"", `"é"`, `"\`,
		`{"a":{"b":[1,2,{"c":null}]}} `, `{} {}`, `{"a":1}x`, `{1:2}`,
		strings.Repeat("[", 9999) + strings.Repeat("]", 9999),
		strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
	} {
		assert.Equalf(t, json.Valid([]byte(text)), valid([]byte(text)), "%.60q", text)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	data := []byte(` {"id": 5 ,"Na\u006de":"x, y","C":{"id":[1]},"e":[]}`)
	s := Scanner{Data: data}
	s.Space()
	obj := data[s.Pos:]
	fields, ok := s.Fields(nil)
	require.True(t, ok)
	require.True(t, s.End())
	var got []string
	for _, f := range fields {
		got = append(got, string(f.Name(obj))+"="+string(f.Value(obj)))
	}
	assert.Equal(t, []string{`id=5`, `Na\u006de="x, y"`, `C={"id":[1]}`, `e=[]`}, got)
}

func TestText(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`""`: "", `"plain"`: "plain", `"a\"b"`: `a"b`, `"\u00e4"`: "ä", `"ä"`: "ä", "\"\xff\"": "\ufffd",
	} {
		got, ok := Text([]byte(raw))
		assert.True(t, ok, raw)
		assert.Equal(t, want, got, raw)
	}
	for _, raw := range []string{``, `"`, `5`, `null`} {
		_, ok := Text([]byte(raw))
		assert.False(t, ok, raw)
	}
}

func FuzzValue(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e-3,"\u00e4",null,true]}`, `[`, `"\ud800"`, `-0.0E+1`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := valid(data), json.Valid(data); got != want {
			t.Fatalf("scanner says %v, encoding/json %v for %q", got, want, data)
		}
	})
}

func FuzzMap(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e-3,"\u00e4",null,true,{}],"b":{"c":[],"a":false}}`, `{}`, `{"a":1,"a":2}`, "{\"\\ud800\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := Scanner{Data: data}
		fields, ok := s.Fields(nil)
		if !ok || !s.End() {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		want := map[string]any{}
		require.NoError(t, dec.Decode(&want))
		require.Equal(t, want, Map(data, fields))
	})
}
