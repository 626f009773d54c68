package notify

import (
	"context"
	"strings"
	"time"

	"github.com/erphub/erphub/cmd/internal/outbox"
)

// Kept is a message in the folder.
type Kept struct {
	Name    string    `json:"name"` // what Discard takes
	ID      string    `json:"id"`
	Run     string    `json:"run"`            // its UUID
	Host    string    `json:"host,omitempty"` // of the receiver; empty when the file cannot be read
	Created time.Time `json:"created,omitzero"`
	Expired bool      `json:"expired"`          // it was given up
	Reason  string    `json:"reason,omitempty"` // why it waits or was given up, as far as is known
}

// List tells what is in the folder: what waits, in order, then what was given
// up. It changes nothing.
func (n *Notifier) List() ([]Kept, error) {
	items, err := n.queue.List()
	var list []Kept
	for i := range items {
		list = append(list, n.kept(&items[i]))
	}
	return list, err
}

// kept is an item of the folder as a list shows it.
func (n *Notifier) kept(i *outbox.Item) Kept {
	receiver, run, _ := strings.Cut(i.Key, "-")
	k := Kept{Name: i.Name, ID: i.ID, Run: run, Created: i.At, Expired: i.Aside, Reason: i.Reason}
	if i.Err != nil {
		k.Reason = "it cannot be read: " + i.Err.Error()
		return k
	}
	if _, r, err := n.messageOf(&i.Entry); err == nil {
		k.Host = r.String()
	}
	if !i.Aside {
		k.Reason = n.health(receiver).Reason
	}
	return k
}

// Discard removes messages by their names, and returns them; without names, those
// that were given up or cannot be read.
func (n *Notifier) Discard(ctx context.Context, names ...string) (gone []Kept, err error) {
	err = n.queue.Change(ctx, names, func(i *outbox.Item) error {
		k := n.kept(i)
		if err := n.queue.Remove(&i.Entry); err != nil {
			return err
		}
		gone = append(gone, k)
		return nil
	})
	return gone, err
}
