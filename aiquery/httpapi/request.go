package httpapi

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
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxInt is the largest number of a record in the ERP.
const maxInt = 1<<31 - 1

// requestState travels with a request.
type requestState struct {
	id   string
	read bool // the body was read to its end
}

type stateKey struct{}

func withState(r *http.Request) (*http.Request, *requestState) {
	// The id is made here whatever the client sends: it is the key to the log
	// and to the audit, where nobody may choose somebody else's.
	s := &requestState{id: rand.Text()}
	return r.WithContext(context.WithValue(r.Context(), stateKey{}, s)), s
}

func requestID(ctx context.Context) string {
	if s, ok := ctx.Value(stateKey{}).(*requestState); ok {
		return s.id
	}
	return ""
}

func bodyRead(ctx context.Context) bool {
	s, ok := ctx.Value(stateKey{}).(*requestState)
	return ok && s.read
}

// body reads a JSON object from a request into value, within bounds of size and
// time, and refuses members it does not know.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, value any) error {
	if kind := r.Header.Get("Content-Type"); kind != "" {
		if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" {
			return &problem{status: http.StatusUnsupportedMediaType, code: "unsupported_media_type",
				message: "the body must be JSON", hint: "send it with Content-Type: application/json"}
		}
	}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return &problem{status: http.StatusUnsupportedMediaType, code: "unsupported_media_type",
			message: "the body must not be compressed", hint: "send it without Content-Encoding"}
	}
	tooLarge := &problem{status: http.StatusRequestEntityTooLarge, code: "too_large",
		message: fmt.Sprintf("the body is larger than %d bytes", h.opts.MaxBody), hint: "send less in one request"}
	if r.ContentLength > h.opts.MaxBody {
		return tooLarge
	}
	// A writer that is no connection, as in tests, has no deadlines.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(h.opts.BodyTimeout))
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.opts.MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &problem{status: http.StatusRequestTimeout, code: "timeout", message: fmt.Sprintf("the body did not arrive within %v", h.opts.BodyTimeout)}
	case err != nil:
		return invalid("the body could not be read", "")
	}
	_ = control.SetReadDeadline(time.Time{})
	if s, ok := r.Context().Value(stateKey{}).(*requestState); ok {
		s.read = true
	}
	return decode(text, value)
}

// decode reads one JSON object. The words of encoding/json about what is wrong
// only speak of the caller's own text.
func decode(text []byte, value any) error {
	if !utf8.Valid(text) {
		return invalid("the body is not UTF-8", "")
	}
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	err := dec.Decode(value)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			return invalid("there is something behind the JSON object of the body", "")
		}
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return invalid("the body is empty or cut off", "send a JSON object")
	case errors.As(err, &syntax):
		return invalid(fmt.Sprintf("the body is not JSON: byte %d is not as it should be", syntax.Offset), "")
	case errors.As(err, &kind) && kind.Field == "":
		return invalid("the body is not a JSON object", "")
	case errors.As(err, &kind):
		return invalid(fmt.Sprintf("member %s has a value of the wrong kind", clip(kind.Field)), "the description of all members is at "+Prefix+"/openapi.yaml")
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return invalid("there is no member "+clip(name), "the description of all members is at "+Prefix+"/openapi.yaml")
	}
	return invalid("the body cannot be understood", "")
}

// clip shortens text of the caller's for a message.
func clip(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// query reads the query of a GET, which may hold only the names given, each
// once.
func query(r *http.Request, names ...string) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, invalid("the query of the address cannot be read", "")
	}
next:
	for name, values := range q {
		for _, known := range names {
			if name == known {
				if len(values) > 1 {
					return nil, invalid("parameter "+known+" is given more than once", "")
				}
				continue next
			}
		}
		return nil, invalid("there is no parameter "+clip(strconv.Quote(name)), "")
	}
	return q, nil
}

// number reads the number of a record: decimal digits only.
func number(what, text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, invalid(fmt.Sprintf("%s is a number from 0 to %d", what, maxInt), "")
	}
	return int(n), nil
}
