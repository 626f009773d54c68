package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The script works in a real bash: it completes commands and flags, and what
// was typed is never carried out.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	for name, tt := range map[string]struct{ words, want, not string }{
		"command":    {`erphub sand`, "sandbox", "doctor"},
		"subcommand": {`erphub add t`, "table", ""},
		"flag":       {`erphub sandbox --rea`, "--ready-file", "--listen"},
		"all":        {`erphub ""`, "demo", ""},
		"hostile":    {`erphub '$(echo pwned >&2)' '` + "`echo pwned >&2`" + `'`, "", "pwned"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := `source <(erphub completion bash) && complete -p erphub >/dev/null && COMP_WORDS=(` + tt.words + `) &&
				COMP_CWORD=$((${#COMP_WORDS[@]}-1)) && _erphub && printf '%s\n' "${COMPREPLY[@]}"`
			out, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", script).CombinedOutput()
			require.NoError(t, err, string(out))
			if tt.want != "" {
				assert.Contains(t, strings.Fields(string(out)), tt.want)
			}
			if tt.not != "" {
				assert.NotContains(t, string(out), tt.not)
			}
		})
	}
}
