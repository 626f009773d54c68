package sqlite

import (
	"database/sql/driver"
	"strings"
	"unicode"
	"unicode/utf8"
)

func patternFunctions() []scalar {
	like := func(name string, fold bool) scalar {
		return scalar{name: name, args: 3, run: func(in []driver.Value) (driver.Value, error) {
			escape, err := escapeOf(argText(in[2]))
			if err != nil {
				return nil, err
			}
			s, p := argText(in[0]), argText(in[1])
			if fold {
				s, p, escape = strings.Map(unicode.ToLower, s), strings.Map(unicode.ToLower, p), unicode.ToLower(escape)
			}
			ok, err := likeMatch(s, p, escape)
			return boolValue(ok), err
		}}
	}
	return []scalar{like("pg_like", false), like("pg_ilike", true)}
}

func escapeOf(s string) (rune, error) {
	if s == "" {
		return 0, nil
	}
	r, n := utf8.DecodeRuneInString(s)
	if n < len(s) {
		return 0, errEscape
	}
	return r, nil
}

// What stands in a LIKE pattern beside the characters themselves: any of them, any
// number of them, and an escape character that escapes nothing.
const anyRune, manyRunes, openEscape = rune(-1), rune(-2), rune(-3)

// likeTokens reads a LIKE pattern with an escape character, 0 for none.
func likeTokens(pattern string, escape rune) []rune {
	tokens := make([]rune, 0, len(pattern))
	escaped := false
	for _, c := range pattern {
		switch {
		case escaped:
			tokens, escaped = append(tokens, c), false
		case escape != 0 && c == escape:
			escaped = true
		case c == '%':
			if len(tokens) == 0 || tokens[len(tokens)-1] != manyRunes {
				tokens = append(tokens, manyRunes)
			}
		case c == '_':
			tokens = append(tokens, anyRune)
		default:
			tokens = append(tokens, c)
		}
	}
	if escaped {
		tokens = append(tokens, openEscape)
	}
	return tokens
}

// likeMatch is SQL's LIKE with an escape character, 0 for none. It takes time
// proportional to the product of the lengths at worst.
func likeMatch(value, pattern string, escape rune) (bool, error) {
	tokens := likeTokens(pattern, escape)
	v, p, star, mark := 0, 0, -1, 0
	for v < len(value) {
		c, n := utf8.DecodeRuneInString(value[v:])
		switch {
		case p < len(tokens) && tokens[p] == openEscape:
			return false, errEscape // as in PostgreSQL, only when the match comes that far
		case p < len(tokens) && tokens[p] == manyRunes:
			star, mark = p, v
			p++
			continue
		case p < len(tokens) && (tokens[p] == anyRune || tokens[p] == c):
			v += n
			p++
			continue
		case star < 0:
			return false, nil
		}
		_, n = utf8.DecodeRuneInString(value[mark:])
		mark += n
		v, p = mark, star+1
	}
	for p < len(tokens) && tokens[p] == manyRunes {
		p++
	}
	return p == len(tokens), nil
}
