package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// Commands whose --output is a file or a folder, which follow something, or which
// serve. They know --json.
var ownOutput = strings.Fields("demo sandbox add sync generate record process open api server env dict profile")

// Every command that prints data has the flags of output; one that prints none
// refuses --json.
func TestEveryCommandKnowsJSON(t *testing.T) {
	t.Parallel()
	refuse := map[string]bool{
		"dict diagram": true, "generate go": true, "completion": true, "config set": true, "config unset": true,
		"man": true,
	}
	refused := 0
	eachCommand(newProgram(&shell.Shell{}).Commands, nil, func(chain []*cli.Command) {
		c, path := chain[len(chain)-1], pathOf(chain)
		flag := func(name string) bool {
			return slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == name })
		}
		switch {
		case len(c.Subcommands) > 0, path == "help":
		case refuse[path]:
			refused++
			var out, errs bytes.Buffer
			code := execute(t.Context(), append(append([]string{"erphub"}, strings.Fields(path)...), "--json"), nil, shell.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
			assert.Equal(t, shell.ExitUsage, code, path)
			assert.Contains(t, errs.String(), "leave --json out", path)
			assert.Empty(t, out.String(), path)
		case flag("template"):
			assert.True(t, flag("output") && flag("jq"), "%s has --template, and neither --output nor --jq", path)
		default:
			assert.Contains(t, ownOutput, chain[0].Name, "%s has no flags for its output: give it shell.OutputFlags or shell.ValueFlags and print with Print, or shell.TextOnly", path)
		}
	})
	assert.Equal(t, len(refuse), refused)
}
