package shell

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Text for a terminal is cleaned however it is cut into pieces.
func TestPrintableWriter(t *testing.T) {
	t.Parallel()
	const text = "Größe €5 \x1b[31mred\u009b0m 木\n"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := &printableWriter{to: &out}
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			written, err := w.Write(rest[:n])
			require.NoError(t, err)
			require.Equal(t, n, written)
			rest = rest[n:]
		}
		assert.Equal(t, "Größe €5 \uFFFD[31mred\uFFFD0m 木\n", out.String(), "in pieces of %d", size)
		assert.True(t, utf8.Valid(out.Bytes()))
	}
}
