package filter

import "strings"

// wordsOf splits a filter at blanks that stand outside quotes and outside
// parentheses. As in the ERP a quote opens or closes at every occurrence,
// doubled or not, parentheses count also inside quotes, and nobody minds when
// they do not match: what follows is then one word.
func wordsOf(text string) []string {
	var (
		out    []string
		start  int
		depth  int
		quoted bool
	)
	add := func(end int) {
		if end > start {
			out = append(out, text[start:end])
		}
		start = end + 1
	}
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '\'':
			quoted = !quoted
		case ' ':
			if depth == 0 && !quoted {
				add(i)
			}
		}
	}
	add(len(text))
	return out
}

func trim(s string) string { return strings.Trim(s, " \t\r\n") }

// enclosed reports whether s begins and ends with a parenthesis, if only with
// those of two groups.
func enclosed(s string) bool {
	return len(s) >= 2 && s[0] == '(' && s[len(s)-1] == ')'
}

// function is the name of the function that s calls; ok is false when s is no
// call. What ends with a parenthesis without beginning with one is a call for
// the ERP.
func function(s string) (name string, ok bool) {
	s = trim(s)
	if strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return "", false
	}
	if open := strings.IndexByte(s, '('); open > 0 {
		name = s[:open]
	}
	return name, true
}

// argument is what a call of a function with one argument has up to the first
// closing parenthesis.
func argument(s string) (text string, ok bool) {
	opening, closing := strings.IndexByte(s, '('), strings.IndexByte(s, ')')
	if opening < 0 || closing <= opening {
		return "", false
	}
	return trim(s[opening+1 : closing]), true
}

// arguments are the two of a call of a function with two.
func arguments(s string) (first, second string, ok bool) {
	opening, comma, closing := strings.IndexByte(s, '('), strings.IndexByte(s, ','), strings.LastIndexByte(s, ')')
	if comma <= opening || closing < comma {
		return "", "", false
	}
	return trim(s[opening+1 : comma]), trim(s[comma+1 : closing]), true
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
		case ch == separator && depth == 0:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// isQuoted reports whether a literal has quotes at both ends, be it the same one.
func isQuoted(s string) bool {
	return strings.HasPrefix(s, "'") && strings.HasSuffix(s, "'")
}

// inner is a literal without its first and last character, whatever they are.
func inner(s string) (text string, ok bool) {
	runes := []rune(s)
	if len(runes) < 2 {
		return "", false
	}
	return string(runes[1 : len(runes)-1]), true
}
