package review

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/internal/text"
)

// CommentOptions change what a comment says. Nil and the zero value are the defaults.
type CommentOptions struct {
	// Server is where the changes would be made, for the summary.
	Server string
	// Most is how large the comment may become, in bytes; 0: 60,000, which the
	// usual servers take. What does not fit is counted.
	Most int
}

const (
	defaultMost = 60_000
	leastMost   = 2_000
)

// WriteComment writes the changes in Markdown for a merge request: a summary line, what
// is lost first, the other findings, then all changes, folded. What the dictionary and
// the definitions say is shown as text: it cannot mention people, link or format.
func WriteComment(w io.Writer, result *diff.Result, findings []Finding, opts *CommentOptions) error {
	var o CommentOptions
	if opts != nil {
		o = *opts
	}
	c := &comment{most: max(cmp.Or(o.Most, defaultMost), leastMost)}
	c.line("### Dictionary changes")
	c.line("")
	summary := escaped(result.Summary().String())
	if o.Server != "" {
		summary += " On " + escaped(o.Server) + "."
	}
	if n := len(result.Destructive()); n > 0 {
		summary = fmt.Sprintf("**%d of the changes lose content or remove something** and need `%s`. ", n, AllowDestructive) + summary
	}
	c.line("%s", summary)
	c.findings(findings)
	c.changes(result)
	_, err := w.Write(c.b.Bytes())
	return err
}

// comment is a comment that grows up to its bound.
type comment struct {
	b    bytes.Buffer
	most int
}

// foot is kept free for what closes tables and tells what was left out.
const foot = 300

func (c *comment) line(format string, args ...any) { fmt.Fprintf(&c.b, format+"\n", args...) }

// row writes a row of a table, if there is room.
func (c *comment) row(cells ...string) bool {
	line := "| " + strings.Join(cells, " | ") + " |\n"
	if c.b.Len()+len(line) > c.most-foot {
		return false
	}
	c.b.WriteString(line)
	return true
}

func (c *comment) findings(findings []Finding) {
	if len(findings) == 0 {
		return
	}
	c.line("\n| | what | where | why |\n|---|---|---|---|")
	for i, f := range findings {
		sign := map[Severity]string{Error: "🛑", Warning: "⚠️", Info: "ℹ️"}[f.Severity]
		why := f.Message
		if f.Advice != "" {
			why += "; " + f.Advice
		}
		if !c.row(sign, "`"+f.Rule+"`", escaped(f.Where), escaped(why)) {
			c.line("\n%d more findings are left out.", len(findings)-i)
			return
		}
	}
}

func (c *comment) changes(result *diff.Result) {
	if result.Empty() {
		return
	}
	c.line("\n<details><summary>%d changes</summary>\n\n| | record | details |\n|---|---|---|", len(result.Changes))
	left := 0
	for i, change := range result.Changes {
		var parts []string
		if change.Was != "" {
			parts = append(parts, "renamed from "+escaped(change.Was))
		}
		if change.Detail != "" {
			parts = append(parts, escaped(change.Detail))
		}
		for _, a := range change.Attributes {
			parts = append(parts, fmt.Sprintf("%s: %s → %s", escaped(a.Column), shown(a.Has), shown(a.Wanted)))
		}
		if !c.row(string(change.Action), escaped(string(change.Kind)+" "+change.Name), strings.Join(parts, "<br>")) {
			left = len(result.Changes) - i
			break
		}
	}
	if left > 0 {
		c.line("\n%d more changes are left out; `erphub dict plan` shows all.", left)
	}
	c.line("\n</details>")
}

func shown(value string) string {
	if value == "" {
		return "(none)"
	}
	return escaped(value)
}

// longest is how much of one text is shown.
const longest = 300

// escaped is a text as Markdown that shows it as it is: on one line, without
// formatting, links, HTML, mentions of people or references to issues.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range text.Shorten(text.OneLine(text.Printable(s)), longest) {
		switch {
		case r == utf8.RuneError:
			b.WriteRune('?')
		case r == '_':
			b.WriteString(`\_`)
		case strings.ContainsRune("@#!~:/&<>%$^+\\`*{}[]|", r): // what is formatted, or made into links and mentions
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
