package httpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/text"
)

// requestState travels with a request.
type requestState struct {
	id   string
	read bool // the body was read to its end
}

type requestStateKey struct{}

// WithRequestID gives a request of a JSON API its id, in its context and in the
// response's header. The id is made here whatever the client sends: it is the key
// to the log, where nobody may choose somebody else's.
// A request that has one keeps it.
func WithRequestID(w http.ResponseWriter, r *http.Request) *http.Request {
	s, has := r.Context().Value(requestStateKey{}).(*requestState)
	if !has {
		s = &requestState{id: rand.Text()}
	}
	w.Header().Set("X-Request-Id", s.id)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if has {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), requestStateKey{}, s))
}

// RequestID is the id that [WithRequestID] gave, "" for none.
func RequestID(ctx context.Context) string {
	if s, ok := ctx.Value(requestStateKey{}).(*requestState); ok {
		return s.id
	}
	return ""
}

func bodyRead(ctx context.Context) bool {
	s, ok := ctx.Value(requestStateKey{}).(*requestState)
	return ok && s.read
}

// BodyLimit limits the bodies of a JSON API.
type BodyLimit struct {
	Max     int64         // bytes
	Timeout time.Duration // to arrive
	Doc     string        // path of the API's description, for hints
}

// Decode reads a JSON object from a request into value and refuses members it
// does not know. Its errors are of type [*APIError].
func (b BodyLimit) Decode(w http.ResponseWriter, r *http.Request, value any) error {
	if kind := r.Header.Get("Content-Type"); kind != "" {
		if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" {
			return &APIError{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
				Message: "the body must be JSON", Hint: "send it with Content-Type: application/json"}
		}
	}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return &APIError{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Message: "the body must not be compressed", Hint: "send it without Content-Encoding"}
	}
	tooLarge := &APIError{Status: http.StatusRequestEntityTooLarge, Code: "too_large",
		Message: fmt.Sprintf("the body is larger than %d bytes", b.Max), Hint: "send less in one request"}
	if r.ContentLength > b.Max {
		return tooLarge
	}
	text, err := ReadBody(w, r, b.Max, b.Timeout)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &APIError{Status: http.StatusRequestTimeout, Code: "timeout", Message: fmt.Sprintf("the body did not arrive within %v", b.Timeout)}
	case err != nil:
		return InvalidRequest("the body could not be read", "")
	}
	if s, ok := r.Context().Value(requestStateKey{}).(*requestState); ok {
		s.read = true
	}
	return b.decode(text, value)
}

// decode reads one JSON object. The words of encoding/json about what is wrong
// only speak of the caller's own text.
func (b BodyLimit) decode(text []byte, value any) error {
	if !utf8.Valid(text) {
		return InvalidRequest("the body is not UTF-8", "")
	}
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	err := dec.Decode(value)
	if err == nil {
		if err := Unambiguous(text); err != nil {
			return InvalidRequest(err.Error(), "")
		}
		if name := misspelled(text, reflect.TypeOf(value)); name != "" {
			return InvalidRequest("there is no member "+Clip(strconv.Quote(name)), "names are written as the description has them, at "+b.Doc)
		}
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	hint := "the description of all members is at " + b.Doc
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return InvalidRequest("the body is empty or cut off", "send a JSON object")
	case errors.As(err, &syntax):
		return InvalidRequest(fmt.Sprintf("the body is not JSON: byte %d is not as it should be", syntax.Offset), "")
	case errors.As(err, &kind) && kind.Field == "":
		return InvalidRequest("the body is not a JSON object", "")
	case errors.As(err, &kind):
		return InvalidRequest(fmt.Sprintf("member %s has a value of the wrong kind", Clip(kind.Field)), hint)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return InvalidRequest("there is no member "+Clip(name), hint)
	}
	return InvalidRequest("the body cannot be understood", "")
}

// Clip shortens text of the caller's for a message.
func Clip(s string) string { return text.Shorten(s, 80) }

// Query reads the query of a GET, which may hold only the names given, each
// once. Its errors are of type [*APIError].
func Query(r *http.Request, names ...string) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, InvalidRequest("the query of the address cannot be read", "")
	}
next:
	for name, values := range q {
		for _, known := range names {
			if name == known {
				if len(values) > 1 {
					return nil, InvalidRequest("parameter "+known+" is given more than once", "")
				}
				continue next
			}
		}
		return nil, InvalidRequest("there is no parameter "+Clip(strconv.Quote(name)), "")
	}
	return q, nil
}
