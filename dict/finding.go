package dict

import (
	"fmt"
	"strings"
)

// Finding is one thing that is wrong with a definition.
type Finding struct {
	Where string // "XX_Foo", "XX_Foo.Name", "XX_Foo index xx_foo_name"
	Rule  string // short name of the rule, stable: "name.prefix", "column.clash"
	What  string // what is wrong
	Do    string // what to do about it
}

// String is the finding in one line.
func (f Finding) String() string {
	if f.Do == "" {
		return fmt.Sprintf("%s: %s", f.Where, f.What)
	}
	return fmt.Sprintf("%s: %s; %s", f.Where, f.What, f.Do)
}

// ValidationError holds everything that is wrong with a definition; there is at
// least one finding.
type ValidationError struct {
	Findings []Finding
}

// maxShownFindings keeps the text of an error readable; the value has them all.
const maxShownFindings = 20

// Error lists the findings, one per line, the first 20 of them.
func (e *ValidationError) Error() string {
	var b strings.Builder
	if len(e.Findings) == 1 {
		return "the definition cannot be used: " + e.Findings[0].String()
	}
	fmt.Fprintf(&b, "the definition cannot be used, %d findings:", len(e.Findings))
	for i, f := range e.Findings {
		if i == maxShownFindings {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Findings)-i)
			break
		}
		b.WriteString("\n  " + f.String())
	}
	return b.String()
}

// findings collects.
type findings struct {
	list []Finding
}

func (f *findings) add(where, rule, what, do string) {
	f.list = append(f.list, Finding{Where: where, Rule: rule, What: what, Do: do})
}

func (f *findings) err() error {
	if len(f.list) == 0 {
		return nil
	}
	return &ValidationError{Findings: f.list}
}

// text checks one stored text; an empty one is fine.
func (f *findings) text(where, rule, label, text string, limit int) {
	if problem := checkText(text, limit); problem != "" {
		f.add(where, rule, fmt.Sprintf("%s %s %s", label, quote(text), problem), "shorten or clean it")
	}
}
