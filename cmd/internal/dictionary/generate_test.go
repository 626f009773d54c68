package dictionary

import (
	"bytes"
	"slices"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/generator"
)

// Every option has a flag of its own, under a name that no other flag has.
func TestFlagsOfGenerators(t *testing.T) {
	t.Parallel()
	program := newProgram(&shell.Shell{})
	for _, group := range program.Commands {
		if group.Name != "generate" {
			continue
		}
		for _, c := range group.Subcommands {
			g, err := generator.Find(c.Name)
			if err != nil {
				continue
			}
			taken := map[string]bool{}
			for _, f := range slices.Concat(program.Flags, c.Flags) {
				for _, name := range f.Names() {
					assert.False(t, taken[name], "%s --%s", c.Name, name)
					taken[name] = true
				}
			}
			for i := range g.Options {
				o := &g.Options[i]
				assert.True(t, taken[optionFlag(o)], "%s: %s", c.Name, o.Name)
			}
		}
	}
}

// What the texts of other people hold does not reach the terminal as commands.
func TestGenerateShowsNothingATerminalObeys(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	code := shell.Run(t.Context(), []string{"erphub", "generate", "plugin", "a\x1b[2Jb", "--name", "\x1b]0;x\a", "--dir", t.TempDir()},
		[]string{"HOME=" + t.TempDir()}, shell.Streams{Out: &out, Err: &errs}, newProgram)
	require.Equal(t, shell.ExitUsage, code)
	assert.NotContains(t, out.String()+errs.String(), "\x1b")
	assert.Contains(t, errs.String(), "artifactId")
}

// newProgram has the commands of this family alone.
func newProgram(sh *shell.Shell) *cli.App { return sh.Program(Commands(sh)...) }
