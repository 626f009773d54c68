package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The dump shows what importers see, without comments and without what is not
// theirs, and is the same every time.
func TestDump(t *testing.T) {
	t.Parallel()
	text, err := dump("../..")
	require.NoError(t, err)
	for _, want := range []string{
		"package erp // import \"github.com/erphub/erphub/erp\"\n",
		"\nfunc New(baseURL string, opts ...Option) (*Client, error)\n",
		"\ntype TokenSource interface {\n\tToken(ctx context.Context) (string, error)\n}\n",
		"\nfunc (p *Plan) Steps() []Step\n",
	} {
		assert.Contains(t, string(text), want)
	}
	for _, not := range []string{"package rest ", "package main ", "/internal/", "\n// "} {
		assert.NotContains(t, string(text), not)
	}
	again, err := dump("../..")
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
}
