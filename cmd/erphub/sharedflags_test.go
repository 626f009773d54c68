package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// Several runs in one process do not write to what they share; the race
// detector watches.
func TestRunsSideBySide(t *testing.T) {
	var runs sync.WaitGroup
	for range 8 {
		runs.Go(func() {
			for _, args := range [][]string{{"erphub", "--help"}, {"erphub", "dict", "--help"}, {"erphub", "help", "dict", "diff"}, {"erphub", "version"}} {
				var out, problems bytes.Buffer
				code := execute(t.Context(), args, nil, shell.Streams{In: strings.NewReader(""), Out: &out, Err: &problems})
				assert.Zero(t, code, "%v: %s", args, problems.String())
				assert.NotEmpty(t, out.String(), "%v", args)
			}
		})
	}
	runs.Wait()
}
