// Package jsonscan walks JSON text without decoding it.
//
// The ERP's responses are mostly records of which a caller reads a few columns.
// Decoding all of them into maps costs more than everything else together, so
// records are kept as text with an index of their top-level members. The
// scanner accepts exactly what encoding/json accepts.
package jsonscan

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// maxDepth is the nesting encoding/json refuses to go beyond.
const maxDepth = 10000

// Field is one member of an object. All four numbers are offsets into the
// text the object starts at; Name covers the text between the quotes, Value
// the whole value.
type Field struct {
	NameStart, NameEnd   uint32
	ValueStart, ValueEnd uint32
}

// Name returns the member's name as it stands in obj, escapes included.
func (f Field) Name(obj []byte) []byte { return obj[f.NameStart:f.NameEnd] }

// Value returns the text of the member's value.
func (f Field) Value(obj []byte) []byte { return obj[f.ValueStart:f.ValueEnd] }

// SyntaxError says where text stopped being JSON.
type SyntaxError struct {
	Offset int
	Length int
}

func (e *SyntaxError) Error() string {
	if e.Offset >= e.Length {
		return fmt.Sprintf("JSON text ends too early, after %d bytes", e.Length)
	}
	return fmt.Sprintf("not JSON at byte %d", e.Offset)
}

// Scanner walks Data from Pos.
type Scanner struct {
	Data  []byte
	Pos   int
	depth int
}

// Err describes the place where the last call that returned false stopped.
func (s *Scanner) Err() error { return &SyntaxError{Offset: s.Pos, Length: len(s.Data)} }

// Space moves over white space.
func (s *Scanner) Space() {
	for s.Pos < len(s.Data) {
		switch s.Data[s.Pos] {
		case ' ', '\t', '\n', '\r':
			s.Pos++
		default:
			return
		}
	}
}

// Peek returns the byte at Pos, 0 at the end of the text.
func (s *Scanner) Peek() byte {
	if s.Pos < len(s.Data) {
		return s.Data[s.Pos]
	}
	return 0
}

// End reports whether only white space is left.
func (s *Scanner) End() bool {
	s.Space()
	return s.Pos == len(s.Data)
}

// Byte moves over one expected byte.
func (s *Scanner) Byte(want byte) bool {
	if s.Pos < len(s.Data) && s.Data[s.Pos] == want {
		s.Pos++
		return true
	}
	return false
}

// Value moves over one value, which must start at Pos.
func (s *Scanner) Value() bool {
	switch c := s.Peek(); {
	case c == '"':
		return s.String()
	case c == '{':
		return s.object()
	case c == '[':
		return s.array()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	default:
		return false
	}
}

// Fields moves over the object at Pos and appends its members to dst. Offsets
// are relative to the object's first byte.
func (s *Scanner) Fields(dst []Field) ([]Field, bool) {
	base := s.Pos
	if !s.Byte('{') {
		return dst, false
	}
	s.depth++
	defer func() { s.depth-- }()
	s.Space()
	if s.Byte('}') {
		return dst, true
	}
	for {
		nameStart := s.Pos + 1
		if !s.String() {
			return dst, false
		}
		nameEnd := s.Pos - 1
		s.Space()
		if !s.Byte(':') {
			return dst, false
		}
		s.Space()
		valueStart := s.Pos
		if !s.Value() {
			return dst, false
		}
		dst = append(dst, Field{
			NameStart: uint32(nameStart - base), NameEnd: uint32(nameEnd - base),
			ValueStart: uint32(valueStart - base), ValueEnd: uint32(s.Pos - base),
		})
		s.Space()
		if s.Byte(',') {
			s.Space()
			continue
		}
		return dst, s.Byte('}')
	}
}

// String moves over a string.
func (s *Scanner) String() bool {
	data, p := s.Data, s.Pos
	if p >= len(data) || data[p] != '"' {
		return false
	}
	for p++; p < len(data); p++ {
		switch c := data[p]; {
		case c == '"':
			s.Pos = p + 1
			return true
		case c == '\\':
			p++
			if p >= len(data) {
				s.Pos = p
				return false
			}
			switch data[p] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					p++
					if p >= len(data) || !isHex(data[p]) {
						s.Pos = p
						return false
					}
				}
			default:
				s.Pos = p
				return false
			}
		case c < 0x20:
			s.Pos = p
			return false
		}
	}
	s.Pos = p
	return false
}

func (s *Scanner) object() bool {
	if s.depth++; s.depth > maxDepth {
		return false
	}
	defer func() { s.depth-- }()
	s.Pos++
	s.Space()
	if s.Byte('}') {
		return true
	}
	for {
		if !s.String() {
			return false
		}
		s.Space()
		if !s.Byte(':') {
			return false
		}
		s.Space()
		if !s.Value() {
			return false
		}
		s.Space()
		if s.Byte(',') {
			s.Space()
			continue
		}
		return s.Byte('}')
	}
}

func (s *Scanner) array() bool {
	if s.depth++; s.depth > maxDepth {
		return false
	}
	defer func() { s.depth-- }()
	s.Pos++
	s.Space()
	if s.Byte(']') {
		return true
	}
	for {
		if !s.Value() {
			return false
		}
		s.Space()
		if s.Byte(',') {
			s.Space()
			continue
		}
		return s.Byte(']')
	}
}

func (s *Scanner) literal(word string) bool {
	for i := range len(word) {
		if !s.Byte(word[i]) {
			return false
		}
	}
	return true
}

func (s *Scanner) number() bool {
	s.Byte('-')
	if !s.Byte('0') {
		if !s.digits() {
			return false
		}
	}
	if s.Byte('.') && !s.digits() {
		return false
	}
	if c := s.Peek(); c == 'e' || c == 'E' {
		s.Pos++
		if !s.Byte('+') {
			s.Byte('-')
		}
		return s.digits()
	}
	return true
}

func (s *Scanner) digits() bool {
	start := s.Pos
	for s.Pos < len(s.Data) && s.Data[s.Pos] >= '0' && s.Data[s.Pos] <= '9' {
		s.Pos++
	}
	return s.Pos > start
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// Text decodes a JSON string, quotes included.
func Text(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	inner := raw[1 : len(raw)-1]
	for _, c := range inner {
		if c == '\\' || c >= utf8.RuneSelf {
			var text string
			err := json.Unmarshal(raw, &text)
			return text, err == nil
		}
	}
	return string(inner), true
}

// Number reports whether raw starts like a JSON number.
func Number(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}
