package erptest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Section 15: numbers in the body of a batch result.
func TestFloatNumbers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"id":1000004}`:                     `{"id":1000004.0}`,
		`{"id":10000004}`:                    `{"id":1.0000004E7}`,
		`{"id":9999999}`:                     `{"id":9999999.0}`,
		`{"a":0,"b":-5,"c":1.50,"d":-0}`:     `{"a":0.0,"b":-5.0,"c":1.5,"d":-0.0}`,
		`{"a":0.001,"b":0.0009,"c":1e7}`:     `{"a":0.001,"b":9.0E-4,"c":1.0E7}`,
		`{"a":[1,{"b":2}],"c":"3 \"4\" \\"}`: `{"a":[1.0,{"b":2.0}],"c":"3 \"4\" \\"}`,
		`{"5":"6","t":true,"n":null}`:        `{"5":"6","t":true,"n":null}`,
		`{"big":1e999}`:                      `{"big":1e999}`,
		`{"a":123456789012345678}`:           `{"a":1.2345678901234568E17}`,
		`{"é":"ü 7","x":12345678.9}`:         `{"é":"ü 7","x":1.23456789E7}`,
	} {
		assert.Equal(t, want, string(floatNumbers([]byte(in))), in)
	}
}

func FuzzFloatNumbers(f *testing.F) {
	f.Add(`{"a":[1,-2.5e3,"x\\\"1"],"b":{"c":10000000}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		out := floatNumbers([]byte(text))
		if !json.Valid(out) {
			t.Fatalf("%q became %q, which is no JSON", text, out)
		}
	})
}
