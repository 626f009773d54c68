// Package docs has the documents of the project, and tests that hold them to
// the code.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/rest"
	"github.com/erphub/erphub/internal/testkit/contracttest"
)

// goSource is all Go files below a folder, joined.
func goSource(t *testing.T, folder string, tests bool) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") != tests {
			return err
		}
		text, err := os.ReadFile(path)
		b.Write(text)
		return err
	})
	require.NoError(t, err)
	return b.String()
}

func TestOperationsTable(t *testing.T) {
	t.Parallel()
	want, err := contracttest.Operations()
	require.NoError(t, err)
	text, err := os.ReadFile("operations.md")
	require.NoError(t, err)
	types := map[string]reflect.Type{
		"erp.Client": reflect.TypeFor[*erp.Client](), "rest.ClientWithResponses": reflect.TypeFor[*rest.ClientWithResponses](),
	}
	tests := goSource(t, filepath.Join("..", "erp", "erptest"), true)
	commands := goSource(t, filepath.Join("..", "cmd", "internal"), false)

	code := regexp.MustCompile("`([^`]*)`")
	var have []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 || !strings.HasPrefix(line, "| `") {
			continue
		}
		operation := strings.Trim(cells[1], " `")
		have = append(have, operation)

		calls := code.FindAllStringSubmatch(cells[2], -1)
		assert.NotEmpty(t, calls, "%s has no call", operation)
		for _, call := range calls {
			dot := strings.LastIndex(call[1], ".")
			if receiver := types[call[1][:max(dot, 0)]]; assert.NotNil(t, receiver, "%s: %s", operation, call[1]) {
				_, ok := receiver.MethodByName(call[1][dot+1:])
				assert.True(t, ok, "%s: there is no %s", operation, call[1])
			}
		}
		if command := strings.Trim(cells[3], " `"); command != "" {
			words := strings.Fields(command)
			assert.Equal(t, "erphub", words[0], operation)
			for _, word := range words[1:] {
				assert.Contains(t, commands, `"`+strings.TrimPrefix(word, "--")+`"`, "%s: there is no command %s", operation, command)
			}
		}
		name := strings.Trim(cells[4], " `")
		assert.Regexp(t, `^Test\w+$`, name, operation)
		assert.Contains(t, tests, "\nfunc "+name+"(t *testing.T)", "%s: there is no such test", operation)
	}
	assert.True(t, slices.IsSorted(want))
	slices.Sort(have)
	assert.Equal(t, want, have, "operations of the contract and of the table")
}

// A guide is what somebody reads before the first day is over.
func TestGuidesAreShort(t *testing.T) {
	t.Parallel()
	guides, err := filepath.Glob("guide-*.md")
	require.NoError(t, err)
	require.NotEmpty(t, guides)
	for _, path := range guides {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(strings.Fields(string(text))), 1200, "words of %s", path)
	}
}
