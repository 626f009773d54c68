package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/internal/text"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"a name":             {"C_Order", `"C_Order"`},
		"empty":              {"", `""`},
		"control characters": {"a\x1b[2J\n", `"a\x1b[2J\n"`},
		"invalid UTF-8":      {"\xff", `"\xff"`},
		"as long as shown":   {strings.Repeat("ä", 70), `"` + strings.Repeat("ä", 70) + `"`},
		"longer":             {strings.Repeat("ä", 71), `"` + strings.Repeat("ä", 70) + `" (cut, 71 characters in all)`},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, text.Quote(c.in)) })
	}
}
