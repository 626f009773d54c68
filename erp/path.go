package erp

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// maxSegment bounds a path segment; the longest real ones are attachment names.
const maxSegment = 1024

// CheckPathSegment refuses what must not become one segment of a path: the
// empty string, "." and "..", slashes of both kinds, control characters,
// invalid UTF-8 and more than 1,024 bytes. All calls of this package use it.
// Callers of the generated client use it on table names and slugs, because
// that client turns ".." into another path.
func CheckPathSegment(segment string) error {
	switch bare, _, _ := strings.Cut(segment, ";"); {
	case segment == "":
		return invalid("an empty name cannot be part of a path")
	case len(segment) > maxSegment:
		return invalid("%s cannot be part of a path: it has %d bytes, at most %d are allowed", clip(segment), len(segment), maxSegment)
	case bare == "." || bare == "..":
		return invalid("%s cannot be part of a path: it would lead elsewhere", clip(segment))
	case strings.ContainsAny(segment, `/\`):
		return invalid("%s cannot be part of a path: the server cannot address names with slashes", clip(segment))
	case !utf8.ValidString(segment):
		return invalid("%s cannot be part of a path: it is not valid UTF-8", clip(segment))
	case strings.ContainsFunc(segment, isControl):
		return invalid("%s cannot be part of a path: it holds a control character", clip(segment))
	}
	return nil
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

// joinPath appends segments to a base path and returns the decoded and the
// escaped form.
func joinPath(base string, segments []string) (path, escaped string, err error) {
	size := len(base)
	plain := true
	for _, s := range segments {
		if err := CheckPathSegment(s); err != nil {
			return "", "", err
		}
		size += 1 + len(s)
		plain = plain && isPlain(s)
	}
	buf := make([]byte, 0, size)
	buf = append(buf, base...)
	for _, s := range segments {
		buf = append(buf, '/')
		buf = append(buf, s...)
	}
	path = string(buf)
	if plain {
		return path, "", nil
	}
	buf = append(buf[:0], (&url.URL{Path: base}).EscapedPath()...)
	for _, s := range segments {
		buf = append(buf, '/')
		buf = append(buf, url.PathEscape(s)...)
	}
	return path, string(buf), nil
}

// isPlain reports whether a segment needs no escaping.
func isPlain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
