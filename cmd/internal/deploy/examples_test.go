package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// What the examples for build servers call exists, flag by flag.
func TestExamplesCallWhatExists(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile(`erphub env deploy (\w+)((?:[^\n]|\\\n)*)`)
	flag := regexp.MustCompile(`\s--([a-z-]+)`)
	commands := (&app{&shell.Shell{}}).deployCommand().Subcommands
	for _, path := range []string{"ci-github/deploy.yml", "ci-gitlab/.gitlab-ci.yml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", path))
		require.NoError(t, err)
		calls := command.FindAllStringSubmatch(string(text), -1)
		require.Greater(t, len(calls), 6, path)
		for _, call := range calls {
			i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(call[1]) })
			if !assert.GreaterOrEqual(t, i, 0, "%s: %s", path, call[0]) {
				continue
			}
			for _, f := range flag.FindAllStringSubmatch(call[2], -1) {
				if f[1] == "format" { // of git
					continue
				}
				has := func(flag cli.Flag) bool { return slices.Contains(flag.Names(), f[1]) }
				assert.True(t, slices.ContainsFunc(commands[i].Flags, has), "%s: %s has no --%s", path, call[1], f[1])
			}
		}
	}
}
