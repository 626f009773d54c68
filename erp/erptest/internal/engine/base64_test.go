package engine_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
)

func TestLenientBase64(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text, data string
		ok               bool
	}{
		{"one group", "SGVs", "Hel", true},
		{"one pad", "SGVsbG8=", "Hello", true},
		{"two pads", "SGVsbA==", "Hell", true},
		{"no pad where one belongs", "SGVsbG8", "Hel", true},
		{"other characters", "SG Vs\nb-G8=", "Hello", true},
		{"words", "not base64 !", "\x9e\x8b\x5b\x6a\xc7\xba", true},
		{"too short", "xx", "", true},
		{"no digits", "***", "", true},
		{"not ASCII", "SGVsbG8=ü", "", false},
		{"padding too much", "SGVs=", "", false},
		{"less than a group, padded", "0=", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			data, ok := engine.LenientBase64(tc.text)
			assert.Equal(t, []any{tc.data, tc.ok}, []any{string(data), ok})
		})
	}
}

func FuzzLenientBase64(f *testing.F) {
	f.Add([]byte("Hello"), "SGV=sbG8=")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		got, ok := engine.LenientBase64(base64.StdEncoding.EncodeToString(data))
		assert.True(t, ok)
		assert.Equal(t, string(data), string(got), "what is base64 is decoded as such")
		engine.LenientBase64(text)
	})
}
