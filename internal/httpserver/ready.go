package httpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/erphub/erphub/internal/atomicfile"
)

// Ready is the content of a ready file.
type Ready struct {
	URL string `json:"url"`
	PID int    `json:"pid"`
}

// ReadyFile is a file by which a server tells programs that it serves. An
// empty path stands for no file, and its methods do nothing.
type ReadyFile string

// Clear removes the file of an earlier run, which would mislead whoever waits
// for this one, with what is left of writing it, and later the server's own.
func (f ReadyFile) Clear() error {
	if f == "" {
		return nil
	}
	if err := os.Remove(string(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the ready file: %w", err)
	}
	if err := atomicfile.RemoveLeftovers(string(f)); err != nil {
		return fmt.Errorf("removing the ready file: %w", err)
	}
	return nil
}

// Write says that this process serves at url.
func (f ReadyFile) Write(url string) error {
	if f == "" {
		return nil
	}
	text, err := json.Marshal(Ready{url, os.Getpid()})
	if err != nil {
		return err
	}
	if err := atomicfile.Write(string(f), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing the ready file: %w", err)
	}
	return nil
}
