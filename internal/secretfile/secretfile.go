// Package secretfile reads secrets from files that others may not read.
package secretfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// ErrTooOpen is wrapped when others than its owner may read or write a file.
var ErrTooOpen = errors.New("others may read or write it")

// GroupMayRead are the permissions that a file with a secret must not give when its
// group may read it: that is how orchestrators hand secrets to a service.
const GroupMayRead fs.FileMode = 0o027

// most is how many bytes a secret has at most.
const most = 64 << 10

// TooOpen reports whether a file gives others one of these permissions. Pipes and the
// like hold nothing, and Windows has other permissions.
func TooOpen(st fs.FileInfo, others fs.FileMode) bool {
	return st.Mode().IsRegular() && st.Mode().Perm()&others != 0 && runtime.GOOS != "windows"
}

// ReadFile reads a secret from a file, without the line break an editor puts behind it.
// It fails with [ErrTooOpen] if others may read the file, or its group may change it.
func ReadFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", err
	}
	if TooOpen(st, GroupMayRead) {
		return "", fmt.Errorf("%w (mode %04o), and it holds a secret; run: chmod 600 %s", ErrTooOpen, st.Mode().Perm(), path)
	}
	return Read(f)
}

// Read is [ReadFile] of what is open already.
func Read(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return "", err
	}
	if len(text) > most {
		return "", fmt.Errorf("it is longer than %d bytes, which no token or password is", most)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}
