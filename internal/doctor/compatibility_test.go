package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The document has the features that are looked for, and no others.
func TestFeaturesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "compatibility.md"))
	require.NoError(t, err)
	documented := [][2]string{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([^|]+) \| (all builds|builds [^|]+) \|$`).FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, [2]string{m[1], m[2]})
	}
	want := [][2]string{}
	for _, f := range features {
		want = append(want, [2]string{f.name, f.since})
	}
	assert.Equal(t, want, documented)
}
