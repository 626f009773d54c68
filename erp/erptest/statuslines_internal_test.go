package erptest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFormatMessage(t *testing.T) {
	t.Parallel()
	values := []any{int64(1234567), -1234.5678, "12.50", nil, "text"}
	for in, want := range map[string]string{
		"{0} {1} {2} [{3}] {4}": "1,234,567 -1,234.568 12.5 [] text",
		"{0,number,#0}":         "1,234,567",
		"it''s '{0}' {9} {x}":   "it's {0} {9} {x}",
		"{0":                    "{0",
		"":                      "",
	} {
		assert.Equal(t, want, formatMessage(in, values), in)
	}
}

func FuzzFormatMessage(f *testing.F) {
	f.Add("{0} it''s '{0}' {2,number}")
	f.Fuzz(func(_ *testing.T, text string) { formatMessage(text, []any{text, 1e300, int64(1)}) })
}
