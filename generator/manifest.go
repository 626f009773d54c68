package generator

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/text"
)

// manifestLine is how long a line of a manifest may be, its end included.
const manifestLine = 72

// header is one header of a manifest.
type header struct {
	name  string
	value string
	raw   string // as it was read, with its line ends; empty: it was changed
}

// manifest is the main section of a MANIFEST.MF. Headers that are not changed
// are written as they were read.
type manifest struct {
	headers []header
	rest    string // sections behind the main one
	eol     string
}

// parseManifest reads a manifest.
func parseManifest(data []byte) (*manifest, error) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		return nil, errors.New("the manifest is not valid UTF-8")
	}
	m := &manifest{eol: "\n"}
	if strings.Contains(text, "\r\n") {
		m.eol = "\r\n"
	}
	number := 0
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		raw := text[:len(text)-len(rest)]
		line = strings.TrimSuffix(line, "\r")
		number++
		if line == "" {
			m.rest = text
			break
		}
		text = rest
		if more, ok := strings.CutPrefix(line, " "); ok {
			if len(m.headers) == 0 {
				return nil, fmt.Errorf("line %d of the manifest continues nothing", number)
			}
			h := &m.headers[len(m.headers)-1]
			h.value += more
			h.raw += raw
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("line %d of the manifest is not a header: %s", number, quote(line))
		}
		if _, twice := m.lookup(name); twice {
			return nil, fmt.Errorf("the manifest has the header %s twice", name)
		}
		m.headers = append(m.headers, header{name: name, value: strings.TrimPrefix(value, " "), raw: raw})
	}
	if len(m.headers) == 0 {
		return nil, errors.New("the manifest is empty")
	}
	for _, h := range m.headers {
		if _, open := splitQuoted(h.value); open && isList(h.name) {
			return nil, fmt.Errorf("the header %s of the manifest has quotes that do not end", h.name)
		}
	}
	return m, nil
}

func (m *manifest) lookup(name string) (*header, bool) {
	for i := range m.headers {
		if strings.EqualFold(m.headers[i].name, name) {
			return &m.headers[i], true
		}
	}
	return nil, false
}

// get is the value of a header, "" when there is none.
func (m *manifest) get(name string) string {
	if h, ok := m.lookup(name); ok {
		return strings.TrimSpace(h.value)
	}
	return ""
}

// set gives a header a value, at the end when it is new.
func (m *manifest) set(name, value string) {
	value = manifestText(value)
	if h, ok := m.lookup(name); ok {
		if strings.TrimSpace(h.value) != value {
			h.value, h.raw = value, ""
		}
		return
	}
	m.headers = append(m.headers, header{name: name, value: value})
}

// symbolicName is the name of the bundle without directives.
func (m *manifest) symbolicName() string { return clausePath(m.get("Bundle-SymbolicName")) }

// clauses are the parts of a header that is a list.
func (m *manifest) clauses(name string) []string { return splitClauses(m.get(name)) }

// require adds a clause to a header that is a list, unless the list names the
// same already.
func (m *manifest) require(name, clause string) {
	all := m.clauses(name)
	for _, c := range all {
		if clausePath(c) == clausePath(clause) {
			return
		}
	}
	m.set(name, strings.Join(append(all, clause), ","))
}

// clausePath is a clause without attributes and directives.
func clausePath(clause string) string {
	path, _, _ := strings.Cut(clause, ";")
	return strings.TrimSpace(path)
}

// splitClauses splits at commas that are not in quotes.
func splitClauses(value string) []string {
	all, _ := splitQuoted(value)
	return all
}

// splitQuoted splits at commas that are not in quotes, in which a backslash
// takes away the meaning of what follows. open is set when the last quotes do
// not end.
func splitQuoted(value string) (clauses []string, open bool) {
	start := 0
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			open = !open
		case c == '\\' && open:
			i++
		case c == ',' && !open:
			clauses = append(clauses, strings.TrimSpace(value[start:i]))
			start = i + 1
		}
	}
	if last := strings.TrimSpace(value[start:]); last != "" {
		clauses = append(clauses, last)
	}
	return clauses, open
}

// isList reports whether a header is a list of clauses.
func isList(name string) bool {
	switch strings.ToLower(name) {
	case "require-bundle", "import-package", "export-package", "service-component":
		return true
	}
	return false
}

// bytes writes the manifest.
func (m *manifest) bytes() []byte {
	var b strings.Builder
	for _, h := range m.headers {
		if h.raw != "" {
			b.WriteString(h.raw)
			if !strings.HasSuffix(h.raw, "\n") {
				b.WriteString(m.eol)
			}
			continue
		}
		m.fold(&b, h)
	}
	b.WriteString(m.rest)
	return []byte(b.String())
}

// fold writes a header, lists one clause per line, all lines short enough.
func (m *manifest) fold(b *strings.Builder, h header) {
	parts := []string{h.value}
	if isList(h.name) {
		parts = splitClauses(h.value)
	}
	if len(parts) == 0 {
		parts = []string{""}
	}
	start := h.name + ": "
	for i, p := range parts {
		if i < len(parts)-1 {
			p += ","
		}
		line := start + p
		limit := manifestLine - 1
		for len(line) > limit {
			first := text.FirstBytes(line, limit)
			b.WriteString(first + m.eol)
			line = " " + line[len(first):]
		}
		b.WriteString(line + m.eol)
		start = " "
	}
}
