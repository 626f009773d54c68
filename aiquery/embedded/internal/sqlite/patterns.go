package sqlite

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// likeMatch is SQL's LIKE with an escape character, 0 for none. It takes time
// proportional to the product of the lengths at worst.
func likeMatch(value, pattern string, escape rune) (bool, error) {
	tokens := make([]rune, 0, len(pattern)) // what to match; any and many are below
	const any, many, open = rune(-1), rune(-2), rune(-3)
	rest := pattern
	for rest != "" {
		c, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		switch {
		case escape != 0 && c == escape:
			if rest == "" {
				tokens = append(tokens, open)
				continue
			}
			c, n = utf8.DecodeRuneInString(rest)
			rest = rest[n:]
			tokens = append(tokens, c)
		case c == '%':
			if len(tokens) == 0 || tokens[len(tokens)-1] != many {
				tokens = append(tokens, many)
			}
		case c == '_':
			tokens = append(tokens, any)
		default:
			tokens = append(tokens, c)
		}
	}
	v, p, star, mark := 0, 0, -1, 0
	for v < len(value) {
		c, n := utf8.DecodeRuneInString(value[v:])
		switch {
		case p < len(tokens) && tokens[p] == open:
			return false, errEscape // as in PostgreSQL, only when the match comes that far
		case p < len(tokens) && tokens[p] == many:
			star, mark = p, v
			p++
			continue
		case p < len(tokens) && (tokens[p] == any || tokens[p] == c):
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
	for p < len(tokens) && tokens[p] == many {
		p++
	}
	return p == len(tokens), nil
}

// pattern is a translated regular expression.
type pattern struct {
	re          *regexp.Regexp
	lazy        bool // has non-greedy quantifiers
	alternation bool
	groups      int
}

// bracketClasses are the classes by name, as the insides of a Go class.
var bracketClasses = map[string]string{
	"alpha": `\p{L}`, "digit": `0-9`, "alnum": `\p{L}\p{N}`, "upper": `\p{Lu}`, "lower": `\p{Ll}`,
	"space": `\s\v`, "punct": "!-/:-@\\[-`{-~", "xdigit": `0-9A-Fa-f`, "blank": ` \t`,
}

// classEscapes are the class shorthands, as the insides of a Go class.
var classEscapes = map[byte]string{'d': `0-9`, 'w': `\p{L}\p{N}_`, 's': `\s\v`}

// translate turns a PostgreSQL regular expression into Go's. What the two
// understand differently is refused.
func translate(src string, fold bool) (*pattern, error) {
	p := &pattern{}
	if strings.HasPrefix(src, "***") {
		return nil, errPatternKind
	}
	if rest, ok := strings.CutPrefix(src, "(?i)"); ok {
		src, fold = rest, true
	}
	var b strings.Builder
	b.WriteString("(?s")
	if fold {
		b.WriteByte('i')
	}
	b.WriteByte(')')
	for i := 0; i < len(src); {
		c := src[i]
		switch c {
		case '\\':
			if i+1 == len(src) {
				return nil, errPattern
			}
			e := src[i+1]
			switch {
			case classEscapes[e] != "":
				b.WriteString("[" + classEscapes[e] + "]")
			case e == 'D' || e == 'W' || e == 'S':
				b.WriteString("[^" + classEscapes[e+'a'-'A'] + "]")
			case e == 'A':
				b.WriteString(`\A`)
			case e == 'Z':
				b.WriteString(`\z`)
			case e == 't' || e == 'n' || e == 'r' || e == 'f' || e == 'v':
				b.WriteString(`\` + string(e))
			case e < utf8.RuneSelf && !isWord(e):
				b.WriteString(regexp.QuoteMeta(string(e)))
			default:
				return nil, errPatternKind
			}
			i += 2
		case '[':
			n, class, err := bracket(src[i:])
			if err != nil {
				return nil, err
			}
			b.WriteString(class)
			i += n
		case '(':
			if strings.HasPrefix(src[i:], "(?:") {
				b.WriteString("(?:")
				i += 3
				continue
			}
			if strings.HasPrefix(src[i:], "(?") {
				return nil, errPatternKind
			}
			p.groups++
			b.WriteByte(c)
			i++
		case '*', '+', '?', '}':
			b.WriteByte(c)
			i++
			if i < len(src) && src[i] == '?' {
				p.lazy = true
				b.WriteByte('?')
				i++
			}
			if i < len(src) && strings.IndexByte("*+?{", src[i]) >= 0 {
				return nil, errPattern
			}
		case '|':
			p.alternation = true
			b.WriteByte(c)
			i++
		default:
			b.WriteByte(c)
			i++
		}
	}
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, errPattern
	}
	if !p.lazy {
		re.Longest()
	}
	p.re = re
	return p, nil
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// bracket translates the bracket expression s begins with.
func bracket(s string) (n int, class string, err error) {
	var b strings.Builder
	b.WriteByte('[')
	i := 1
	if i < len(s) && s[i] == '^' {
		b.WriteByte('^')
		i++
	}
	for first := true; ; first = false {
		if i >= len(s) {
			return 0, "", errPattern
		}
		switch c := s[i]; {
		case c == ']' && !first:
			b.WriteByte(']')
			return i + 1, b.String(), nil
		case strings.HasPrefix(s[i:], "[:"):
			end := strings.Index(s[i:], ":]")
			if end < 0 {
				return 0, "", errPattern
			}
			inside := bracketClasses[s[i+2:i+end]]
			if inside == "" {
				return 0, "", errPatternKind
			}
			b.WriteString(inside)
			i += end + 2
		case strings.HasPrefix(s[i:], "[=") || strings.HasPrefix(s[i:], "[."):
			return 0, "", errPatternKind
		case c == '\\':
			if i+1 >= len(s) {
				return 0, "", errPattern
			}
			e := s[i+1]
			switch {
			case classEscapes[e] != "":
				b.WriteString(classEscapes[e])
			case e == 't' || e == 'n' || e == 'r' || e == 'f' || e == 'v':
				b.WriteString(`\` + string(e))
			case e < utf8.RuneSelf && !isWord(e):
				b.WriteString(`\` + string(e))
			default:
				return 0, "", errPatternKind
			}
			i += 2
		case c == '-':
			b.WriteByte('-')
			i++
		case c == '[' || c == ']' || c == '^' || c == '&' || c == '~':
			b.WriteString(`\` + string(c))
			i++
		default:
			b.WriteByte(c)
			i++
		}
	}
}

// similar is SIMILAR TO as a regular expression.
func similar(src string, escape rune) (*pattern, error) {
	var b strings.Builder
	b.WriteString("^(?:")
	inBracket := false
	for rest := src; rest != ""; {
		c, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		switch {
		case escape != 0 && c == escape:
			if rest == "" {
				return nil, errEscape
			}
			c, n = utf8.DecodeRuneInString(rest)
			rest = rest[n:]
			if c == '"' {
				return nil, errPatternKind
			}
			if c < utf8.RuneSelf && !isWord(byte(c)) {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
		case inBracket:
			if c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
			inBracket = c != ']'
		case c == '[':
			inBracket = true
			b.WriteRune(c)
		case c == '%':
			b.WriteString(".*")
		case c == '_':
			b.WriteByte('.')
		case c == '(':
			b.WriteString("(?:")
		case c == '.' || c == '^' || c == '$' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteString(")$")
	return translate(b.String(), false)
}

// replace is regexp_replace: \1 to \9 and \& in the replacement stand for what
// was matched.
func (p *pattern) replace(s, by string, all bool) (string, error) {
	if p.lazy || strings.Contains(by, `\`) && p.alternation && p.groups > 0 {
		return "", errPatternKind
	}
	count := 1
	if all {
		count = -1
	}
	var b strings.Builder
	last := 0
	for _, m := range p.re.FindAllStringSubmatchIndex(s, count) {
		b.WriteString(s[last:m[0]])
		for i := 0; i < len(by); i++ {
			if by[i] != '\\' || i+1 == len(by) {
				b.WriteByte(by[i])
				continue
			}
			i++
			switch c := by[i]; {
			case c == '&':
				b.WriteString(s[m[0]:m[1]])
			case c >= '1' && c <= '9':
				if g := int(c - '0'); 2*g+1 < len(m) && m[2*g] >= 0 {
					b.WriteString(s[m[2*g]:m[2*g+1]])
				}
			case c == '\\':
				b.WriteByte('\\')
			default:
				b.WriteString(`\` + string(c))
			}
		}
		last = m[1]
		if b.Len() > maxText {
			return "", errMemory
		}
	}
	b.WriteString(s[last:])
	return b.String(), nil
}

// find is substring(s from pattern): the first group if there is one, else
// the whole match.
func (p *pattern) find(s string) (string, bool, error) {
	if p.lazy || p.alternation && p.groups > 0 {
		return "", false, errPatternKind
	}
	m := p.re.FindStringSubmatchIndex(s)
	if m == nil {
		return "", false, nil
	}
	if p.groups > 0 {
		m = m[2:]
		if m[0] < 0 {
			return "", false, nil
		}
	}
	return s[m[0]:m[1]], true, nil
}
