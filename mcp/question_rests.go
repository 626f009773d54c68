package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// shownOfRest is how many characters of a value that a change rests on are kept, to
// say what it was; of a longer one half of them and a digest.
const shownOfRest = 80

// rest is a value that a change rests on.
type rest struct{ label, value string }

// Rests adds a value that the change rests on, such as a column of the record that
// goes. The question does not show it; when it is another at the answer, the change is
// refused, and the error names the value.
func (q *Question) Rests(label string, value any) *Question {
	whole := shown(value)
	if len([]rune(whole)) > shownOfRest {
		whole = text.First(whole, shownOfRest/2) + "… (SHA-256 " + digest(whole) + ")"
	}
	q.rests = append(q.rests, rest{shown(Name(label)), whole})
	return q
}

// state is what the change rests on, a value on a line. Where that is long, the end
// is a digest.
func (q *Question) state() string {
	var b strings.Builder
	for i, r := range q.rests {
		line := "\n" + r.label + ": " + r.value
		if b.Len()+len(line) <= LongestQuestion {
			b.WriteString(line)
			continue
		}
		sum := sha256.New()
		for _, r := range q.rests[i:] {
			sum.Write([]byte(line))
			line = "\n" + r.label + ": " + r.value
		}
		sum.Write([]byte(line))
		return b.String() + "\nfurther values: SHA-256 " + hex.EncodeToString(sum.Sum(nil)[:6])
	}
	return b.String()
}

// digest tells one text from another.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}

type stateKey struct{}

// Whole is the text that the answer to a question is bound to: the question, and what the
// change rests on that it does not show. ctx is that of Call.Confirm. It is for
// whoever keeps the question until the answer comes; users are shown the question.
func Whole(ctx context.Context, question string) string {
	state, _ := ctx.Value(stateKey{}).(string)
	return question + state
}
