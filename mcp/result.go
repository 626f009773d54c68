package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/text"
)

// Result is the result of a tool for which JSON alone does not do: a text of its own
// beside the structured value, pictures, links. A tool that returns any other
// value gets its JSON as text and, if the tool has an output schema, as
// structured content.
type Result struct {
	// Structured is the value for programs; it must fit the tool's output schema.
	Structured any
	// Content is for the model, in order; empty means the JSON of Structured.
	Content []Content
	// Failed marks a result that tells of a failure.
	Failed bool
}

// Content is a piece of a result, a prompt or a resource. Exactly one kind is
// set; Text is the kind when nothing else is.
type Content struct {
	// Text is plain text.
	Text string
	// Data are bytes of a picture or a sound, with their MIMEType.
	Data     []byte
	MIMEType string
	// Link points to a resource of this server.
	Link *Link
	// Embedded is a resource with its content.
	Embedded *ResourceContent
}

// Link points to a resource.
type Link struct {
	URI, Name, Title, Description, MIMEType string
	Size                                    int64 // bytes; 0: not known
}

// Linker is a result with a resource to read besides: a file that was made.
type Linker interface {
	ResultLink() *Link // nil: there is none
}

// Text is a piece of text.
func Text(s string) Content { return Content{Text: s} }

// Texter is a result with a text of its own for the model, which says the same in
// fewer words than its JSON.
type Texter interface {
	// ResultText is the text; an empty one stands for the JSON.
	ResultText() string
}

// Encode is the JSON of a tool's value: of Result.Structured for a [Result], of
// the value itself otherwise. nil encodes as nil. The characters & < > and ' are
// written as they are, also where the ERP or a MarshalJSON wrote them as \u0026:
// the text is for a model, which pays for each escape and copies it. Characters
// that control a terminal, or hide or reorder text, are written as escapes: the
// value stays the same, and the text shows what is in it.
func Encode(value any) (json.RawMessage, error) {
	if r, ok := value.(Result); ok {
		value = r.Structured
	}
	if value == nil {
		return nil, nil
	}
	return encodePlain(value)
}

// encodePlain is json.Marshal without the escapes that only HTML needs.
func encodePlain(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return escapeHidden(unescapeHTML(bytes.TrimSuffix(b.Bytes(), []byte("\n")))), nil
}

// escapeHidden writes the characters of [text.Hidden] in JSON as escapes. JSON has
// those below the blank as escapes already.
func escapeHidden(raw []byte) []byte {
	first := 0 // byte that is not plain ASCII
	for first < len(raw) && raw[first] < 0x7f {
		first++
	}
	if !bytes.ContainsFunc(raw[first:], hidden) {
		return raw
	}
	out := make([]byte, 0, len(raw)+16)
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		switch {
		case !hidden(r):
			out = append(out, raw[i:i+size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	return out
}

func hidden(r rune) bool { return r >= 0x7f && text.Hidden(r) }

// unescapeHTML writes & < > and ' in the texts of JSON as they are. It changes
// raw itself.
func unescapeHTML(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`\u00`)) {
		return raw
	}
	out := raw[:0] // never longer than what was read
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		if raw[i+1] == 'u' && i+6 <= len(raw) {
			if c := htmlEscapes[string(bytes.ToLower(raw[i+2:i+6]))]; c != 0 {
				out = append(out, c)
				i += 5
				continue
			}
		}
		out = append(out, raw[i], raw[i+1]) // a backslash escapes one more byte, which may be a backslash
		i++
	}
	return out
}

var htmlEscapes = map[string]byte{"0026": '&', "003c": '<', "003e": '>', "0027": '\''}
