package testsmtp

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Faults are the places a server fails in. A code of zero means no fault.
type Faults struct {
	TLS      *tls.Config // nil: it offers no STARTTLS
	Implicit bool        // TLS from the start
	NoAuth   bool        // it offers no login
	Plain    bool        // it offers login without TLS
	Auth     int         // response to a login
	Mail     int         // response to the sender
	Rcpt     int         // response to the recipient
	Data     int         // response after the mail
	Text     string      // of these responses
	Drop     bool        // it goes away after the mail instead of responding
	MaxBytes int64       // it announces this size
}

// Faulty is a server in this process.
type Faulty struct {
	Addr string

	faults Faults
	mu     sync.Mutex // guards the following
	mails  [][]byte
	logins []string
}

// StartFaulty starts a server that takes every mail and login but for its
// faults. It ends with the test.
func StartFaulty(t testing.TB, faults Faults) *Faulty {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if faults.Implicit {
		ln = tls.NewListener(ln, faults.TLS)
	}
	f := &Faulty{Addr: ln.Addr().String(), faults: faults}
	server := smtp.NewServer(f)
	server.Domain = "mail.example.com"
	server.AllowInsecureAuth = faults.Plain
	server.MaxMessageBytes = faults.MaxBytes
	server.ErrorLog = discard{}
	if !faults.Implicit {
		server.TLSConfig = faults.TLS
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(ln) }()          // ends with an error always
	t.Cleanup(func() { _ = server.Close(); _ = ln.Close(); <-done }) // the server knows the listener only once it serves
	return f
}

// Mails are those that were taken.
func (f *Faulty) Mails() [][]byte { f.mu.Lock(); defer f.mu.Unlock(); return f.mails }

// Logins are the user names and passwords that were sent.
func (f *Faulty) Logins() []string { f.mu.Lock(); defer f.mu.Unlock(); return f.logins }

// NewSession begins a conversation.
func (f *Faulty) NewSession(c *smtp.Conn) (smtp.Session, error) {
	if f.faults.NoAuth {
		return struct{ smtp.Session }{&session{f, c}}, nil
	}
	return &session{f, c}, nil
}

type session struct {
	f *Faulty
	c *smtp.Conn
}

func (f *Faulty) fault(code int) error {
	if code == 0 {
		return nil
	}
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: f.faults.Text}
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.f.mu.Lock()
		defer s.f.mu.Unlock()
		s.f.logins = append(s.f.logins, user+" "+password)
		return s.f.fault(s.f.faults.Auth)
	}), nil
}

func (s *session) Mail(string, *smtp.MailOptions) error { return s.f.fault(s.f.faults.Mail) }
func (s *session) Rcpt(string, *smtp.RcptOptions) error { return s.f.fault(s.f.faults.Rcpt) }
func (s *session) Reset()                               {}
func (s *session) Logout() error                        { return nil }

func (s *session) Data(r io.Reader) error {
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(r); err != nil {
		return err
	}
	if s.f.faults.Drop {
		return errors.Join(errors.New("dropped"), s.c.Conn().Close())
	}
	if err := s.f.fault(s.f.faults.Data); err != nil {
		return err
	}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	s.f.mails = append(s.f.mails, buf.Bytes())
	return nil
}

// discard is a log of a server that nobody reads: its faults are planned.
type discard struct{}

func (discard) Printf(string, ...any) {}
func (discard) Println(...any)        {}
