package app

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the examples for build servers call exists, flag by flag.
func TestExamplesCallWhatExists(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile(`erphub env deploy (\w+)((?:[^\n]|\\\n)*)`)
	flag := regexp.MustCompile(`\s--([a-z-]+)`)
	commands := (&app{}).deployCommand().Subcommands
	for _, path := range []string{"ci-github/deploy.yml", "ci-gitlab/.gitlab-ci.yml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", path))
		require.NoError(t, err)
		calls := command.FindAllStringSubmatch(string(text), -1)
		require.Greater(t, len(calls), 6, path)
		for _, call := range calls {
			cmd := find(commands, call[1])
			if !assert.NotNil(t, cmd, "%s: %s", path, call[0]) {
				continue
			}
			for _, f := range flag.FindAllStringSubmatch(call[2], -1) {
				if f[1] == "format" { // of git
					continue
				}
				assert.NotNil(t, lookup(cmd.Flags, f[1]), "%s: %s has no --%s", path, call[1], f[1])
			}
		}
	}
}
