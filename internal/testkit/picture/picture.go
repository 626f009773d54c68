// Package picture draws what happened in a terminal or in a conversation, for
// documents: as SVG whose lines appear one after the other.
package picture

import (
	"fmt"
	"html"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Kind is how a step looks.
type Kind string

// The kinds of steps.
const (
	Command   Kind = "command"   // what somebody types in a shell
	Output    Kind = "output"    // what a program prints
	Person    Kind = "person"    // what somebody says to an assistant
	Assistant Kind = "assistant" // what it says
	Call      Kind = "call"      // a tool that it calls, with arguments
	Question  Kind = "question"  // what the client asks the person
)

// Step is one thing that happened.
type Step struct {
	Kind Kind
	Text string
}

// looks are the mark before the first line of a kind, its colour, and how many seconds
// later than the step before it appears.
var looks = map[Kind]struct {
	mark, colour string
	pause        float64
}{
	Command:   {"$ ", "#7ee787", 1.6},
	Output:    {"", "#c9d1d9", 0.7},
	Person:    {"You: ", "#ffffff", 0.5},
	Assistant: {"", "#a5d6ff", 1.5},
	Call:      {"→ ", "#d2a8ff", 1.2},
	Question:  {"? ", "#ffa657", 1.2},
}

const (
	charWidth, lineHeight = 8.43, 20
	margin                = 20
)

// Draw draws the steps with lines of so many columns.
func Draw(title string, columns int, steps []Step) []byte {
	var body strings.Builder
	y, at := margin+lineHeight, 0.0
	for _, s := range steps {
		look := looks[s.Kind]
		at += look.pause
		fmt.Fprintf(&body, "<g fill=\"%s\" style=\"animation-delay:%.1fs\">\n", look.colour, at)
		for _, line := range broken(look.mark+s.Text, columns, strings.Repeat(" ", len([]rune(look.mark)))) {
			fmt.Fprintf(&body, "<text x=\"%d\" y=\"%d\">%s</text>\n", margin, y, html.EscapeString(line))
			y += lineHeight
		}
		body.WriteString("</g>\n")
		if s.Kind != Command && s.Kind != Call {
			y += lineHeight / 2
		}
	}
	width := int(charWidth*float64(columns)) + 2*margin
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">
<style>
text { font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
g { animation: appear 0.2s both; }
@keyframes appear { from { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { g { animation: none; } }
</style>
<rect width="100%%" height="100%%" rx="10" fill="#0d1117"/>
%s</svg>
`, width, y, html.EscapeString(title), body.String())
}

// broken are the lines of a text, none wider than columns: those that are go on in the
// next line, after a blank where there is one.
func broken(text string, columns int, indent string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		for {
			runes := []rune(line)
			if len(runes) <= columns {
				break
			}
			end := columns
			if blank := strings.LastIndex(string(runes[:columns]), " "); blank > len(indent) {
				end = len([]rune(string(runes[:columns])[:blank]))
			}
			lines = append(lines, strings.TrimRight(string(runes[:end]), " "))
			line = indent + strings.TrimLeft(string(runes[end:]), " ")
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// Check compares a picture with a file, or writes the file.
func Check(t *testing.T, file string, drawn []byte, update bool) {
	t.Helper()
	if update {
		require.NoError(t, os.WriteFile(file, drawn, 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(drawn), "%s shows something else than what happens: run the test with -update", file)
}
