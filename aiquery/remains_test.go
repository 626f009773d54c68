package aiquery_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a caller can still find out is said in the same words wherever it is said.
func TestDocumentsSayWhatRemains(t *testing.T) {
	t.Parallel()
	const remains = "Whether a statement fails for a row that the role may see can depend on the plan, and so on hidden rows, where what can fail stands in a subquery of an expression, in the condition of an outer join, or in an argument of a function in FROM."
	for _, name := range []string{"doc.go", filepath.Join("..", "docs", "governed-sql.md"), filepath.Join("..", "docs", "security.md")} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Contains(t, strings.Join(strings.Fields(strings.ReplaceAll(string(text), "\n// ", "\n")), " "), remains, name)
	}
}
