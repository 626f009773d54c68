package diff

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// WriteText writes the changes for a person: a line per record that is created
// (+), updated in place or renamed (~) or removed (-), with the attributes of updates
// below, and the count at the end.
func (r *Result) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	table := ""
	for _, c := range r.Changes {
		if c.Table != table {
			if table != "" {
				fmt.Fprintln(b)
			}
			table = c.Table
			fmt.Fprintf(b, "# %s\n", text.OneLine(table))
		}
		line := fmt.Sprintf("  %s %s %s", sign(c.Action), c.Kind, text.OneLine(c.Name))
		if c.Detail != "" {
			line += "  " + text.OneLine(c.Detail)
		}
		if c.Was != "" {
			line += "  renamed from " + text.OneLine(c.Was)
		}
		if c.Destructive != "" && c.Action == Remove {
			line += "  (destructive: " + c.Destructive + ")"
		}
		fmt.Fprintln(b, line)
		for _, a := range c.Attributes {
			line := fmt.Sprintf("      %s: %s -> %s", a.Column, value(a.Has), value(a.Wanted))
			if a.Destructive != "" {
				line += "  (destructive: " + a.Destructive + ")"
			}
			fmt.Fprintln(b, line)
		}
	}
	if len(r.Changes) > 0 {
		fmt.Fprintln(b)
	}
	fmt.Fprintln(b, r.Summary())
	return b.Flush()
}

// String is "Plan: 3 to add, 1 to change, 0 to remove."
func (s Summary) String() string {
	if s == (Summary{}) {
		return "No changes: the ERP is as the definitions say."
	}
	renamed := ""
	if s.Rename > 0 {
		renamed = fmt.Sprintf(", %d to rename", s.Rename)
	}
	return fmt.Sprintf("Plan: %d to add, %d to change, %d to remove%s.", s.Add, s.Change, s.Remove, renamed)
}

func sign(a Action) string {
	switch a {
	case Create:
		return "+"
	case Remove:
		return "-"
	}
	return "~"
}

// value shows a value: in quotes when it has blanks, and at a readable length.
func value(s string) string {
	const limit = 60
	if s == "" {
		return "(none)"
	}
	s = text.Shorten(text.OneLine(s), limit)
	if strings.ContainsAny(s, " \"") {
		return fmt.Sprintf("%q", s)
	}
	return s
}
