package notify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/erphub/erphub/internal/atomicfile"
)

// What is in the folder: messages as NUMBER.RECEIVER.RUN.ID.json, the same below
// "expired" once they are given up; what is known of each receiver as
// receiver-RECEIVER.json; the newest ids that were delivered; calls that wait for
// the ERP as call-KEY.json; and two locks. RECEIVER is derived from the address.
const (
	addLock    = "add.lock"
	sendLock   = "send.lock"
	sentFile   = "sent.json"
	expiredDir = "expired"

	fileVersion = 1
	keptSent    = 500
)

// message is a file of the folder.
type message struct {
	Version  int       `json:"version"`
	ID       string    `json:"id"`
	RunKey   string    `json:"run"`
	Receiver receiver  `json:"receiver"`
	Created  time.Time `json:"created"`
	Body     string    `json:"body"`
	Reason   string    `json:"reason,omitempty"` // why it was given up
}

// file is what the name of a message tells.
type file struct {
	number          int64
	target, run, id string
	path            string
}

var fileName = regexp.MustCompile(`^(\d{12,18})\.([0-9a-f]{16})\.([0-9a-zA-Z-]{1,64})\.([0-9a-f-]{36})\.json$`)

func newFile(dir string, number int64, m *message) file {
	f := file{number: number, target: targetKey(m.Receiver.URL), run: m.RunKey, id: m.ID}
	f.path = filepath.Join(dir, fmt.Sprintf("%012d.%s.%s.%s.json", number, f.target, f.run, f.id))
	return f
}

// targetKey names a receiver without telling its address.
func targetKey(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}

func sentKey(id, address string) string { return id + " " + targetKey(address) }

// files are the messages, in order; none where there is no folder.
func (n *Notifier) files() ([]file, error) { return list(n.dir) }

func list(dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the folder of webhooks: %w", err)
	}
	var files []file
	for _, e := range entries {
		if m := fileName.FindStringSubmatch(e.Name()); m != nil {
			number, _ := strconv.ParseInt(m[1], 10, 64) // 18 digits fit
			files = append(files, file{number, m[2], m[3], m[4], filepath.Join(dir, e.Name())})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.number, b.number) })
	return files, nil
}

func read(f file) (message, error) {
	var m message
	data, err := os.ReadFile(f.path)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, err
	}
	switch {
	case m.Version != fileVersion:
		return m, fmt.Errorf("it has form %d, and this erphub reads form %d alone: the one that wrote it delivers it", m.Version, fileVersion)
	case m.ID != f.id || m.RunKey != f.run || targetKey(m.Receiver.URL) != f.target:
		return m, errors.New("it holds another message than its name says")
	}
	return m, nil
}

func (n *Notifier) write(f file, m message) error {
	data, err := json.Marshal(m)
	if err == nil {
		err = atomicfile.Write(f.path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("keeping a webhook: %w", err)
	}
	return nil
}

// lock makes the folder and takes one of its locks, waiting for others until ctx
// ends.
func (n *Notifier) lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Join(n.dir, expiredDir), 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of webhooks: %w", err)
	}
	l := flock.New(filepath.Join(n.dir, name), flock.SetPermissions(0o600))
	ok, err := l.TryLockContext(ctx, 10*time.Millisecond)
	if err != nil || !ok {
		return nil, fmt.Errorf("waiting for another process that uses the folder of webhooks: %w", errors.Join(err, ctx.Err()))
	}
	return func() { _ = l.Close() }, nil // the system frees it with the process at the latest
}

// sweep removes what processes left that were killed while they wrote, and calls
// that were never carried out. The caller holds the lock for adding.
func (n *Notifier) sweep() {
	entries, err := os.ReadDir(n.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		age := time.Hour
		switch {
		case strings.HasPrefix(e.Name(), ".") && strings.Contains(e.Name(), ".tmp-"):
		case strings.HasPrefix(e.Name(), callStart):
			age = n.opts.MaxAge
		default:
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > age {
			_ = os.Remove(filepath.Join(n.dir, e.Name())) // the next time, then
		}
	}
}

// sent are the newest messages that were delivered; those that are not known any
// more are delivered again when they are added again, which receivers notice.
func (n *Notifier) sent() []string {
	var ids []string
	if data, err := os.ReadFile(filepath.Join(n.dir, sentFile)); err == nil && json.Unmarshal(data, &ids) != nil {
		n.log.Warn("which webhooks were delivered is lost; some may be delivered again")
	}
	return ids
}

// noteSent remembers that a message was delivered. The caller holds the lock for
// sending.
func (n *Notifier) noteSent(m *message) error {
	ids := append(n.sent(), sentKey(m.ID, m.Receiver.URL))
	data, err := json.Marshal(ids[max(len(ids)-keptSent, 0):])
	if err == nil {
		err = atomicfile.Write(filepath.Join(n.dir, sentFile), data, 0o600)
	}
	return err
}

// health is what is known of a receiver.
type health struct {
	Failures int       `json:"failures"`
	Until    time.Time `json:"until"` // no attempt before
	Reason   string    `json:"reason"`
}

func (n *Notifier) healthPath(target string) string {
	return filepath.Join(n.dir, "receiver-"+target+".json")
}

func (n *Notifier) health(target string) health {
	var h health
	if data, err := os.ReadFile(n.healthPath(target)); err == nil {
		_ = json.Unmarshal(data, &h) // else it counts as well
	}
	return h
}

func (n *Notifier) setHealth(target string, h health) {
	if h.Failures == 0 {
		_ = os.Remove(n.healthPath(target))
		return
	}
	data, err := json.Marshal(h)
	if err == nil {
		err = atomicfile.Write(n.healthPath(target), data, 0o600)
	}
	if err != nil {
		n.log.Warn("the pause of a webhook's receiver is not kept", "error", err)
	}
}
