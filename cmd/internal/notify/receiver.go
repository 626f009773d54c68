package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/cmd/internal/outbox"
)

// target is where messages go, as files keep it.
type target struct {
	URL    string `json:"url"`    // its scheme tells the kind of receiver
	Signed bool   `json:"signed"` // nothing is sent there without a signature
}

// receiver takes messages. A new kind of receiver is a file with its type, and the
// scheme of its addresses in open. What is kept, tried again and given up is the
// same for all of them. No error tells the address, which may be a secret.
type receiver interface {
	// Key names the receiver in the folder: 16 hexadecimal digits.
	Key() string
	// String is what may be said of the address.
	String() string
	// Send sends a message. The error is a *refusal when the receiver responded, and
	// errNotConfigured when this process cannot send to it.
	Send(ctx context.Context, m message) error
}

// message is the content of an entry.
type message struct {
	To   target          `json:"to"`
	Body json.RawMessage `json:"body"` // a Payload

	id string
}

// refusal is a response of a receiver that did not take a message.
type refusal struct {
	text    string
	general bool          // it would refuse other messages, too
	after   time.Duration // how long it asks to be left alone
}

func (e *refusal) Error() string { return e.text }

// errNotConfigured is in the error of a message that waits for a process with other
// settings.
var errNotConfigured = errors.New("this process is not configured for it")

// ErrAddress is in the error of an address that no message may be sent to.
var ErrAddress = errors.New("the webhook cannot be sent there")

// open returns the receiver at a target.
func (n *Notifier) open(t target, allowHTTP bool) (receiver, error) {
	switch scheme, _, _ := strings.Cut(t.URL, ":"); strings.ToLower(scheme) {
	case "http", "https":
		return openWebhook(t, &n.opts, allowHTTP)
	}
	return nil, fmt.Errorf("%w: it is not an address such as https://hooks.example.com/deployments", ErrAddress)
}

// messageOf reads the message that an entry holds.
func (n *Notifier) messageOf(e *outbox.Entry) (m message, r receiver, err error) {
	if err := outbox.Decode(e.Content, &m); err != nil {
		return m, nil, err
	}
	m.id = e.ID
	if r, err = n.open(m.To, true); err == nil && r.Key() != keyOfReceiver(e) {
		err = errors.New("it is for another receiver than its name says")
	}
	return m, r, err
}

// keyOfReceiver is the part of an entry's key that names the receiver; the rest
// names the run.
func keyOfReceiver(e *outbox.Entry) string {
	key, _, _ := strings.Cut(e.Key, "-")
	return key
}
