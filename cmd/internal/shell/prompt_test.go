package shell

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Only a clear yes deletes.
func TestConfirm(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, typed string
		want        bool
	}{
		{"yes", "yes\n", true}, {"y", "Y\n", true}, {"without line end", "y", true},
		{"no", "n\n", false}, {"return", "\n", false}, {"end of input", "", false}, {"something else", "yess\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked bytes.Buffer
			sh := &Shell{Streams: Streams{In: strings.NewReader(tt.typed), Err: &asked}}
			got, err := sh.Confirm(t.Context(), "Delete C_BPartner 118 \x1b[2J?")
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assert.NotContains(t, asked.String(), "\x1b")
		})
	}
}
