package apiclient

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/erphub/erphub/internal/retry"
)

// What errors.Is finds in the errors of this package. Package erp exports them
// under the same names.
var (
	ErrUnauthorized = errors.New("not logged in, or the token is not valid")
	ErrTimeout      = errors.New("the server took too long")
	ErrBadResponse  = errors.New("the response cannot be understood")
	ErrInvalid      = errors.New("invalid input")
)

// ErrSilence is the error of an attempt in which the server was silent for too
// long. It matches ErrTimeout and is a time-out for package net.
var ErrSilence error = &silenceError{}

type silenceError struct{}

func (*silenceError) Error() string        { return ErrTimeout.Error() }
func (*silenceError) Timeout() bool        { return true }
func (*silenceError) Temporary() bool      { return false }
func (*silenceError) Is(target error) bool { return target == ErrTimeout }

// TokenError is the failure to obtain a token for a request.
type TokenError struct {
	Err error
	// Response is the 401 to the token before, without its request, and with Body
	// read; nil when nothing was sent in this attempt.
	Response *http.Response
	Body     []byte
	// Lost is Call.Lost before.
	Lost bool
}

// Error says why there is no token.
func (e *TokenError) Error() string {
	if e.Response != nil {
		return fmt.Sprintf("the server refused the token and there is no new one: %v", e.Err)
	}
	return fmt.Sprintf("get a token: %v", e.Err)
}

// Unwrap returns the error of the token source.
func (e *TokenError) Unwrap() error { return e.Err }

// Is reports whether target is ErrUnauthorized and the server refused a token.
func (e *TokenError) Is(target error) bool { return target == ErrUnauthorized && e.Response != nil }

// SourceError is a failure to read the body of a request.
type SourceError struct{ Err error }

// Error says that nothing is wrong with the connection.
func (e *SourceError) Error() string { return "read what is to be sent: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *SourceError) Unwrap() error { return e.Err }

// BodyError is a response whose body is too large, or breaks off.
type BodyError struct {
	Limit int64 // in bytes, when the body is larger
	Read  int   // bytes that came
	Err   error // why it breaks off, nil when it is too large
}

// Error says what is wrong with the body.
func (e *BodyError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("the response is larger than %d bytes", e.Limit)
	}
	return fmt.Sprintf("the response breaks off after %d bytes", e.Read)
}

// Unwrap returns why the body breaks off.
func (e *BodyError) Unwrap() error { return e.Err }

// Is reports whether target is ErrBadResponse.
func (e *BodyError) Is(target error) bool { return target == ErrBadResponse }

// RedirectError is a redirect that is not followed.
type RedirectError struct{ Text string }

func (e *RedirectError) Error() string { return e.Text }

// Is reports whether target is ErrBadResponse.
func (e *RedirectError) Is(target error) bool { return target == ErrBadResponse }

// InputError is input that was refused before anything was sent. It matches
// ErrInvalid.
type InputError struct {
	Text string
	Err  error // its cause, or nil
}

func (e *InputError) Error() string { return e.Text }

// Is reports whether target is ErrInvalid.
func (e *InputError) Is(target error) bool { return target == ErrInvalid }

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// NotSent reports whether the error of an attempt says that the request did not
// reach the server: there was no connection or no token.
func NotSent(err error) bool {
	var (
		op      *net.OpError
		unknown *net.DNSError
		record  tls.RecordHeaderError
		token   *TokenError
	)
	switch {
	case errors.As(err, &token):
		return token.Response == nil && !token.Lost
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"):
		return true
	}
	return errors.As(err, &unknown) || errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch) || retry.Certificate(err)
}

// CheckToken refuses tokens that cannot stand in a header. The token is never
// quoted.
func CheckToken(token string) error {
	for i := range len(token) {
		switch c := token[i]; {
		case c == '\n' || c == '\r':
			if i == len(token)-1 || token[i:] == "\r\n" {
				return &InputError{Text: "the token ends with a line break; remove it"}
			}
			return &InputError{Text: fmt.Sprintf("the token holds a line break at byte %d; it must be one line", i+1)}
		case c <= 0x20 || c >= 0x7f:
			return &InputError{Text: fmt.Sprintf("the token holds a character at byte %d that may not stand in a header", i+1)}
		}
	}
	return nil
}

const hiddenToken = "[token]"

// Redact takes a token out of text of a server that echoes requests.
func Redact(text, token string) string {
	if token == "" {
		return text
	}
	return strings.ReplaceAll(text, token, hiddenToken)
}

// RedactBody is Redact for a body before it is decoded and cut to length, so
// that no beginning of a token stays. Tokens so short that they may be part of
// the JSON around them are left to Redact.
func RedactBody(body []byte, token string) []byte {
	if len(token) < 8 {
		return body
	}
	return bytes.ReplaceAll(body, []byte(token), []byte(hiddenToken))
}
