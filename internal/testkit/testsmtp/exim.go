package testsmtp

import (
	"crypto/x509"
	"fmt"
	"net"
	"net/mail"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/erphub/erphub/internal/testkit/testproc"
)

// Server is a running Exim. It takes mail for example.com from who has logged
// in, which it offers after STARTTLS only; nobody@example.com does not exist,
// and mails have at most 64 KiB.
type Server struct {
	Port           int
	User, Password string
	Roots          *x509.CertPool // trusts its certificate
	mailbox        string
}

// MaxBytes is the largest mail that the server takes.
const MaxBytes = 64 << 10

// Addr is the server's address.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)) }

// Start starts Exim. It ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	return start(t, fmt.Sprintf("message_size_limit = %d\n", MaxBytes))
}

// StartTight starts Exim with a disk that is too full for any mail.
func StartTight(t testing.TB) *Server {
	t.Helper()
	return start(t, "check_spool_space = 1000T\n")
}

func start(t testing.TB, extra string) *Server {
	t.Helper()
	program := testproc.Find(t, "install the package exim4-daemon-light", "exim4", "/usr/sbin/exim4", "exim", "/usr/sbin/exim")
	account := exim(t)
	// Not below the test's folder: Exim gives up root, and has to reach it.
	dir, err := os.MkdirTemp("", "testsmtp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{Port: testproc.FreePort(t), User: "hub", Password: "pass:word{}$that-must-not-show", mailbox: filepath.Join(dir, "mail")}
	cert := NewCertificate(t, time.Now().Add(24*time.Hour))
	s.Roots = cert.Roots
	write(t, filepath.Join(dir, "cert.pem"), cert.Cert)
	write(t, filepath.Join(dir, "key.pem"), cert.Key)
	write(t, filepath.Join(dir, "exim.conf"), []byte(s.configuration(dir, program, account.Username, extra)))
	own(t, dir, account)
	testproc.Start(t, testproc.Command{
		Path: program, Args: []string{"-C", filepath.Join(dir, "exim.conf"), "-bdf"}, Dir: dir,
		Ready: testproc.Dial(s.Addr()),
	})
	return s
}

// exim is the account that Exim works as: its own when it is started by root,
// else that of whoever starts it.
func exim(t testing.TB) *user.User {
	t.Helper()
	account, err := user.Current()
	if err == nil && os.Geteuid() == 0 {
		account, err = user.Lookup("Debian-exim")
	}
	if err != nil {
		t.Fatalf("find the account Exim works as: %v", err)
	}
	return account
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o640); err != nil {
		t.Fatal(err)
	}
}

// own gives the folder to the account, except that its configuration stays with
// root, or Exim would not trust it.
func own(t testing.TB, dir string, account *user.User) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	uid, err := strconv.Atoi(account.Uid)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.Atoi(account.Gid)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "cert.pem", "key.pem", "exim.conf"} {
		owner := uid
		if name == "exim.conf" {
			owner = 0
		}
		if err := os.Chown(filepath.Join(dir, name), owner, gid); err != nil {
			t.Fatal(err)
		}
	}
}

// configuration is Exim's. The password is compared in a file's terms: what
// Exim would expand is quoted.
func (s *Server) configuration(dir, program, account, extra string) string {
	quoted := func(text string) string {
		return strings.NewReplacer(`\`, `\\`, "$", `\$`, "{", `\{`, "}", `\}`, ":", "\\:").Replace(text)
	}
	condition := func(user, password string) string {
		return fmt.Sprintf("${if and{{eq{%s}{%s}}{eq{%s}{%s}}}{yes}{no}}", user, quoted(s.User), password, quoted(s.Password))
	}
	return fmt.Sprintf(`exim_path = %[2]s
primary_hostname = mail.example.com
spool_directory = %[1]s/spool
log_file_path = %[1]s/log-%%slog
pid_file_path = %[1]s/exim.pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = %[3]d
keep_environment =
host_lookup =
rfc1413_query_timeout = 0s
tls_advertise_hosts = *
tls_certificate = %[1]s/cert.pem
tls_privatekey = %[1]s/key.pem
auth_advertise_hosts = ${if eq{$tls_in_cipher}{}{}{*}}
acl_smtp_rcpt = recipients
acl_smtp_data = accept
%[4]s
begin acl
recipients:
  deny domains = ! example.com
       message = relaying to this domain is not permitted
  deny ! authenticated = *
       message = log in first
  deny local_parts = nobody
       message = there is no such mailbox
  accept

begin routers
all:
  driver = accept
  transport = mailbox

begin transports
mailbox:
  driver = appendfile
  directory = %[1]s/mail
  maildir_format
  create_directory
  user = %[5]s

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = %[6]s
  server_set_id = $auth2
login:
  driver = plaintext
  public_name = LOGIN
  server_prompts = Username:: : Password::
  server_condition = %[7]s
  server_set_id = $auth1
`, dir, program, s.Port, extra, account, condition("$auth2", "$auth3"), condition("$auth1", "$auth2"))
}

// Messages lists the files of the mails that have arrived.
func (s *Server) Messages(t testing.TB) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.mailbox, "new", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Receive waits for the only mail and reads it. The caller closes nothing.
func (s *Server) Receive(t testing.TB) *mail.Message {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if found := s.Messages(t); len(found) > 0 {
			if len(found) > 1 {
				t.Fatalf("%d mails have arrived", len(found))
			}
			f, err := os.Open(found[0])
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = f.Close() })
			m, err := mail.ReadMessage(f)
			if err != nil {
				t.Fatalf("read the mail: %v", err)
			}
			return m
		}
		select {
		case <-deadline:
			t.Fatal("no mail has arrived")
		case <-tick.C:
		}
	}
}
