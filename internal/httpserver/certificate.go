package httpserver

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// certificateCheck is how often at most the files of a certificate are looked at.
const certificateCheck = time.Second

// Certificate is a TLS certificate in two PEM files, which are read again when they
// change: connections go on, and new ones get the new certificate. Files that cannot
// be used, for example because only one of both was replaced so far, leave the last
// good certificate in use. It is safe for concurrent use.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	now               func() time.Time

	mu      sync.Mutex // guards what follows
	current *tls.Certificate
	read    [2]os.FileInfo // the files as they were when they were read last
	next    time.Time      // when to look at them again
}

// LoadCertificate reads a certificate, with those between it and the root behind it,
// and its private key. A nil logger is silent.
func LoadCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log, now: time.Now}
	files, err := c.stat()
	if err == nil {
		err = c.loadLocked(files)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the TLS certificate: %w", err)
	}
	return c, nil
}

// stat looks at both files.
func (c *Certificate) stat() (files [2]os.FileInfo, err error) {
	for i, name := range []string{c.certFile, c.keyFile} {
		if files[i], err = os.Stat(name); err != nil {
			return files, err
		}
	}
	return files, nil
}

func (c *Certificate) loadLocked(files [2]os.FileInfo) error {
	c.read = files
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", c.certFile, c.keyFile, err) // the library shows no part of a key
	}
	c.current = &pair
	return nil
}

// same reports whether the files are those that were read last.
func (c *Certificate) sameLocked(files [2]os.FileInfo) bool {
	for i, f := range files {
		if was := c.read[i]; was == nil || !os.SameFile(was, f) || was.Size() != f.Size() || !was.ModTime().Equal(f.ModTime()) {
			return false
		}
	}
	return true
}

// get returns the certificate as the files have it.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if now.Before(c.next) {
		return c.current, nil
	}
	c.next = now.Add(certificateCheck)
	files, err := c.stat()
	switch {
	case err == nil && c.sameLocked(files):
		return c.current, nil
	case err == nil:
		err = c.loadLocked(files)
	case c.read == [2]os.FileInfo{}:
		return c.current, nil // that a file is missing is in the log
	default:
		c.read = [2]os.FileInfo{}
	}
	if err != nil {
		c.log.Warn("the TLS certificate changed and cannot be used; the one before stays in use", "error", err)
	} else {
		c.log.Info("the TLS certificate was read again", "file", c.certFile)
	}
	return c.current, nil
}

// Listener makes the connections of ln ones of TLS 1.2 or later, for HTTP/2 and
// HTTP/1.1.
func (c *Certificate) Listener(ln net.Listener) net.Listener {
	return tls.NewListener(ln, &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: c.get})
}

// ErrOneFile says that one of the two files of a certificate is not named.
var ErrOneFile = errors.New("certificate and key belong together: name both files, or neither")
