package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/text"
)

// LongestQuestion is the largest size of the text of a [Question], in bytes.
const LongestQuestion = 12_000

// shownOfOld is how many characters of an old value are shown where the whole
// question would be too long.
const shownOfOld = 200

// Name is a value of a [Question] that is written without quotes where it looks
// like a name: letters, digits, "_", "-" and ".". For names of tables and columns,
// and for codes.
type Name string

// Ref is a value of a [Question] that names a record: its number or UUID, and what
// people call it, which may be empty.
type Ref struct {
	ID   any
	Name string
}

// Question is the question to a user before a tool changes something. It is made of
// parts, because it mixes words of the program with texts of records, files and
// assistants: a text value stands in quotes on one line, and what in it controls a
// terminal, hides or reorders text, or is HTML or Markdown to a client that renders
// them, is escaped. So it can neither pass for a word of the program nor change how
// the rest is shown.
//
// Values are a string (in quotes), a [Name], a list of these, a [Ref], a number, a bool, a fmt.Stringer
// (treated as a Name), nil (the word nothing), or a json.RawMessage as records have
// it: of a reference the name and the number are shown.
//
// The same change must always make the same question: it is how a change of the
// record between question and answer is noticed. What the change rests on and nobody
// has to read is added with [Question.Rests].
type Question struct {
	title string
	lines []questionLine
	rests []rest
}

type questionLine struct {
	indent  string
	label   string // followed by a colon; empty: the line is text
	text    string
	changes bool // from old to text
	old     any
}

// Ask begins a question. The verbs of format are %s, for values.
func Ask(format string, values ...any) *Question {
	return &Question{title: sentence(format, values)}
}

// Fact adds a line that tells one thing.
func (q *Question) Fact(label string, value any) *Question {
	return q.add(questionLine{label: label, text: shown(value)})
}

// Change adds a line that tells what was and what will be.
func (q *Question) Change(label string, from, to any) *Question {
	return q.add(questionLine{label: label, text: shown(to), changes: true, old: from})
}

// Say adds a sentence; its verbs are those of [Ask].
func (q *Question) Say(format string, values ...any) *Question {
	return q.add(questionLine{text: sentence(format, values)})
}

// Part adds the lines of another question, whose title begins them.
func (q *Question) Part(part *Question) *Question {
	q.add(questionLine{text: part.title})
	for _, l := range part.lines {
		l.indent += "   "
		q.add(l)
	}
	for _, r := range part.rests {
		q.rests = append(q.rests, rest{part.title + " " + r.label, r.value})
	}
	return q
}

func (q *Question) add(l questionLine) *Question {
	q.lines = append(q.lines, l)
	return q
}

// Text is the question as it is shown. Where it would be longer than
// [LongestQuestion], long old values are cut, each with its length and a digest of
// the whole. What is still too long is an [*Error] with [CodeTooLarge]: nobody can
// agree to what they are not shown.
func (q *Question) Text() (string, error) {
	whole := q.render(false)
	if len(whole) <= LongestQuestion {
		return whole, nil
	}
	if cut := q.render(true); len(cut) <= LongestQuestion {
		return cut, nil
	}
	return "", &Error{
		Code:    CodeTooLarge,
		Message: fmt.Sprintf("the change is more than a user can be shown in one question: %d bytes, and at most %d are possible", len(whole), LongestQuestion),
		Hint:    "nothing was changed; split it into several calls with fewer records, columns or shorter texts",
	}
}

func (q *Question) render(cut bool) string {
	var b strings.Builder
	b.WriteString(q.title)
	for _, l := range q.lines {
		b.WriteString("\n" + l.indent)
		if l.label != "" {
			b.WriteString(shown(Name(l.label)) + ": ")
		}
		if l.changes {
			b.WriteString("from " + oldValue(l.old, cut) + " to ")
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// oldValue is what a value was, or with cut its beginning.
func oldValue(value any, cut bool) string {
	whole := shown(value)
	n := len([]rune(whole))
	if !cut || n <= 2*shownOfOld {
		return whole
	}
	return fmt.Sprintf("%s … (%d characters, of which the first %d are shown; SHA-256 %s)", text.First(whole, shownOfOld), n, shownOfOld, digest(whole))
}

// sentence fills in values.
func sentence(format string, values []any) string {
	texts := make([]any, len(values))
	for i, v := range values {
		texts[i] = shown(v)
	}
	return fmt.Sprintf(format, texts...)
}

// shown is a value as people read it.
func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return "nothing"
	case Name:
		if ValidName(string(v)) && !markup().MatchString(string(v)) {
			return string(v)
		}
		return quote(string(v))
	case Ref:
		id, name := shown(v.ID), quote(v.Name)
		if v.Name == "" || slices.Contains([]string{name, v.Name}, id) {
			return id
		}
		return name + " (" + id + ")"
	case []string:
		return listed(v, func(s string) any { return s })
	case []Name:
		return listed(v, func(n Name) any { return n })
	case json.RawMessage:
		return shownJSON(v)
	case fmt.Stringer:
		return shown(Name(v.String()))
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.String:
		return quote(v.String())
	case reflect.Bool, reflect.Int, reflect.Int64:
		return fmt.Sprint(value)
	}
	raw, err := encodePlain(value)
	if err != nil {
		return quote(fmt.Sprint(value))
	}
	return shownJSON(raw)
}

// markup is what programs that render HTML or Markdown would not show as it is: tags,
// entities, links, code, and what is slanted, bold or struck out.
var markup = lazyregexp.New("<[A-Za-z/!?]|&#?[0-9A-Za-z]+;|\\][\\[(:]|`|[*][^*]*[*]+|_{2,}|~{2,}")

// unrendered escapes markup, as JSON would.
func unrendered(s string) string {
	return markup().ReplaceAllStringFunc(s, func(m string) string {
		var b strings.Builder
		for i, r := range m {
			if i == 0 || strings.ContainsRune("*_~", r) {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
		return b.String()
	})
}

// quote is a text in quotes.
func quote(s string) string { return unrendered(text.QuoteAll(s)) }

func listed[T any](list []T, as func(T) any) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = shown(as(v))
	}
	return strings.Join(texts, ", ")
}

// shownJSON is a value of a record.
func shownJSON(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	var plain string
	var ref struct {
		ID         json.RawMessage `json:"id"`
		Identifier *string         `json:"identifier"`
		Name       *string         `json:"name"`
	}
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "nothing"
	case raw[0] == '"' && json.Unmarshal(raw, &plain) == nil:
		return quote(plain)
	case raw[0] == '{' && json.Unmarshal(raw, &ref) == nil && len(ref.ID) > 0 && (ref.Identifier != nil || ref.Name != nil):
		name := ref.Identifier
		if name == nil {
			name = ref.Name
		}
		id := shownJSON(ref.ID)
		if json.Unmarshal(ref.ID, &plain) == nil { // a list has codes
			id = shown(Name(plain))
		}
		return fmt.Sprintf("%s (%s)", quote(*name), id)
	}
	return unrendered(string(escapeHidden(slices.Clone(raw))))
}

// Changed is the error of a tool that did nothing, because what the user agreed to
// is no longer what would be done: was and now are the texts of both questions.
func Changed(tool, was, now string) *Error {
	gone, come := linesWithout(was, now), linesWithout(now, was)
	var told []string
	for i := range max(len(gone), len(come)) {
		switch {
		case i >= len(come):
			told = append(told, gone[i]+" -> this is no longer so")
		case i >= len(gone):
			told = append(told, "new: "+come[i])
		default:
			told = append(told, gone[i]+" -> "+come[i])
		}
	}
	return &Error{
		Code: CodeConflict, Message: text.FirstBytes("what the user agreed to changed in the meantime, and "+tool+" did nothing:\n"+strings.Join(told, "\n"), LongestQuestion),
		Hint: "tell the user what changed; call again only if they still want it",
	}
}

// linesWithout are the lines of a text that another does not have.
func linesWithout(a, b string) []string {
	other := strings.Split(b, "\n")
	return slices.DeleteFunc(strings.Split(a, "\n"), func(line string) bool { return slices.Contains(other, line) })
}
