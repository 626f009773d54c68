package erp

import (
	"net/url"

	"github.com/erphub/erphub/internal/baseurl"
)

// checkPathSegment refuses what must not become one segment of a path: the
// empty string, "." and ".." (also with path parameters, "..;x"), slashes of
// both kinds, control characters, invalid UTF-8 and more than 1,024 bytes. All calls of this package use it.
func checkPathSegment(segment string) error {
	reason := baseurl.BadSegment(segment)
	if reason == "" && baseurl.IsDots(segment) {
		reason = "it would address another path"
	}
	if reason != "" {
		return invalid("%s cannot be part of a path: %s", quote(segment), reason)
	}
	return nil
}

// joinPath appends segments to a base path and returns the decoded and the
// escaped form.
func joinPath(base string, segments []string) (path, escaped string, err error) {
	size := len(base)
	plain := true
	for _, s := range segments {
		if err := checkPathSegment(s); err != nil {
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
