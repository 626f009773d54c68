package planfile

import (
	"fmt"

	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/internal/text"
)

// compared says what is different between the changes that were saved and those that
// are found now.
func compared(saved, now []diff.Change) []string {
	var lines []string
	found := map[string]diff.Change{}
	for _, c := range now {
		found[identity(c)] = c
	}
	before := map[string]bool{}
	for _, c := range saved {
		before[identity(c)] = true
		is, ok := found[identity(c)]
		switch {
		case !ok && c.Action == diff.Create:
			lines = append(lines, fmt.Sprintf("%s %s, which was to be created, is there by now", c.Kind, c.Name))
		case !ok && c.Action == diff.Remove:
			lines = append(lines, fmt.Sprintf("%s %s, which was to be removed, is gone", c.Kind, c.Name))
		case !ok && c.Action == diff.Rename:
			lines = append(lines, fmt.Sprintf("%s %s was to be renamed from %s, which is not there any more", c.Kind, c.Name, c.Was))
		case !ok:
			lines = append(lines, fmt.Sprintf("%s %s does not need what was planned any more", c.Kind, c.Name))
		default:
			lines = append(lines, attributes(c, is)...)
			if c.Detail != is.Detail {
				lines = append(lines, fmt.Sprintf("%s %s is %s now, was %s", c.Kind, c.Name, is.Detail, c.Detail))
			}
		}
	}
	for _, c := range now {
		if !before[identity(c)] {
			lines = append(lines, fmt.Sprintf("%s %s: not planned, but needed by now: %s", c.Kind, c.Name, c.Action))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "the changes are the same, but the steps to make them are others: the file, or the program that made it, is not the same")
	}
	return lines
}

func identity(c diff.Change) string {
	return string(c.Action) + "\x00" + string(c.Kind) + "\x00" + c.Name
}

// attributes says what is different about the attributes of one record.
func attributes(saved, now diff.Change) []string {
	var lines []string
	is := map[string]diff.Attribute{}
	for _, a := range now.Attributes {
		is[a.Column] = a
	}
	for _, a := range saved.Attributes {
		n, ok := is[a.Column]
		delete(is, a.Column)
		switch {
		case !ok:
			lines = append(lines, fmt.Sprintf("%s %s: %s was %s and is %s by now, as planned", saved.Kind, saved.Name, a.Column, shown(a.Has), shown(a.Wanted)))
		case n.Has != a.Has:
			lines = append(lines, fmt.Sprintf("%s %s: %s was %s and is %s now", saved.Kind, saved.Name, a.Column, shown(a.Has), shown(n.Has)))
		case n.Wanted != a.Wanted:
			lines = append(lines, fmt.Sprintf("%s %s: %s was to be %s, the definition says %s", saved.Kind, saved.Name, a.Column, shown(a.Wanted), shown(n.Wanted)))
		}
	}
	for _, a := range now.Attributes {
		if _, more := is[a.Column]; more {
			lines = append(lines, fmt.Sprintf("%s %s: %s is %s now, not %s", saved.Kind, saved.Name, a.Column, shown(a.Has), shown(a.Wanted)))
		}
	}
	return lines
}

func shown(value string) string {
	if value == "" {
		return "empty"
	}
	const limit = 60
	return text.Shorten(text.OneLine(value), limit)
}
