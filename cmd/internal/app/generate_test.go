package app

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
)

// Every option has a flag of its own, under a name that no other flag has.
func TestFlagsOfGenerators(t *testing.T) {
	t.Parallel()
	a := &app{}
	for _, group := range a.cli().Commands {
		if group.Name != "generate" && group.Name != "add" {
			continue
		}
		for _, c := range group.Subcommands {
			g, err := generator.Find(c.Name)
			if err != nil {
				continue
			}
			taken := map[string]bool{}
			for _, f := range append(globalFlags(), c.Flags...) {
				for _, name := range f.Names() {
					assert.False(t, taken[name], "%s %s --%s", group.Name, c.Name, name)
					taken[name] = true
				}
			}
			for i := range g.Options {
				o := &g.Options[i]
				assert.Equal(t, group.Name == "generate" || !o.NewOnly, taken[optionFlag(o)], "%s %s: %s", group.Name, c.Name, o.Name)
			}
		}
	}
}

// What the texts of other people hold does not reach the terminal as commands.
func TestGenerateShowsNothingATerminalObeys(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	code := Run(t.Context(), []string{"erphub", "generate", "plugin", "a\x1b[2Jb", "--name", "\x1b]0;x\a", "--dir", t.TempDir()},
		[]string{"HOME=" + t.TempDir()}, Streams{Out: &out, Err: &errs})
	require.Equal(t, exitUsage, code)
	assert.NotContains(t, out.String()+errs.String(), "\x1b")
	assert.Contains(t, errs.String(), "artifactId")
}
