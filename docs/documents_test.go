package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Messages that the document explains are in the sources: one that changed would
// be searched for in vain.
func TestMessagesOfTroubleshooting(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("troubleshooting.md")
	require.NoError(t, err)
	sources := goSource(t, "..", false)
	sources = regexp.MustCompile(`" ?\+\s*"`).ReplaceAllString(sources, "") // literals over several lines
	sources = strings.ReplaceAll(sources, `\"`, `"`)
	headings := regexp.MustCompile("(?m)^### `(.+)`$").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(headings), 30)
	for _, heading := range headings {
		for part := range strings.SplitSeq(heading[1], "…") {
			part = strings.TrimSpace(part)
			assert.GreaterOrEqual(t, len(part), 10, "too short to be found: %s", heading[1])
			assert.True(t, strings.Contains(sources, part), "no program says so any more: %s", heading[1])
		}
	}
}

// pages are the documents that people read: name and text.
func pages(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.md")
	require.NoError(t, err)
	out := map[string]string{}
	for _, file := range append(files, "../README.md", "../CONTRIBUTING.md", "../SECURITY.md", "../CHANGELOG.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		out[file] = string(text)
	}
	return out
}

// Whoever looks for a document finds it in the index.
func TestIndexNamesEveryDocument(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for file := range all {
		if filepath.Dir(file) == "." && file != "README.md" {
			assert.True(t, strings.Contains(all["README.md"], "]("+file+")"), "docs/README.md does not name %s", file)
		}
	}
}
