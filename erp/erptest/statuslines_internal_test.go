package erptest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFormatMessage(t *testing.T) {
	t.Parallel()
	values := []any{int64(1234567), -1234.5678, "12.50", nil, "text"}
	for in, want := range map[string]string{
		"{0} {1} {2} [{3}] {4}":       "1234567 -1234.5678 12.50 [null] text",
		"{0,number} {1, number} {2}":  "1,234,567 -1,234.568 12.50",
		"{1,number,integer} {4,date}": "-1,235 text",
		"it''s '{0}'":                 "it's {0}",
		"":                            "",
	} {
		got, ok := formatMessage(in, values)
		assert.True(t, ok, in)
		assert.Equal(t, want, got, in)
	}
	for _, in := range []string{"{0", "{9}", "{x}", "{-1}"} {
		_, ok := formatMessage(in, values)
		assert.False(t, ok, in)
	}
}

func FuzzFormatMessage(f *testing.F) {
	f.Add("{0} it''s '{0}' {2,number}")
	f.Fuzz(func(_ *testing.T, text string) { formatMessage(text, []any{text, 1e300, int64(1)}) })
}
