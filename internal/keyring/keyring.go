// Package keyring keeps secrets in the keyring of the system: the Secret Service
// of a Linux desktop, the keychain of macOS, the credential manager of Windows.
package keyring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	zkeyring "github.com/zalando/go-keyring"
)

// ErrNone is wrapped when there is no keyring to use, as on servers, on build
// servers and in containers.
var ErrNone = errors.New("there is no keyring here")

// ErrTimeout is wrapped when the keyring does not respond in time, most often
// because it is locked and waits for somebody to unlock it.
var ErrTimeout = errors.New("no response")

// service is what the entries are kept for.
const service = "erphub"

// DefaultTimeout is the time that one call may take.
const DefaultTimeout = 5 * time.Second

// Keyring is the keyring of the system. It is safe for concurrent use; calls
// are made one after the other.
type Keyring struct {
	getenv  func(string) string
	timeout time.Duration
	turn    chan struct{} // holds one element while a call is made
	begun   atomic.Int64  // when the call that is made was begun, in ms; 0: none is made
}

// New returns the keyring of the session that the environment describes. getenv is
// os.Getenv; where it is not, it can only say that there is no session. Nothing is
// called before a secret is read or written. A timeout of 0 is [DefaultTimeout].
func New(getenv func(string) string, timeout time.Duration) *Keyring {
	timeout = cmp.Or(timeout, DefaultTimeout)
	return &Keyring{getenv: getenv, timeout: timeout, turn: make(chan struct{}, 1)}
}

// Available returns nil, or an [ErrNone] where it is certain that there is no
// keyring. It calls nobody: a keyring may be there and refuse.
func (k *Keyring) Available() error {
	switch runtime.GOOS {
	case "darwin", "windows":
		return nil
	}
	// Without an address the client would start a bus of its own, which nobody
	// else is on.
	if a := k.getenv("DBUS_SESSION_BUS_ADDRESS"); a != "" {
		if strings.HasPrefix(a, "autolaunch:") {
			return fmt.Errorf("%w: DBUS_SESSION_BUS_ADDRESS names no bus", ErrNone)
		}
		return nil
	}
	if dir := k.getenv("XDG_RUNTIME_DIR"); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "bus")); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: no session bus (DBUS_SESSION_BUS_ADDRESS is not set)", ErrNone)
}

// Get returns what is kept under a name, "" for nothing.
func (k *Keyring) Get(ctx context.Context, name string) (string, error) {
	var text string
	err := k.call(ctx, "reading from", func() (err error) {
		got, err := zkeyring.Get(service, name)
		if errors.Is(err, zkeyring.ErrNotFound) {
			return nil
		}
		text = got
		return err
	})
	if err != nil {
		return "", err // text may be written yet
	}
	return text, nil
}

// Set keeps a secret under a name, in the place of what was there.
func (k *Keyring) Set(ctx context.Context, name, secret string) error {
	return k.call(ctx, "writing to", func() error { return zkeyring.Set(service, name, secret) })
}

// Delete removes what is kept under a name, if there is anything.
func (k *Keyring) Delete(ctx context.Context, name string) error {
	return k.call(ctx, "removing from", func() error {
		if err := zkeyring.Delete(service, name); !errors.Is(err, zkeyring.ErrNotFound) {
			return err
		}
		return nil
	})
}

// call makes a call that takes no context, and leaves it behind when it does not
// come back in time: until it does, further calls fail at once.
func (k *Keyring) call(ctx context.Context, what string, do func() error) error {
	err := k.inTime(ctx, do)
	if err != nil {
		return fmt.Errorf("%s the system's keyring: %w", what, err)
	}
	return nil
}

func (k *Keyring) inTime(ctx context.Context, do func() error) error {
	if err := k.Available(); err != nil {
		return err
	}
	late := fmt.Errorf("%w within %v", ErrTimeout, k.timeout)
	if begun := k.begun.Load(); begun != 0 && time.Since(time.UnixMilli(begun)) > k.timeout {
		return late
	}
	ctx, cancel := context.WithTimeoutCause(ctx, k.timeout, late)
	defer cancel()
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	k.begun.Store(time.Now().UnixMilli())
	done := make(chan error, 1)
	go func() {
		err := do()
		k.begun.Store(0)
		<-k.turn
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
