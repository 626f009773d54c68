package mail_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/internal/mail"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/testkit/testartifact"
	"github.com/erphub/erphub/internal/testkit/testsmtp"
)

const (
	name      = "com.example.demo"
	recipient = "developer+erp@example.com"
)

func options(s *testsmtp.Server) mail.Options {
	return mail.Options{Host: s.Addr(), From: "ERP hub <hub@example.com>", Login: mail.Static(s.User, s.Password), Roots: s.Roots}
}

func send(ctx context.Context, t *testing.T, opts mail.Options, to string, a *generator.Artifact) (*generator.Receipt, error) {
	t.Helper()
	s, err := mail.New(opts)
	require.NoError(t, err)
	d, err := s.To(to)
	require.NoError(t, err)
	return d.Deliver(ctx, a, nil)
}

// attachment takes a mail apart: its text and its only attachment.
func attachment(t *testing.T, m *netmail.Message) (text, filename, mediaType string, data []byte) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/mixed", kind)
	parts := multipart.NewReader(m.Body, params["boundary"])
	for n := 0; ; n++ {
		p, err := parts.NextRawPart()
		if err == io.EOF {
			require.Equal(t, 2, n)
			return text, filename, mediaType, data
		}
		require.NoError(t, err)
		var body io.Reader = p
		switch strings.ToLower(p.Header.Get("Content-Transfer-Encoding")) {
		case "base64":
			body = base64.NewDecoder(base64.StdEncoding, p)
		case "quoted-printable":
			body = quotedprintable.NewReader(p)
		}
		content, err := io.ReadAll(body)
		require.NoError(t, err)
		if p.FileName() == "" {
			text = string(content)
			continue
		}
		filename, data = p.FileName(), content
		mediaType, _, err = mime.ParseMediaType(p.Header.Get("Content-Type"))
		require.NoError(t, err)
	}
}

func TestDeliver(t *testing.T) {
	t.Parallel()
	server := testsmtp.Start(t)
	a := testartifact.New(t, name)
	want, err := a.Zip()
	require.NoError(t, err)
	r, err := send(t.Context(), t, options(server), recipient, a)
	require.NoError(t, err)

	m := server.Receive(t)
	assert.Equal(t, "Plugin com.example.demo 1.0.0", m.Header.Get("Subject"))
	assert.Equal(t, `"ERP hub" <hub@example.com>`, m.Header.Get("From"))
	assert.Equal(t, "<"+recipient+">", m.Header.Get("To"))
	assert.Regexp(t, `^<[a-z0-9]{20,}@example.com>$`, m.Header.Get("Message-Id"))
	date, err := m.Header.Date()
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), date, time.Minute)
	text, filename, mediaType, data := attachment(t, m)
	assert.Contains(t, text, "The generated plugin com.example.demo 1.0.0 is attached.")
	assert.Equal(t, "com.example.demo.zip", filename)
	assert.Equal(t, "application/zip", mediaType)
	assert.Equal(t, want, data)

	body, err := json.Marshal(r)
	require.NoError(t, err)
	assert.JSONEq(t, `{"sent_to":"developer+erp@example.com","filename":"com.example.demo.zip"}`, string(body))
}

func TestImplicitTLS(t *testing.T) {
	t.Parallel()
	cert := testsmtp.NewCertificate(t, time.Now().Add(time.Hour))
	server := testsmtp.StartFaulty(t, testsmtp.Faults{Implicit: true, TLS: &tls.Config{Certificates: []tls.Certificate{cert.TLS}}})
	opts := mail.Options{Host: server.Addr, Roots: cert.Roots, ImplicitTLS: true, Login: mail.Static("hub", "password")}
	_, err := send(t.Context(), t, opts, recipient, testartifact.New(t, name))
	require.NoError(t, err)
	assert.Len(t, server.Mails(), 1)
	assert.Equal(t, []string{"hub password"}, server.Logins())

	opts.Roots = nil
	_, err = send(t.Context(), t, opts, recipient, testartifact.New(t, name))
	require.ErrorIs(t, err, failure.Unreachable)
	require.ErrorContains(t, err, "signed by nobody this machine trusts")

	opts.ImplicitTLS, opts.Roots, opts.Timeout = false, cert.Roots, 300*time.Millisecond
	_, err = send(t.Context(), t, opts, recipient, testartifact.New(t, name))
	require.ErrorIs(t, err, failure.Unreachable, "it waits for a greeting that never comes")
	assert.Len(t, server.Logins(), 1)
}

func TestRefusedByTheServer(t *testing.T) {
	t.Parallel()
	server := testsmtp.Start(t)
	large := testartifact.New(t, name)
	noise := make([]byte, testsmtp.MaxBytes)
	_, _ = rand.Read(noise)
	require.NoError(t, large.Tree.Add("noise.bin", noise))
	tests := []struct {
		name   string
		change func(*mail.Options)
		to     string
		a      *generator.Artifact
		kind   failure.Kind
		text   string
	}{
		{"wrong password", func(o *mail.Options) { o.Login = mail.Static(server.User, "wrong-must-not-show") }, recipient, nil, failure.NotAuthorized, "refuses the login: 535"},
		{"no login", func(o *mail.Options) { o.Login = nil }, recipient, nil, failure.Refused, "log in first"},
		{"no such mailbox", func(*mail.Options) {}, "nobody@example.com", nil, failure.Refused, "refuses the recipient: "},
		{"foreign domain", func(*mail.Options) {}, "somebody@example.org", nil, failure.Refused, "relaying to this domain is not permitted"},
		{"too large for the server", func(*mail.Options) {}, recipient, large, failure.TooLarge, "the mail server takes 65536"},
		{"too large for us", func(o *mail.Options) { o.MaxBytes = 100 }, recipient, nil, failure.TooLarge, "at most 100 are sent"},
		{"untrusted certificate", func(o *mail.Options) { o.Roots = nil }, recipient, nil, failure.Unreachable, "signed by nobody this machine trusts"},
		{"chosen by somebody else", func(o *mail.Options) { o.Untrusted = true }, recipient, nil, failure.Unreachable, "not one that may be connected to"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts := options(server)
			tt.change(&opts)
			a := tt.a
			if a == nil {
				a = testartifact.New(t, name)
			}
			r, err := send(t.Context(), t, opts, tt.to, a)
			require.Nil(t, r)
			require.ErrorIs(t, err, tt.kind)
			require.ErrorContains(t, err, "sending com.example.demo.zip to "+tt.to)
			require.ErrorContains(t, err, tt.text)
			assert.NotContains(t, fmt.Sprintf("%+v", err), "must-not-show")
		})
	}
	t.Cleanup(func() { assert.Empty(t, server.Messages(t)) })
}

func TestFullDiskOfTheServer(t *testing.T) {
	t.Parallel()
	server := testsmtp.StartTight(t)
	_, err := send(t.Context(), t, options(server), recipient, testartifact.New(t, name))
	require.ErrorIs(t, err, failure.Full)
	require.ErrorContains(t, err, "has no room: 452 ")
	assert.Empty(t, server.Messages(t))
}

func TestFaults(t *testing.T) {
	t.Parallel()
	cert := testsmtp.NewCertificate(t, time.Now().Add(time.Hour))
	old := testsmtp.NewCertificate(t, time.Now().Add(-time.Hour))
	other := testsmtp.NewCertificate(t, time.Now().Add(time.Hour), "other.example.com")
	secure := &tls.Config{Certificates: []tls.Certificate{cert.TLS}}
	const password = "must-not-show"
	encoded := base64.StdEncoding.EncodeToString([]byte("\x00hub\x00" + password))
	tests := []struct {
		name   string
		faults testsmtp.Faults
		clear  bool // without encryption
		kind   failure.Kind
		text   string
	}{
		{"login refused, password in the message", testsmtp.Faults{TLS: secure, Auth: 535, Text: "no " + password + " " + encoded}, false, failure.NotAuthorized, "refuses the login: 535 no [redacted] [redacted]"},
		{"login not possible now", testsmtp.Faults{TLS: secure, Auth: 454, Text: "later"}, false, failure.NotAuthorized, "454 later"},
		{"no login offered", testsmtp.Faults{TLS: secure, NoAuth: true}, false, failure.NotAuthorized, "offers no login"},
		{"sender refused", testsmtp.Faults{TLS: secure, Mail: 550, Text: "not you"}, false, failure.Refused, "refuses the sender <hub@example.com>: "},
		{"recipient unknown", testsmtp.Faults{TLS: secure, Rcpt: 550, Text: "unknown"}, false, failure.Refused, "refuses the recipient: "},
		{"greylisted", testsmtp.Faults{TLS: secure, Rcpt: 451, Text: "greylisted"}, false, failure.Unreachable, "try again in some minutes"},
		{"content refused", testsmtp.Faults{TLS: secure, Data: 554, Text: "looks like spam"}, false, failure.Refused, "looks like spam"},
		{"too large after all", testsmtp.Faults{TLS: secure, Data: 552, Text: "too big"}, false, failure.TooLarge, "too big"},
		{"announces a small size", testsmtp.Faults{TLS: secure, MaxBytes: 500}, false, failure.TooLarge, "takes 500"},
		{"no room", testsmtp.Faults{TLS: secure, Data: 452, Text: "disk full"}, false, failure.Full, "disk full"},
		{"gone after the mail", testsmtp.Faults{TLS: secure, Drop: true}, false, failure.Unknown, "ask the recipient before sending it again"},
		{"no encryption", testsmtp.Faults{Plain: true}, false, failure.Refused, "offers no encryption"},
		{"certificate over", testsmtp.Faults{TLS: &tls.Config{Certificates: []tls.Certificate{old.TLS}}}, false, failure.Unreachable, "has expired"},
		{"certificate for another name", testsmtp.Faults{TLS: &tls.Config{Certificates: []tls.Certificate{other.TLS}}}, false, failure.Unreachable, "for another name"},
		{"untrusted even when encryption is optional", testsmtp.Faults{TLS: &tls.Config{Certificates: []tls.Certificate{old.TLS}}, Plain: true}, true, failure.Unreachable, "certificate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := testsmtp.StartFaulty(t, tt.faults)
			roots := cert.Roots.Clone()
			roots.AppendCertsFromPEM(old.Cert)
			roots.AppendCertsFromPEM(other.Cert)
			_, err := send(t.Context(), t, mail.Options{Host: server.Addr, From: "hub@example.com", Login: mail.Static("hub", password), Roots: roots, Cleartext: tt.clear}, recipient, testartifact.New(t, name))
			require.ErrorIs(t, err, tt.kind)
			require.ErrorContains(t, err, tt.text)
			assert.NotContains(t, fmt.Sprintf("%+v", err), password)
			assert.NotContains(t, err.Error(), encoded)
			assert.Empty(t, server.Mails())
			if tt.faults.Plain {
				assert.Empty(t, server.Logins(), "the password was sent in the clear")
			}
		})
	}
}

func TestCleartextWithoutLogin(t *testing.T) {
	t.Parallel()
	server := testsmtp.StartFaulty(t, testsmtp.Faults{})
	_, err := send(t.Context(), t, mail.Options{Host: server.Addr, Cleartext: true}, recipient, testartifact.New(t, name))
	require.NoError(t, err)
	assert.Len(t, server.Mails(), 1)
	assert.Contains(t, string(server.Mails()[0]), "From: <noreply@localhost>")
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	listen := func(t *testing.T) net.Listener {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = ln.Close() })
		return ln
	}
	a := testartifact.New(t, name)
	t.Run("dead port", func(t *testing.T) {
		t.Parallel()
		ln := listen(t)
		require.NoError(t, ln.Close())
		_, err := send(t.Context(), t, mail.Options{Host: ln.Addr().String()}, recipient, a)
		require.ErrorIs(t, err, failure.Unreachable)
		require.ErrorContains(t, err, "nothing listens there")
	})
	t.Run("slow", func(t *testing.T) {
		t.Parallel()
		start := time.Now()
		_, err := send(t.Context(), t, mail.Options{Host: listen(t).Addr().String(), Timeout: 200 * time.Millisecond}, recipient, a)
		require.ErrorIs(t, err, failure.Unreachable)
		require.ErrorContains(t, err, "did not respond in time")
		assert.Less(t, time.Since(start), 5*time.Second)
	})
	t.Run("canceled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		start := time.Now()
		_, err := send(ctx, t, mail.Options{Host: listen(t).Addr().String()}, recipient, a)
		require.ErrorIs(t, err, context.Canceled)
		assert.Less(t, time.Since(start), 5*time.Second)
	})
	t.Run("no mail server", func(t *testing.T) {
		t.Parallel()
		ln := listen(t)
		go func() {
			if conn, err := ln.Accept(); err == nil {
				_, _ = io.WriteString(conn, "SSH-2.0-nothing\r\n")
				_ = conn.Close()
			}
		}()
		_, err := send(t.Context(), t, mail.Options{Host: ln.Addr().String()}, recipient, a)
		require.ErrorIs(t, err, failure.Unreachable)
		require.ErrorContains(t, err, "does not speak SMTP")
	})
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	s, err := mail.New(mail.Options{Host: "smtp.example.com"})
	require.NoError(t, err)
	for _, good := range []string{"a@example.com", "first.last+tag@sub.example.com", "o'neil@example.com", "a@localhost", "a@xn--mller-kva.example"} {
		_, err := s.To(good)
		require.NoError(t, err, good)
	}
	for what, bad := range map[string]string{
		"empty":               "",
		"no at":               "example.com",
		"header":              "a@example.com\r\nBcc: b@example.com",
		"header, line feed":   "a@example.com\nBcc: b@example.com",
		"header, escaped":     "a@example.com%0d%0aBcc:b@example.com",
		"command":             "a@example.com>\r\nRCPT TO:<b@example.com",
		"zero byte":           "a@example.com\x00",
		"list":                "a@example.com,b@example.com",
		"list with semicolon": "a@example.com;b@example.com",
		"display name":        "A <a@example.com>",
		"angle brackets":      "<a@example.com>",
		"group":               "undisclosed:a@example.com;",
		"comment":             "a@example.com (b@example.com)",
		"quoted":              `"a b"@example.com`,
		"quoted line break":   "\"a\r\nBcc: b\"@example.com",
		"two ats":             "a@b@example.com",
		"percent routing":     "a%other.example@example.com@",
		"bang":                "host!a@host!b",
		"address literal":     "a@[127.0.0.1]",
		"blank":               "a @example.com",
		"unicode line":        "a@example.com\u2028Bcc: b",
		"letters of others":   "ä@example.com",
		"domain of others":    "a@müller.example",
		"not UTF-8":           "a\xff@example.com",
		"option":              "-oQ@example.com",
		"too long":            strings.Repeat("a", 60) + "@" + strings.Repeat("b.", 120) + "example",
		"ten thousand":        strings.Repeat("a", 10000) + "@example.com",
	} {
		_, err := s.To(bad)
		require.ErrorIs(t, err, failure.Invalid, what)
		assert.NotContains(t, err.Error(), "\n")
		assert.Less(t, len(err.Error()), 700)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for what, opts := range map[string]mail.Options{
		"no host":         {},
		"host with path":  {Host: "smtp.example.com/x"},
		"host with user":  {Host: "user:topsecret@smtp.example.com"},
		"host with break": {Host: "smtp.example.com\r\nX"},
		"port":            {Host: "smtp.example.com:70000"},
		"port zero":       {Host: "smtp.example.com:0"},
		"sender":          {Host: "smtp.example.com", From: "x\r\nBcc: y@example.com"},
		"sender list":     {Host: "smtp.example.com", From: "a@example.com, b@example.com"},
		"negative":        {Host: "smtp.example.com", MaxBytes: -1},
	} {
		_, err := mail.New(opts)
		require.ErrorIs(t, err, failure.NotConfigured, what)
		assert.NotContains(t, err.Error(), "topsecret")
		assert.NotContains(t, err.Error(), "\n")
	}
	for _, host := range []string{"smtp.example.com", "smtp.example.com:25", "[::1]:2525", "127.0.0.1"} {
		_, err := mail.New(mail.Options{Host: host})
		require.NoError(t, err, host)
	}
}

func TestLoginStaysHidden(t *testing.T) {
	t.Parallel()
	l := mail.Login{User: "hub", Password: "topsecret"}
	text, err := json.Marshal(map[string]any{"l": l})
	require.NoError(t, err)
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v %s %q %d %s", l, l, l, l, &l, l, text), "topsecret")
}
