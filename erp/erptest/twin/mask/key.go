package mask

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Key is the secret that all masked values are made with. Equal keys give
// equal masked values. It shows nothing of itself when printed. [New] refuses
// the zero Key.
type Key struct{ secret *[32]byte }

// NewKey makes a random key.
func NewKey() Key {
	var k [32]byte
	rand.Read(k[:]) //nolint:errcheck // it never fails, by its documentation
	return Key{&k}
}

// FixedKey makes the key that belongs to a text. It is for tests and other
// data that need no protection: who guesses the text can test guesses at
// every masked value.
func FixedKey(text string) Key {
	k := sha256.Sum256([]byte("mask key of the text " + text))
	return Key{&k}
}

// String returns a fixed text.
func (Key) String() string { return "mask key" }

// GoString returns a fixed text.
func (Key) GoString() string { return "mask.Key{}" }

// Fingerprint tells keys apart without telling anything of them. A copy keeps
// the fingerprint of the key that it was masked with, so that a refresh with
// another key is noticed before it mixes two inventions. It is empty for the
// zero Key.
func (k Key) Fingerprint() string {
	if k.secret == nil {
		return ""
	}
	return hex.EncodeToString(k.derive("fingerprint")[:8])
}

// derive makes a key for one purpose.
func (k Key) derive(purpose string) []byte {
	h := hmac.New(sha256.New, k.secret[:])
	h.Write([]byte("erphub mask 1 " + purpose)) // the number changes when values would
	return h.Sum(nil)
}

const (
	keyHead     = "erphub mask key "
	maxKeyBytes = 1 << 10
)

// ErrKeyFile is matched by errors about what a key file contains, or who may
// read it.
var ErrKeyFile = errors.New("this is no usable key file")

// OpenKey reads the key in the file, or makes a random one and writes it there
// with mode 600 when the file does not exist. Of several processes that do so
// at once one makes the key and all get it. It refuses a file that others may
// read. The folder must exist.
//
// The file is what a refresh needs and what protects the masked values: it
// belongs beside the copy, not into it, and not to those who get the copy.
func OpenKey(path string) (key Key, created bool, err error) {
	key, err = readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, false, err
	}
	key = NewKey()
	switch err := key.write(path); {
	case errors.Is(err, fs.ErrExist):
		key, err = readKey(path)
		return key, false, err
	case err != nil:
		return Key{}, false, fmt.Errorf("writing the mask key to %s: %w", path, err)
	}
	return key, true, nil
}

func readKey(path string) (Key, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Key{}, fmt.Errorf("reading the mask key: %w", err)
	}
	switch {
	case !info.Mode().IsRegular() || info.Size() > maxKeyBytes:
		return Key{}, fmt.Errorf("reading the mask key from %s: %w; give the file that was written with the copy", path, ErrKeyFile)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return Key{}, fmt.Errorf("reading the mask key from %s: %w, others may read it; run chmod 600 on it", path, ErrKeyFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Key{}, fmt.Errorf("reading the mask key: %w", err)
	}
	var k [32]byte
	text, ok := strings.CutPrefix(strings.TrimSpace(string(data)), keyHead)
	if n, err := hex.Decode(k[:], []byte(text[:min(len(text), 64)])); !ok || err != nil || n != len(k) || len(text) != 64 {
		return Key{}, fmt.Errorf("reading the mask key from %s: %w; give the file that was written with the copy", path, ErrKeyFile)
	}
	return Key{&k}, nil
}

// write makes the file, complete from its first moment on.
func (k Key) write(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // mode 600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(keyHead + hex.EncodeToString(k.secret[:]) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path) // fails when the file exists, in contrast to renaming
}
