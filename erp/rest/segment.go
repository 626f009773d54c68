package rest

import (
	"fmt"

	"github.com/erphub/erphub/internal/baseurl"
	"github.com/erphub/erphub/internal/text"
)

// Segment is a value that becomes one segment of a request path: a table, a
// record's id or uuid, a slug, a file name. Untyped string constants convert by
// themselves, variables are written as rest.Segment(name).
//
// The generated code resolves the finished path against the server's address, so
// a table named ".." would not fail but quietly address another route. Every path
// parameter of the contract that is not a number has this type, and a request is
// only built when each of them passes [Segment.Check]. Nothing reaches the
// network otherwise.
type Segment string

// Check returns a [*SegmentError] unless the value names exactly one path segment.
//
// Refused are the empty value, "." and "..", anything with a slash or backslash
// (the server cannot be told of one, and intermediaries disagree on how to read
// it), control characters, bytes that are not UTF-8, and more than 1,024 bytes.
// Everything else is percent-encoded when the request is built.
func (s Segment) Check() error {
	if reason := baseurl.BadSegment(string(s)); reason != "" {
		return &SegmentError{Value: string(s), Reason: reason}
	}
	return nil
}

// MarshalText returns the value after [Segment.Check]. The generated code calls it
// for every path parameter.
func (s Segment) MarshalText() ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	return []byte(s), nil
}

// SegmentError says why a value cannot be part of a request path.
//
// Calls of the generated client report it as text only: the runtime they use does
// not keep the chain. Call [Segment.Check] first where the difference matters.
type SegmentError struct {
	Value  string // what was passed
	Reason string // what is wrong with it
}

func (e *SegmentError) Error() string {
	return fmt.Sprintf("path segment %s: %s; pass one plain name or id", text.Quote(e.Value), e.Reason)
}
