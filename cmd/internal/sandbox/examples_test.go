package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// What the example for build servers calls exists, flag by flag.
func TestExampleCallsWhatExists(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "dictcode", "github.yml"))
	require.NoError(t, err)
	call := regexp.MustCompile(`(?m)^\s*erphub sandbox clone (.*)$`).FindStringSubmatch(string(text))
	require.NotNil(t, call)
	clone := (&app{&shell.Shell{}}).cloneCommand()
	flags := regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(call[1], -1)
	assert.Greater(t, len(flags), 3)
	for _, f := range flags {
		assert.True(t, slices.ContainsFunc(clone.Flags, func(flag cli.Flag) bool { return slices.Contains(flag.Names(), f[1]) }), "clone has no --%s", f[1])
	}
}
