package filter

import "strings"

// tokens splits a filter at blanks that stand outside quotes and outside
// parentheses. As in the ERP a quote opens or closes at every occurrence,
// doubled or not, and parentheses count also inside quotes.
func tokens(text string) ([]string, error) {
	var (
		out    []string
		start  = -1
		depth  int
		quoted bool
	)
	for i := range len(text) {
		ch := text[i]
		if blank(ch) && !quoted && depth == 0 {
			if start >= 0 {
				out = append(out, text[start:i])
				start = -1
			}
			continue
		}
		if start < 0 {
			start = i
		}
		switch ch {
		case '\'':
			quoted = !quoted
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return nil, broken("A closing parenthesis has no opening one at position %d", i+1)
			}
		}
	}
	if depth > 0 {
		return nil, broken("The expression ends before its parentheses are closed")
	}
	if start >= 0 {
		out = append(out, text[start:])
	}
	return out, nil
}

func blank(ch byte) bool { return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r' }

func trim(s string) string { return strings.Trim(s, " \t\r\n") }

// enclosed tells whether the parenthesis that opens s closes at its end.
func enclosed(s string) bool {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return false
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(s)-1
			}
		}
	}
	return false
}

// call takes name(arguments) apart; ok is false when s is no call.
func call(s string) (name, arguments string, ok bool) {
	open := strings.IndexByte(s, '(')
	if open <= 0 || strings.IndexByte(s[:open], '\'') >= 0 || !enclosed(s[open:]) {
		return "", "", false
	}
	return s[:open], s[open+1 : len(s)-1], true
}

// split cuts s at every separator outside parentheses. Parentheses that do
// not match are left to whoever reads the parts.
func split(s string, separator byte) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch ch := s[i]; {
		case ch == '(':
			depth++
		case ch == ')':
			depth--
		case ch == separator && depth <= 0:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// unquote takes the quotes off a literal; ok is false when it has none.
func unquote(s string) (text string, ok bool) {
	if len(s) < 2 || s[0] != '\'' || s[len(s)-1] != '\'' {
		return s, false
	}
	return s[1 : len(s)-1], true
}
