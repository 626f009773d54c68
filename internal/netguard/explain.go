package netguard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
)

// Explain says in words why a connection failed and what to do next. It
// reports false for errors that are not about reaching a server. Neither text
// contains the error's own, which may hold an address with a query.
func Explain(err error) (why, next string, ok bool) {
	var (
		dns      *net.DNSError
		unknown  x509.UnknownAuthorityError
		name     x509.HostnameError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
		header   tls.RecordHeaderError
		timeout  net.Error
		opErr    *net.OpError
		deadline = errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
	)
	switch {
	case err == nil:
		return "", "", false
	case errors.Is(err, ErrRefused):
		return "its address is not one that may be connected to", "configure a host with a public address, or have the operator configure this one", true
	case errors.Is(err, context.Canceled):
		return "", "", false
	case errors.As(err, &dns) && dns.IsNotFound:
		return "its name is not known", "check the spelling of the host", true
	case errors.As(err, &unknown):
		return "its certificate is signed by nobody this machine trusts", "install the certificate of its authority (SSL_CERT_FILE names a file of them)", true
	case errors.As(err, &name):
		return "its certificate is for another name", "use the name that the certificate is for", true
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired or is not valid yet", "renew it, or set this machine's clock", true
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "its certificate is not valid", "look at it with a browser or openssl s_client", true
	case errors.As(err, &header), errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS on this port", "check the port, and whether the address begins with http or https", true
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there", "check host and port, and whether the server runs", true
	case deadline, errors.As(err, &timeout) && timeout.Timeout():
		return "it did not respond in time", "check host, port and firewalls, and try again", true
	case errors.As(err, &dns):
		return "its name could not be looked up", "check the network's name servers and try again", true
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "there is no way to its network", "check the network and try again", true
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return "it closed the connection", "try again; if it stays so, look at the server's log", true
	case errors.As(err, &opErr):
		return fmt.Sprintf("the connection failed (%s)", opErr.Op), "check the network and try again", true
	}
	return "", "", false
}

// Permanent reports whether connecting again would fail the same way: the rule
// forbids the address, or its certificate is not trusted.
func Permanent(err error) bool {
	var verify *tls.CertificateVerificationError
	return errors.Is(err, ErrRefused) || errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &verify)
}
