package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// Every command of the families has its place in help, and every place a command.
func TestHelpOrder(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range newProgram(&shell.Shell{}).Commands {
		names = append(names, c.Name)
	}
	assert.Equal(t, helpOrder, names)
}
