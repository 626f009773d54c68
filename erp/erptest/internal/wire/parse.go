package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds how deep arrays and objects may be nested.
const maxDepth = 100

// SyntaxError says what is wrong with a JSON text, and where.
type SyntaxError struct {
	Offset  int // in bytes
	Message string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Message, e.Offset) }

// Parse reads one JSON value as leniently as the ERP does: comments, names
// and texts without quotes or in single quotes, and ; between members are
// accepted. Objects become *Object, arrays []any, numbers json.Number with
// their digits, and text, true, false and null the usual Go values. Of two
// members of one name the last counts. An empty text is nil, as null is.
func Parse(text []byte) (any, error) {
	p := &parser{in: string(text)}
	if !utf8.ValidString(p.in) {
		p.in = string([]rune(p.in)) // every bad byte becomes U+FFFD
	}
	p.in = strings.TrimPrefix(p.in, "\uFEFF")
	if err := p.blanks(); err != nil {
		return nil, err
	}
	if p.at == len(p.in) {
		return nil, nil
	}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err := p.blanks(); err != nil {
		return nil, err
	}
	if p.at < len(p.in) {
		return nil, p.fail("unexpected text after the value")
	}
	return v, nil
}

type parser struct {
	in string
	at int
}

func (p *parser) fail(message string) error { return &SyntaxError{Offset: p.at, Message: message} }

// blanks skips white space and comments.
func (p *parser) blanks() error {
	for p.at < len(p.in) {
		switch c := p.in[p.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.at++
		case c == '#' || strings.HasPrefix(p.in[p.at:], "//"):
			end := strings.IndexAny(p.in[p.at:], "\r\n")
			if end < 0 {
				end = len(p.in) - p.at
			}
			p.at += end
		case strings.HasPrefix(p.in[p.at:], "/*"):
			end := strings.Index(p.in[p.at+2:], "*/")
			if end < 0 {
				return p.fail("unterminated comment")
			}
			p.at += end + 4
		default:
			return nil
		}
	}
	return nil
}

func (p *parser) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, p.fail("nested too deeply")
	}
	if p.at == len(p.in) {
		return nil, p.fail("unexpected end")
	}
	switch c := p.in[p.at]; c {
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	case '"', '\'':
		return p.quoted(c)
	}
	word := p.word()
	switch {
	case word == "":
		return nil, p.fail("a value is missing")
	case strings.EqualFold(word, "true"):
		return true, nil
	case strings.EqualFold(word, "false"):
		return false, nil
	case strings.EqualFold(word, "null"):
		return nil, nil
	case isNumber(word):
		return json.Number(word), nil
	}
	return word, nil
}

func (p *parser) object(depth int) (any, error) {
	o := &Object{}
	p.at++
	for comma := false; ; {
		if err := p.blanks(); err != nil {
			return nil, err
		}
		if p.at == len(p.in) {
			return nil, p.fail("unterminated object")
		}
		if p.in[p.at] == '}' {
			if comma {
				return nil, p.fail("a name is missing")
			}
			p.at++
			return o, nil
		}
		name, err := p.name()
		if err != nil {
			return nil, err
		}
		if err := p.blanks(); err != nil {
			return nil, err
		}
		if !p.colon() {
			return nil, p.fail("a colon is missing")
		}
		if err := p.blanks(); err != nil {
			return nil, err
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		o.Set(name, v)
		if err := p.blanks(); err != nil {
			return nil, err
		}
		if p.at == len(p.in) {
			return nil, p.fail("unterminated object")
		}
		switch comma = false; p.in[p.at] {
		case ',', ';':
			comma = true
			p.at++
		case '}':
		default:
			return nil, p.fail("unexpected text in an object")
		}
	}
}

func (p *parser) name() (string, error) {
	if c := p.in[p.at]; c == '"' || c == '\'' {
		return p.quoted(c)
	}
	if name := p.word(); name != "" {
		return name, nil
	}
	return "", p.fail("a name is missing")
}

// colon goes past what stands between a name and its value.
func (p *parser) colon() bool {
	for _, sign := range []string{"=>", ":", "="} {
		if strings.HasPrefix(p.in[p.at:], sign) {
			p.at += len(sign)
			return true
		}
	}
	return false
}

func (p *parser) array(depth int) (any, error) {
	list := []any{}
	p.at++
	for {
		if err := p.blanks(); err != nil {
			return nil, err
		}
		if p.at == len(p.in) {
			return nil, p.fail("unterminated array")
		}
		switch p.in[p.at] {
		case ']':
			p.at++
			return list, nil
		case ',', ';':
			return nil, p.fail("a value is missing")
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if err := p.blanks(); err != nil {
			return nil, err
		}
		if p.at == len(p.in) {
			return nil, p.fail("unterminated array")
		}
		switch p.in[p.at] {
		case ',', ';':
			p.at++
		case ']':
		default:
			return nil, p.fail("unexpected text in an array")
		}
	}
}

// quoted reads a text in the given quotes.
func (p *parser) quoted(quote byte) (string, error) {
	p.at++
	var b strings.Builder
	for p.at < len(p.in) {
		c := p.in[p.at]
		p.at++
		switch c {
		case quote:
			return b.String(), nil
		case '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", p.fail("unterminated text")
}

func (p *parser) escape(b *strings.Builder) error {
	if p.at == len(p.in) {
		return p.fail("unterminated text")
	}
	c := p.in[p.at]
	p.at++
	switch c {
	case 'b', 'f', 'n', 'r', 't':
		b.WriteByte("\b\f\n\r\t"[strings.IndexByte("bfnrt", c)])
	case '"', '\'', '\\', '/', '\n':
		b.WriteByte(c)
	case 'u':
		r, err := p.hex4()
		if err != nil {
			return err
		}
		if r >= 0xD800 && r < 0xDC00 && strings.HasPrefix(p.in[p.at:], `\u`) {
			mark := p.at
			p.at += 2
			low, err := p.hex4()
			if err != nil {
				return err
			}
			if low >= 0xDC00 && low < 0xE000 {
				r = (r-0xD800)<<10 + (low - 0xDC00) + 0x10000
			} else {
				p.at = mark
			}
		}
		b.WriteRune(r) // a lone surrogate becomes U+FFFD
	default:
		return p.fail("unknown escape")
	}
	return nil
}

func (p *parser) hex4() (rune, error) {
	if len(p.in)-p.at < 4 {
		return 0, p.fail("unterminated escape")
	}
	n, err := strconv.ParseUint(p.in[p.at:p.at+4], 16, 16)
	if err != nil {
		return 0, p.fail("bad escape")
	}
	p.at += 4
	return rune(n), nil
}

// word reads text without quotes.
func (p *parser) word() string {
	n := strings.IndexAny(p.in[p.at:], "/\\;#=,{}[]:\"' \t\r\n")
	if n < 0 {
		n = len(p.in) - p.at
	}
	w := p.in[p.at : p.at+n]
	p.at += n
	return w
}

// isNumber reports whether a word is a JSON number.
func isNumber(w string) bool {
	return w != "" && (w[0] == '-' || w[0] >= '0' && w[0] <= '9') && json.Valid([]byte(w))
}
