package migration

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"short":          "INSERT INTO T (A) VALUES (1)",
		"list":           "INSERT INTO T VALUES (" + strings.Repeat("'a, b',", 2000) + "1)",
		"long literal":   "INSERT INTO T VALUES ('" + strings.Repeat("x", 3900) + "','" + strings.Repeat("é", 1900) + "')",
		"quotes":         "INSERT INTO T VALUES ('" + strings.Repeat("''", 1900) + "', 2)",
		"blanks in text": "INSERT INTO T VALUES (1,'" + strings.Repeat("a b ", 900) + "', 2)",
		"hyphens":        "INSERT INTO T VALUES ('" + strings.Repeat("- ", 1900) + "', 2)",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := wrap(text)
			for line := range strings.SplitSeq(got, "\n") {
				assert.Less(t, len(line), 2499)
				assert.False(t, strings.HasSuffix(line, "-"))
				assert.False(t, strings.HasSuffix(line, ";"))
			}
			// Without the joints it is the statement again.
			assert.Equal(t, text, strings.ReplaceAll(strings.ReplaceAll(got, "'||\n'", ""), "\n", ""))
		})
	}
}
