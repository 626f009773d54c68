package backend

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/erphub/erphub/mcp"
)

const (
	// sharedOwner has all shared dictionaries, which bounds them together.
	sharedOwner = "dictionaries of roles"
	// sharedLife is how long a dictionary is kept for others, sharedAgain when it is
	// shared again although nothing has changed.
	sharedLife, sharedAgain = 24 * time.Hour, 12 * time.Hour
	// maxShared bounds what is read into memory of a shared dictionary.
	maxShared = 512 << 20
)

// sharedKey is the key of the dictionary for others; empty: it is not shared. Only
// that of a role is the same for everybody who has the key.
func (k *kept) sharedKey() string {
	if k.all.opts.Shared == nil || !strings.HasPrefix(k.view, roleView) {
		return ""
	}
	sum := sha256.Sum256([]byte(k.all.origin + "\x00" + k.view))
	return "dictionary-" + hex.EncodeToString(sum[:16])
}

// takeShared begins with the dictionary that another server has read. The caller's
// token then reads what has changed, and the ERP's no to it counts as ever.
func (k *kept) takeShared(ctx context.Context) {
	key := k.sharedKey()
	if key == "" {
		return
	}
	f, found, err := k.all.opts.Shared.FindFile(ctx, key, sharedOwner)
	if err == nil && found {
		var data []byte
		if data, err = unpacked(f.Data); err == nil {
			err = k.Restore(ctx, data)
		}
	}
	if err != nil {
		k.all.log.Warn("a dictionary that another server read cannot be used, so it is read from the ERP", "error", err)
	}
}

// share keeps the dictionary for other servers, when it is another than before or this
// server has not shared it for long.
func (k *kept) share(ctx context.Context, changed bool) {
	key := k.sharedKey()
	k.mu.Lock()
	due := key != "" && k.loaded && (changed || k.all.now().Sub(k.sharedAt) >= sharedAgain)
	if due {
		k.sharedAt = k.all.now()
	}
	k.mu.Unlock()
	if !due {
		return
	}
	data, err := packed(k.Encode())
	if err == nil {
		err = k.all.opts.Shared.KeepFile(ctx, key, sharedOwner, mcp.File{MIMEType: "application/gzip", Data: data}, sharedLife)
	}
	if err != nil && ctx.Err() == nil {
		k.all.log.Warn("the dictionary could not be shared with other servers", "error", err)
	}
}

func packed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close() // writes the end
	return b.Bytes(), err
}

func unpacked(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, maxShared+1))
	if err == nil && len(out) > maxShared {
		err = fmt.Errorf("it has more than %d MiB", maxShared>>20)
	}
	return out, err
}
