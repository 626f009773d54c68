package recorded

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLost(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, response, decoded string
		lost                    []string
	}{
		{"equal", `{"a":[1,{"b":"x"}]}`, `{"a":[1,{"b":"x"}]}`, nil},
		{"numbers written otherwise", `{"a":12.50,"b":1.0E7}`, `{"a":12.5,"b":10000000}`, nil},
		{"empty values left out", `{"a":null,"b":[]}`, `{"c":"","d":0}`, nil},
		{"member missing", `{"a":1}`, `{}`, []string{"$.a: the response has 1, decoded is null"}},
		{"member added", `{}`, `{"a":"x"}`, []string{`$.a: the response has null, decoded is "x"`}},
		{"large integer rounded", `[9007199254740993]`, `[9007199254740992]`,
			[]string{"$[0]: the response has 9007199254740993, decoded is 9007199254740992"}},
		{"entry missing", `[1,2]`, `[1]`, []string{"$: the response has [1,2], decoded is [1]"}},
		{"kind changed", `{"a":"1"}`, `{"a":1}`, []string{`$.a: the response has "1", decoded is 1`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			lost, err := Lost([]byte(tt.response), []byte(tt.decoded))
			require.NoError(t, err)
			assert.Equal(t, tt.lost, lost)
		})
	}
}
