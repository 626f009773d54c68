package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/deploylog"
)

// Options change a [Notifier]. Nil and the zero value are the defaults.
type Options struct {
	// URLs are where messages go; none: Add writes nothing, and Send still sends
	// what is in the folder.
	URLs []string
	// Secret signs the messages; zero: they are not signed.
	Secret Secret
	// AllowHTTP permits plain http to other machines.
	AllowHTTP bool
	// MaxAge is how long delivery is tried; 0: 7 days.
	MaxAge time.Duration
	// Timeout bounds one attempt; 0: 5 s.
	Timeout time.Duration
	// UserAgent is sent with messages; empty: erphub.
	UserAgent string
	// Transport sends requests; nil: http.DefaultTransport.
	Transport http.RoundTripper
	// Clock tells the time; nil is the machine's clock.
	Clock func() time.Time
	// Logger gets what became of each attempt; nil is silent.
	Logger *slog.Logger
}

// Notifier is a folder of messages and the receivers of new ones. It is safe for
// concurrent use, also by several processes with the same folder.
type Notifier struct {
	dir    string
	opts   Options
	client *http.Client
	log    *slog.Logger
	hook   func(stage string) // for tests that kill the process
}

// ErrAddress is in the error of an address that no message may be sent to.
var ErrAddress = errors.New("the webhook cannot be sent there")

// New makes a notifier with a folder, which is made for its owner alone when the
// first message is written. The error matches ErrAddress when a message may not
// be sent to an address.
func New(dir string, o *Options) (*Notifier, error) {
	n := &Notifier{dir: dir, log: slog.New(slog.DiscardHandler), hook: func(string) {}}
	if o != nil {
		n.opts = *o
		n.opts.URLs = nil
		for _, address := range o.URLs {
			if err := check(address, o.AllowHTTP); err != nil {
				return nil, err
			}
			if !slices.Contains(n.opts.URLs, address) {
				n.opts.URLs = append(n.opts.URLs, address)
			}
		}
	}
	n.opts.MaxAge = cmp.Or(n.opts.MaxAge, 7*24*time.Hour)
	n.opts.Timeout = cmp.Or(n.opts.Timeout, 5*time.Second)
	n.opts.UserAgent = cmp.Or(n.opts.UserAgent, "erphub")
	if n.opts.Clock == nil {
		n.opts.Clock = time.Now
	}
	if n.opts.Logger != nil {
		n.log = n.opts.Logger
	}
	n.client = &http.Client{
		Transport:     n.opts.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return n, nil
}

// check says whether messages may be sent to an address, without repeating it.
func check(address string, allowHTTP bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "" {
		return fmt.Errorf("%w: it is not an address such as https://hooks.example.com/deployments", ErrAddress)
	}
	if u.User != nil {
		return fmt.Errorf("%w: the address of %s has a user name or password in it; messages are signed with a secret instead", ErrAddress, u.Hostname())
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && !allowHTTP && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%w: %s would get it over plain http, which everybody on the way can read; use https, or allow http", ErrAddress, u.Hostname())
	}
	return nil
}

// host is what may be said of an address.
func host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return "the receiver"
}

// Add writes the message about a run that has ended or was rolled back for every
// receiver, unless it is there or was delivered before. For a run in progress it
// does nothing. It does not send.
func (n *Notifier) Add(ctx context.Context, run deploylog.Run) error {
	return n.add(ctx, run, n.receivers())
}

// receiver is where a message goes.
type receiver struct {
	URL    string `json:"url"`
	Signed bool   `json:"signed"` // it is not sent without a signature
}

func (n *Notifier) receivers() []receiver {
	list := make([]receiver, len(n.opts.URLs))
	for i, address := range n.opts.URLs {
		list[i] = receiver{address, !n.opts.Secret.IsZero()}
	}
	return list
}

func (n *Notifier) add(ctx context.Context, run deploylog.Run, to []receiver) error {
	if event(run.Status) == "" || len(to) == 0 {
		return nil
	}
	p := payload(run)
	body, err := p.encode()
	if err != nil {
		return err
	}
	unlock, err := n.lock(ctx, addLock)
	if err != nil {
		return err
	}
	defer unlock()
	n.sweep()
	files, err := n.files()
	if err != nil {
		return err
	}
	sent := n.sent()
	number := int64(1)
	if len(files) > 0 {
		number = files[len(files)-1].number + 1
	}
	for _, r := range to {
		same := func(f file) bool { return f.id == p.ID && f.target == targetKey(r.URL) }
		if slices.ContainsFunc(files, same) || slices.Contains(sent, sentKey(p.ID, r.URL)) {
			continue
		}
		m := message{Version: fileVersion, ID: p.ID, RunKey: runKey(&run), Receiver: r, Created: n.opts.Clock().UTC(), Body: body}
		if err := n.write(newFile(n.dir, number, &m), m); err != nil {
			return err
		}
		number++
	}
	return nil
}

// runKey names a run in the names of files.
func runKey(run *deploylog.Run) string {
	if run.UUID != "" {
		return strings.ToLower(run.UUID)
	}
	return run.ID.String()
}
