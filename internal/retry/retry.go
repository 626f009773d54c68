// Package retry says when and after which wait a request is sent again, for all
// clients of this module. Whether a request may be sent twice is for the caller to know.
package retry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Policy says how often and when a request is sent again.
type Policy struct {
	Max           int           // retries after the first attempt
	MinWait       time.Duration // before the first retry; it doubles for each further one, less a random part of up to a half
	MaxWait       time.Duration // bound of that wait
	MaxRetryAfter time.Duration // the longest wait a server may demand
	// WithinDeadline returns what came when the context ends before the wait
	// does, instead of waiting in vain.
	WithinDeadline bool
}

// Backoff returns how long to wait before retry number retries+1.
func (p Policy) Backoff(retries int) time.Duration {
	wait := p.MinWait << min(retries, 20)
	if wait < 0 || wait > p.MaxWait {
		wait = p.MaxWait
	}
	return wait - Jitter(wait/2)
}

// Jitter returns a random time below a limit.
func Jitter(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	return rand.N(limit)
}

// TurnedAway reports whether a status says to come back later, and may say when.
func TurnedAway(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// Busy reports whether a later attempt may succeed.
func Busy(status int) bool {
	return TurnedAway(status) || status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}

// After reads the header Retry-After, seconds or a date; false if it is
// missing or cannot be read.
func After(resp *http.Response, now time.Time) (time.Duration, bool) {
	value := resp.Header.Get("Retry-After")
	if value == "" {
		return 0, false
	}
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), 1<<31)) * time.Second, seconds >= 0
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return max(at.Sub(now), 0), true
}

// Network tells failures of the network, after which the same request may succeed,
// from those that come again: a name that nobody knows, a certificate that is not
// trusted, a time-out of the HTTP client.
func Network(err error) bool {
	var (
		unknown *net.DNSError
		record  tls.RecordHeaderError
		netErr  net.Error
		opErr   *net.OpError
	)
	switch {
	case errors.As(err, &unknown):
		return !unknown.IsNotFound
	case Certificate(err), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &opErr):
		return true
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled): // a time-out of the HTTP client
		return false
	case errors.As(err, &netErr):
		return true
	}
	// Errors of net/http that have no type.
	text := err.Error()
	return strings.Contains(text, "server closed idle connection") ||
		strings.Contains(text, "connection broken") || strings.Contains(text, "client connection lost") ||
		strings.Contains(text, "server sent GOAWAY")
}

// Certificate reports whether an error is about the server's certificate.
func Certificate(err error) bool {
	var (
		check     *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	return errors.As(err, &check) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}
