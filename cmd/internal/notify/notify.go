package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/cmd/internal/outbox"
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
	opts    Options
	targets []target
	queue   *outbox.Queue
	hook    func(stage string) // for tests that kill the process
}

// fileVersion is the number of the files' form; others are refused.
const fileVersion = 2

// New makes a notifier with a folder, which is made for its owner alone when the
// first message is written. The error matches ErrAddress when a message may not
// be sent to an address.
func New(dir string, o *Options) (*Notifier, error) {
	n := &Notifier{hook: func(string) {}}
	if o != nil {
		n.opts = *o
	}
	n.opts.MaxAge = cmp.Or(n.opts.MaxAge, 7*24*time.Hour)
	n.opts.Timeout = cmp.Or(n.opts.Timeout, 5*time.Second)
	n.opts.UserAgent = cmp.Or(n.opts.UserAgent, "erphub")
	if n.opts.Clock == nil {
		n.opts.Clock = time.Now
	}
	n.opts.Logger = cmp.Or(n.opts.Logger, slog.New(slog.DiscardHandler))
	for _, address := range n.opts.URLs {
		t := target{URL: address, Signed: !n.opts.Secret.IsZero()}
		if _, err := n.open(t, n.opts.AllowHTTP); err != nil {
			return nil, err
		}
		n.targets = append(n.targets, t)
	}
	n.queue = outbox.New(dir, outbox.Options{
		Form: fileVersion, Aside: "expired", Prefix: "w", Delivered: n.wasSent,
		Check: func(e *outbox.Entry) error {
			_, _, err := n.messageOf(e)
			return err
		},
	})
	return n, nil
}

// Targets says where the messages of this notifier go, nil for nowhere: for Add by
// another process, which may have other settings.
func (n *Notifier) Targets() json.RawMessage {
	if len(n.targets) == 0 {
		return nil
	}
	text, _ := json.Marshal(n.targets) // two plain members do not fail
	return text
}

// Add writes the message about a run that has ended or was rolled back for every
// target, unless it is there or was delivered before. The targets are what Targets
// returned, perhaps in another process; nil: those of this notifier. For a run in
// progress it does nothing. It does not send.
func (n *Notifier) Add(ctx context.Context, run deploylog.Run, targets json.RawMessage) error {
	if event(run.Status) == "" {
		return nil
	}
	var list []target
	if targets == nil {
		list = n.targets
	} else if err := outbox.Decode(targets, &list); err != nil {
		return fmt.Errorf("reading where webhooks go: %w", err)
	}
	p := payload(run)
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("making the message about run %s: %w", run.ID, err)
	}
	for _, t := range list {
		r, err := n.open(t, true)
		if err != nil {
			return err
		}
		content, err := json.Marshal(message{To: t, Body: body})
		if err == nil {
			err = n.queue.Append(ctx, &outbox.Entry{Key: r.Key() + "-" + runKey(&run), ID: p.ID, At: n.opts.Clock().UTC(), Content: content})
		}
		if err != nil {
			return fmt.Errorf("keeping a webhook: %w", err)
		}
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

// sentNote lists the newest messages that were delivered, keptSent at most. Those
// that are not known any more are delivered again when they are added again, which
// receivers notice.
const (
	sentNote = "sent"
	keptSent = 500
)

func (n *Notifier) sent() (ids []string) {
	if _, err := n.queue.Note(sentNote, &ids); err != nil {
		n.opts.Logger.Warn("which webhooks were delivered is lost; some may be delivered again", "error", err)
	}
	return ids
}

func (n *Notifier) wasSent(e *outbox.Entry) bool { return slices.Contains(n.sent(), e.Key+" "+e.ID) }

// noteSent remembers that a message was delivered.
func (n *Notifier) noteSent(e *outbox.Entry) error {
	ids := append(n.sent(), e.Key+" "+e.ID)
	return n.queue.SetNote(sentNote, ids[max(len(ids)-keptSent, 0):])
}
