package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// Every command of the families has its place in help, and every place a command.
func TestGroupsOfCommands(t *testing.T) {
	t.Parallel()
	var names, want []string
	for _, c := range newProgram(&shell.Shell{}).Commands {
		if !c.Hidden {
			names = append(names, c.Name)
			assert.NotEmpty(t, c.Category, c.Name)
		}
	}
	for _, g := range groups {
		want = append(want, strings.Fields(g.commands)...)
	}
	assert.Equal(t, want, names)
}
