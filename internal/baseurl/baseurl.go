// Package baseurl holds the one rule for addresses of servers and for the
// segments of request paths, for all clients of this module.
package baseurl

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// badPath says what is wrong with a segment of a path, empty if nothing is.
func badPath(path string) string {
	if path == "" {
		return ""
	}
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if reason := BadSegment(segment); reason != "" {
			return reason
		}
		if IsDots(segment) {
			return leadsElsewhere
		}
	}
	return ""
}

// Parse checks the address of a server, scheme://host[:port][/prefix], and
// returns it without what follows the prefix: a trailing slash, and api (such
// as "/api/v1") or its beginning "/api" if the address ends in one of them.
// Scheme and host are in lower case.
//
// The error is the second half of a sentence that begins with the caller's name
// for the address. It never quotes the address, which may hold a password.
func Parse(address, api string) (*url.URL, error) {
	const hint = "it must look like https://erp.example.com or http://localhost:8080"
	if strings.ContainsFunc(address, unicode.IsControl) || strings.Contains(address, " ") {
		return nil, errors.New("cannot be parsed: it holds blanks or control characters; " + hint)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("cannot be parsed; " + hint)
	case u.User != nil:
		return nil, errors.New("must not contain a user name or password; credentials are given apart from it")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("must begin with the scheme http:// or https://; " + hint)
	case u.Hostname() == "" || u.Opaque != "":
		return nil, errors.New("has no host; " + hint)
	case strings.ContainsAny(address, "?#"):
		return nil, errors.New("must end with its path: it has a query or fragment; " + hint)
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || n == 0) {
		return nil, errors.New("has a port that is not between 1 and 65535; " + hint)
	}
	path := strings.TrimRight(u.Path, "/")
	if reason := badPath(path); reason != "" {
		return nil, fmt.Errorf("has a path with a wrong segment: %s; %s", reason, hint)
	}
	if short := strings.TrimSuffix(path, api); short != path {
		path = short
	} else {
		path = strings.TrimSuffix(path, "/api")
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: strings.TrimRight(path, "/")}, nil
}

// IsOrigin reports whether s is an origin as browsers send it: scheme, host and
// port of a server, and nothing else.
func IsOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.Scheme+"://"+u.Host == s
}

// MaxSegment bounds a path segment in bytes; the longest real ones are the
// names of attachments.
const MaxSegment = 1024

const leadsElsewhere = "it would address another path"

// BadSegment says why text must not become one segment of a path, "" when it
// may: it is empty, leads elsewhere ("." and ".."), holds a slash of either
// kind or a control character, is not UTF-8, or is too long. Anything else can
// be percent-encoded.
func BadSegment(text string) string {
	switch {
	case text == "":
		return "it is empty"
	case len(text) > MaxSegment:
		return fmt.Sprintf("it has %d bytes, at most %d are allowed", len(text), MaxSegment)
	case text == "." || text == "..":
		return leadsElsewhere
	case strings.ContainsAny(text, `/\`):
		return "it contains a slash, which the server cannot be told of"
	case !utf8.ValidString(text):
		return "it is not UTF-8"
	case strings.ContainsFunc(text, unicode.IsControl):
		return "it contains a control character"
	}
	return ""
}

// IsDots reports whether a segment is "." or ".." once a servlet container has
// cut off its path parameters, as in "..;x=1". It matters where the semicolon
// is not percent-encoded, or may be decoded on the way.
func IsDots(segment string) bool {
	bare, _, _ := strings.Cut(segment, ";")
	return bare == "." || bare == ".."
}
