package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/netguard"
)

// Sender sends mails through one server. It is safe for concurrent use.
type Sender struct {
	opts  Options
	host  string
	port  int
	guard *netguard.Guard
}

// New returns a sender. Nothing is connected to before the first delivery.
func New(opts Options) (*Sender, error) {
	host, port, err := opts.check()
	if err != nil {
		return nil, err
	}
	opts.Recipients = slices.Clone(opts.Recipients)
	s := &Sender{opts: opts, host: host, port: port, guard: netguard.New()}
	if !opts.Untrusted {
		s.guard = netguard.New(host)
	}
	return s, nil
}

// Delivery sends artifacts to one recipient. It is safe for concurrent use.
type Delivery struct {
	sender *Sender
	to     string
}

// To returns the delivery to one address. An address that is not valid, or that
// [Options.Recipients] does not allow, is a failure of the kind [failure.Invalid].
func (s *Sender) To(address string) (*Delivery, error) {
	if err := CheckAddress(address); err != nil {
		return nil, err
	}
	if !s.opts.mayGoTo(address) {
		return nil, &failure.Error{Kind: failure.Invalid, Doing: "sending an e-mail",
			Why:  fmt.Sprintf("%q is none of the recipients that are allowed here", failure.Words(address)),
			Next: "give another address, or have the operator add it or its domain to hub.email.recipients (ERPHUB_EMAIL_RECIPIENTS)"}
	}
	return &Delivery{s, address}, nil
}

// CheckAddress checks whether mails can be sent to an address. If not, the error is
// a failure of the kind [failure.Invalid].
func CheckAddress(address string) error {
	if why := checkAddress(address); why != "" {
		return &failure.Error{Kind: failure.Invalid, Doing: "sending an e-mail",
			Why: fmt.Sprintf("the address %q %s", failure.Words(address), why), Next: "give one address in the field email"}
	}
	return nil
}

// Deliver sends the artifact's zip as an attachment.
func (d *Delivery) Deliver(ctx context.Context, a *generator.Artifact, progress generator.Progress) (*generator.Receipt, error) {
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("sending an artifact: %w", err)
	}
	s := d.sender
	doing := fmt.Sprintf("sending %s to %s", a.Filename(), d.to)
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	progress.Report(0, 2, "packing "+a.Filename())
	data, err := a.Zip()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	if len(data) > s.opts.MaxBytes {
		return nil, tooLarge(doing, fmt.Sprintf("it has %d bytes, and at most %d are sent", len(data), s.opts.MaxBytes), nil)
	}
	message, err := d.message(a, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	var login Login
	if s.opts.Login != nil {
		if login, err = s.opts.Login(ctx); err != nil {
			return nil, &failure.Error{Kind: failure.NotConfigured, Doing: doing, Why: "there is no login for the mail server", Next: "set user name and password", Err: err}
		}
	}
	progress.Report(1, 2, "sending "+a.Filename())
	if err := s.send(ctx, doing, login, message); err != nil {
		return nil, err
	}
	progress.Report(2, 2, "sent "+a.Filename())
	s.opts.Logger.InfoContext(ctx, "artifact sent", "to", d.to, "filename", a.Filename(), "bytes", len(data))
	return &generator.Receipt{Mode: generator.ModeEmail, SentTo: d.to, Filename: a.Filename()}, nil
}

// message writes the mail.
func (d *Delivery) message(a *generator.Artifact, data []byte) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.From(d.sender.opts.From); err != nil {
		return nil, err
	}
	if err := m.To(d.to); err != nil {
		return nil, err
	}
	domain := d.sender.opts.From[strings.LastIndex(d.sender.opts.From, "@")+1:]
	m.SetMessageIDWithValue(strings.ToLower(rand.Text()) + "@" + strings.TrimSuffix(domain, ">"))
	m.SetDate()
	m.Subject(failure.Words(fmt.Sprintf("Plugin %s %s", a.Name, a.Version)))
	m.SetBodyString(gomail.TypeTextPlain, fmt.Sprintf(
		"The generated plugin %s %s is attached.\r\n\r\nFile:    %s\r\nSize:    %d bytes\r\nSHA-256: %x\r\n",
		a.Name, failure.Words(a.Version), a.Filename(), len(data), sha256.Sum256(data)))
	return m, m.AttachReader(a.Filename(), bytes.NewReader(data), gomail.WithFileContentType("application/zip"))
}

// send connects, logs in and sends.
func (s *Sender) send(ctx context.Context, doing string, login Login, m *gomail.Msg) error {
	secrets := secretsOf(login)
	line := &line{sender: s}
	defer line.close()
	stop := context.AfterFunc(ctx, line.close) // the client looks at the context while connecting only
	defer stop()
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(s.opts.Timeout), gomail.WithoutNoop(), gomail.WithoutRset(),
		gomail.WithDialContextFunc(line.dial), gomail.WithTLSConfig(s.tls()),
	}
	switch {
	case s.opts.ImplicitTLS:
		options = append(options, gomail.WithSSL())
	case s.opts.Cleartext:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if login.User != "" {
		options = append(options, gomail.WithUsername(login.User), gomail.WithPassword(login.Password), gomail.WithOpportunisticSMTPAuth(
			gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthCramMD5))
	}
	client, err := gomail.NewClient(s.host, options...)
	if err != nil {
		return &failure.Error{Kind: failure.NotConfigured, Doing: doing, Why: "the mail server's settings do not go together", Next: "check hub.email.smtp-host", Err: err}
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return s.explain(ctx, doing, err, secrets)
	}
	if _, limit := session.Extension("SIZE"); limit != "" {
		if n, err := strconv.ParseInt(strings.TrimSpace(limit), 10, 64); err == nil && n > 0 && size(m) > n {
			return tooLarge(doing, fmt.Sprintf("the mail has %d bytes, and the mail server takes %d", size(m), n), nil)
		}
	}
	if err := client.SendWithSMTPClient(session, m); err != nil && !m.IsDelivered() {
		return s.explain(ctx, doing, err, secrets)
	}
	_ = client.CloseWithSMTPClient(session) // the server has taken the mail
	return nil
}

func (s *Sender) tls() *tls.Config {
	return &tls.Config{ServerName: s.host, RootCAs: s.opts.Roots, MinVersion: tls.VersionTLS12}
}

// size is the length of the mail as it is sent.
func size(m *gomail.Msg) int64 {
	var n counter
	_, _ = m.WriteTo(&n) // a counter does not fail
	return int64(n)
}

type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// line is the connection of one delivery.
type line struct {
	sender *Sender
	mu     sync.Mutex // guards the following
	conn   net.Conn
	closed bool
}

// dial connects under the guard's rule.
func (l *line) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := l.sender.guard.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline.Add(time.Second)) // the client sets its own later
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, errors.Join(net.ErrClosed, conn.Close())
	}
	l.conn = conn
	l.mu.Unlock()
	if !l.sender.opts.ImplicitTLS {
		return conn, nil
	}
	encrypted := tls.Client(conn, l.sender.tls())
	return encrypted, encrypted.HandshakeContext(ctx)
}

// close ends the connection, whatever is going on.
func (l *line) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.conn != nil {
		_ = l.conn.Close() // closed twice, or by the other side
	}
}
