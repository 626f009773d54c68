package sqlstep

import (
	"slices"
	"strings"
	"unicode"
)

type token struct {
	kind rune // a for names, n for numbers, s for texts, o for signs, 0 for the end
	text string
}

func scan(sql string) ([]token, error) {
	var tokens []token
	for i := 0; i < len(sql); {
		rest := sql[i:]
		switch c := rune(sql[i]); {
		case unicode.IsSpace(c):
			i++
		case strings.HasPrefix(rest, "--"):
			comment, _, _ := strings.Cut(rest, "\n")
			i += len(comment)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return nil, refuse("a comment has no end")
			}
			i += end + 4
		case c == '\'':
			text, n, ok := quoted(rest)
			if !ok {
				return nil, refuse("a text has no end")
			}
			tokens = append(tokens, token{'s', text})
			i += n
		case c >= '0' && c <= '9':
			n := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
			tokens = append(tokens, token{'n', rest[:n]})
			i += n
		case isName(c):
			n := strings.IndexFunc(rest, func(r rune) bool { return !isName(r) && (r < '0' || r > '9') })
			if n < 0 {
				n = len(rest)
			}
			tokens = append(tokens, token{'a', rest[:n]})
			i += n
		default:
			sign := rest[:1]
			if slices.Contains([]string{"||", "<>", "!=", "<=", ">="}, rest[:min(2, len(rest))]) {
				sign = rest[:2]
			}
			if !strings.Contains("|| <> != <= >= ( ) , . ; = -", sign) {
				return nil, refuse("%q is not understood", sign)
			}
			tokens = append(tokens, token{'o', sign})
			i += len(sign)
		}
	}
	return append(tokens, token{}), nil
}

func isName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
}

// quoted reads a text in quotes, in which two quotes stand for one.
func quoted(in string) (text string, n int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(in); i++ {
		if in[i] != '\'' {
			b.WriteByte(in[i])
			continue
		}
		if i+1 == len(in) || in[i+1] != '\'' {
			return b.String(), i + 1, true
		}
		b.WriteByte('\'')
		i++
	}
	return "", 0, false
}
