package run

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// budget counts the bytes of a response and cuts what is too long.
type budget struct {
	cell, left int
	cut        int // values that were cut
	over       bool
}

func (b *budget) notes() []string {
	var notes []string
	if b.cut > 0 {
		notes = append(notes, fmt.Sprintf("%d values were longer than %d bytes and were cut", b.cut, b.cell))
	}
	if b.over {
		notes = append(notes, "the result was larger than is returned and ends early; select fewer columns or rows")
	}
	return notes
}

// take counts a value's bytes and cuts it.
func (b *budget) take(s string) (string, bool) {
	was := len(s)
	if was > b.cell {
		b.cut++
		s = strings.ToValidUTF8(text.FirstBytes(s, b.cell), "")
	}
	if b.left -= len(s) + 8; b.left < 0 {
		b.over = true
	}
	return s, len(s) < was
}

// value is a cell of PostgreSQL's text format for JSON.
func (b *budget) value(cell []byte, kind string) any {
	if cell == nil {
		b.left -= 8
		return nil
	}
	if kind == "bytea" {
		return b.bytes(string(cell))
	}
	text, cut := b.take(string(cell))
	if cut {
		return text
	}
	if element, ok := strings.CutSuffix(kind, "[]"); ok {
		if list, ok := parseArray(text, element); ok {
			return list
		}
		return text
	}
	return convert(text, kind)
}

// bytes is \x… as base64.
func (b *budget) bytes(text string) any {
	raw, err := hex.DecodeString(strings.TrimPrefix(text, `\x`))
	if err != nil {
		s, _ := b.take(text)
		return s
	}
	if len(raw) > b.cell/4*3 {
		b.cut++
		raw = raw[:b.cell/4*3]
	}
	s, _ := b.take(base64.StdEncoding.EncodeToString(raw))
	return s
}

// convert is a scalar in PostgreSQL's text format for JSON.
func convert(text, kind string) any {
	switch kind {
	case "bool":
		return text == "t" || text == "true"
	case "int2", "int4", "int8", "numeric", "float4", "float8":
		// NaN and Infinity are not numbers of JSON.
		if isNumber(text) {
			return json.Number(text)
		}
		return text
	case "json", "jsonb":
		if json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
		return text
	case "timestamp", "timestamptz", "timetz":
		return isoTime(text)
	case "bytea":
		raw, err := hex.DecodeString(strings.TrimPrefix(text, `\x`))
		if err != nil {
			return text
		}
		return base64.StdEncoding.EncodeToString(raw)
	}
	return text
}

// isNumber reports whether the text is a number of JSON.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && json.Valid([]byte(text))
}

// isoTime turns 2026-01-02 03:04:05.6+00 into 2026-01-02T03:04:05.6Z. What is no
// such time (infinity, BC) stays as it is.
func isoTime(text string) string {
	if strings.HasSuffix(text, "BC") || strings.HasSuffix(text, "infinity") {
		return text
	}
	text = strings.Replace(text, " ", "T", 1)
	i := strings.LastIndexAny(text, "+-")
	if i < strings.IndexByte(text, ':') {
		return text
	}
	switch zone := text[i+1:]; {
	case zone == "00":
		return text[:i] + "Z"
	case len(zone) == 2:
		return text + ":00"
	}
	return text
}

// parseArray reads PostgreSQL's {…} notation.
func parseArray(text, kind string) (any, bool) {
	if i := strings.Index(text, "="); i > 0 && text[0] == '[' {
		text = text[i+1:] // bounds other than 1
	}
	p := &arrayParser{text: text, kind: kind}
	list, ok := p.list(0)
	return list, ok && p.at == len(p.text)
}

type arrayParser struct {
	text, kind string
	at         int
}

func (p *arrayParser) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// list reads from { to }. PostgreSQL's arrays have at most six dimensions.
func (p *arrayParser) list(depth int) ([]any, bool) {
	list := []any{}
	if p.next() != '{' || depth > 6 {
		return nil, false
	}
	p.at++
	if p.next() == '}' {
		p.at++
		return list, true
	}
	for {
		switch p.next() {
		case '{':
			inner, ok := p.list(depth + 1)
			if !ok {
				return nil, false
			}
			list = append(list, inner)
		case '"':
			text, ok := p.quoted()
			if !ok {
				return nil, false
			}
			list = append(list, convert(text, p.kind))
		default:
			end := strings.IndexAny(p.text[p.at:], ",}")
			if end < 0 {
				return nil, false
			}
			text := p.text[p.at : p.at+end]
			p.at += end
			if text == "NULL" {
				list = append(list, nil)
			} else {
				list = append(list, convert(text, p.kind))
			}
		}
		switch p.next() {
		case ',':
			p.at++
		case '}':
			p.at++
			return list, true
		default:
			return nil, false
		}
	}
}

func (p *arrayParser) quoted() (string, bool) {
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case '"':
			p.at++
			return b.String(), true
		case '\\':
			p.at++
			if p.at == len(p.text) {
				return "", false
			}
			b.WriteByte(p.text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}
