package metrics

import "strings"

// substitute replaces the named parameters of a SQL text, :name, outside of texts,
// quoted names and comments. A cast, ::, is not a parameter.
func substitute(sql string, value func(name string) (string, error)) (string, error) {
	var b strings.Builder
	for i := 0; i < len(sql); {
		if n := opaque(sql[i:]); n > 0 {
			b.WriteString(sql[i : i+n])
			i += n
			continue
		}
		if sql[i] != ':' || i+1 == len(sql) || !letter(sql[i+1]) {
			b.WriteByte(sql[i])
			i++
			continue
		}
		end := i + 1
		for end < len(sql) && (letter(sql[end]) || sql[end] >= '0' && sql[end] <= '9') {
			end++
		}
		text, err := value(sql[i+1 : end])
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		i = end
	}
	return b.String(), nil
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// opaque is the length of what begins a text and is copied as it is: a cast, a
// quoted text or name, a comment; 0: nothing of the kind.
func opaque(s string) int {
	until := func(from int, end string) int {
		if i := strings.Index(s[from:], end); i >= 0 {
			return from + i + len(end)
		}
		return len(s)
	}
	switch {
	case strings.HasPrefix(s, "::"):
		return 2
	case s[0] == '\'':
		return until(1, "'")
	case s[0] == '"':
		return until(1, `"`)
	case strings.HasPrefix(s, "--"):
		return until(2, "\n")
	case strings.HasPrefix(s, "/*"):
		return until(2, "*/")
	}
	return 0
}
