package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/internal/atomicfile"
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

	path string
}

// name is how a message is called in lists.
func (f *file) name() string { return "w" + strconv.FormatInt(f.number, 10) }

// List tells what is in the folder: what waits, in order, then what was given
// up. It changes nothing.
func (n *Notifier) List() ([]Kept, error) {
	waiting, err := n.files()
	if err != nil {
		return nil, err
	}
	expired, err := list(filepath.Join(n.dir, expiredDir))
	var all []Kept
	for i, f := range append(waiting, expired...) {
		k := Kept{Name: f.name(), ID: f.id, Run: f.run, Expired: i >= len(waiting), path: f.path}
		if k.Expired {
			k.Name += "-" + f.id[:8] // numbers begin anew when the folder is empty
		}
		m, err := read(f)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			k.Reason = "it cannot be read: " + err.Error()
		default:
			k.Host, k.Created, k.Reason = host(m.Receiver.URL), m.Created, m.Reason
			if !k.Expired {
				k.Reason = n.health(f.target).Reason
			}
		}
		all = append(all, k)
	}
	return all, err
}

// Discard removes messages by their names, and returns them; without names, those
// that were given up or cannot be read.
func (n *Notifier) Discard(ctx context.Context, names ...string) ([]Kept, error) {
	all, err := n.List()
	if err != nil || len(all) == 0 && len(names) == 0 {
		return nil, err
	}
	unlock, err := n.lock(ctx, sendLock)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, name := range names {
		if !slices.ContainsFunc(all, func(k Kept) bool { return k.Name == name }) {
			return nil, fmt.Errorf("there is no webhook %q in the folder %s", name, n.dir)
		}
	}
	var gone []Kept
	for _, k := range all {
		if len(names) == 0 && !k.Expired && k.Host != "" || len(names) > 0 && !slices.Contains(names, k.Name) {
			continue
		}
		if err := os.Remove(k.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return gone, fmt.Errorf("discarding a webhook: %w", err)
		}
		gone = append(gone, k)
	}
	return gone, nil
}

const callStart = "call-"

// Expect notes the receivers for a call that ends a run and that may be carried
// out later, by another process with other settings. key names the call.
func (n *Notifier) Expect(ctx context.Context, key string) error {
	to := n.receivers()
	if len(to) == 0 {
		return nil
	}
	unlock, err := n.lock(ctx, addLock)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := json.Marshal(to)
	if err == nil {
		err = atomicfile.Write(n.callPath(key), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keeping where webhooks go: %w", err)
	}
	return nil
}

// Carried is Add for a run that a call has ended, for the receivers that were
// noted by Expect with the same key, else for those of the options.
func (n *Notifier) Carried(ctx context.Context, key string, run deploylog.Run) error {
	to := n.receivers()
	path := n.callPath(key)
	data, err := os.ReadFile(path)
	if err == nil {
		var noted []receiver
		if err := json.Unmarshal(data, &noted); err != nil {
			n.log.Warn("where the webhooks of a call go is lost", "error", err)
		} else {
			to = noted
		}
	}
	if err := n.add(ctx, run, to); err != nil {
		return err
	}
	n.Forget(key)
	return nil
}

// Forget is for a call that will not be carried out.
func (n *Notifier) Forget(key string) { _ = os.Remove(n.callPath(key)) }

func (n *Notifier) callPath(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(n.dir, callStart+hex.EncodeToString(sum[:12])+".json")
}
