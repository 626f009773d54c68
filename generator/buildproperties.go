package generator

import (
	"slices"
	"strings"
)

// buildProperties is a build.properties. What is not changed is written as it
// was read.
type buildProperties struct {
	lines []string // logical lines as they were read, with line ends
	open  bool     // the last line would go on in the next
	eol   string
}

func parseBuildProperties(data []byte) *buildProperties {
	p := &buildProperties{eol: "\n"}
	text := string(data)
	if strings.Contains(text, "\r\n") {
		p.eol = "\r\n"
	}
	for _, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue
		}
		if p.open {
			p.lines[len(p.lines)-1] += line
		} else {
			p.lines = append(p.lines, line)
		}
		body := strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimLeft(body, " \t\f")
		comment := !p.open && (strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "!"))
		p.open = !comment && (len(body)-len(strings.TrimRight(body, `\`)))%2 == 1
	}
	return p
}

// list is the value of a key that is a list, and the line it stands in, -1 when
// there is none.
func (p *buildProperties) list(key string) ([]string, int) {
	for i, line := range p.lines {
		var whole strings.Builder
		for part := range strings.Lines(line) {
			part = strings.TrimLeft(strings.TrimRight(part, "\r\n"), " \t\f")
			whole.WriteString(strings.TrimSuffix(part, `\`))
		}
		text := whole.String()
		if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "!") {
			continue
		}
		at := strings.IndexAny(text, "=: \t\f")
		if at < 0 || text[:at] != key {
			continue
		}
		value := strings.TrimLeft(text[at:], " \t\f")
		value = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(value, "="), ":"), " \t\f")
		var items []string
		for item := range strings.SplitSeq(value, ",") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
		return items, i
	}
	return nil, -1
}

// include adds entries to bin.includes.
func (p *buildProperties) include(entries ...string) {
	items, at := p.list("bin.includes")
	changed := at < 0
	for _, e := range entries {
		if !slices.Contains(items, e) && !slices.Contains(items, strings.TrimSuffix(e, "/")) {
			items = append(items, e)
			changed = true
		}
	}
	if !changed {
		return
	}
	line := "bin.includes = " + strings.Join(items, `,\`+p.eol+"               ") + p.eol
	if at >= 0 {
		p.lines[at] = line
		return
	}
	if n := len(p.lines); n > 0 && !strings.HasSuffix(p.lines[n-1], "\n") {
		p.lines[n-1] += p.eol
	}
	if p.open { // the empty line ends it
		p.lines[len(p.lines)-1] += p.eol
		p.open = false
	}
	p.lines = append(p.lines, line)
}

func (p *buildProperties) bytes() []byte { return []byte(strings.Join(p.lines, "")) }
