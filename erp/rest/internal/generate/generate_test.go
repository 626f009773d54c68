package generate

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRuntimeHasTheVersionOfTheGenerator(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../../go.mod")
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^\s*(require )?`+strings.ReplaceAll(Module+" "+Version, ".", `\.`)+`(\s|$)`, string(b))
}

func TestGuardNoticesAnotherTemplate(t *testing.T) {
	t.Parallel()
	for name, tmpl := range map[string]string{"gone": "x", "twice": anchor + anchor} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := guarded(tmpl)
			assert.ErrorContains(t, err, "want one")
		})
	}
	out, err := guarded("a\n" + anchor + "b")
	require.NoError(t, err)
	assert.Contains(t, out, "var err error\n"+guard+"{{range")
}

func TestConfigurationNeedsOptions(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/c.yaml"
	require.NoError(t, os.WriteFile(file, []byte("package: rest\n"), 0o600))
	_, err := configure(file, "")
	assert.ErrorContains(t, err, "output-options")
}
