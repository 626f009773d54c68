package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever was printed, a picture is well-formed, and no line is wider than it.
func FuzzDraw(f *testing.F) {
	f.Add("a < b && \"c\"", 20)
	f.Add(strings.Repeat("wide ", 40)+"\n\n  äöü"+strings.Repeat("x", 99), 30)
	f.Fuzz(func(t *testing.T, text string, columns int) {
		columns = max(8, min(columns, 200))
		for _, line := range broken(text, columns, "  ") {
			require.LessOrEqual(t, len([]rune(line)), columns)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0xfffd }) {
			return // no text of a terminal
		}
		d := xml.NewDecoder(strings.NewReader(string(Draw(text, columns, []Step{{Command, text}, {Assistant, text}}))))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			require.NoError(t, err)
		}
	})
}

func TestLinesAreBrokenAtBlanks(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"? one two", "  three", "  fourfivesix", "  seven", "x"}, broken("? one two three fourfivesixseven\nx", 13, "  "))
}
