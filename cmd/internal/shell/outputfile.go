package shell

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/atomicfile"
)

// WriteFile writes what a command made to a file, as a whole, and makes the
// folders it lies in.
func WriteFile(path string, content []byte) error {
	if err := MakeFolder(path); err != nil {
		return err
	}
	return atomicfile.Write(path, content, 0o644)
}

// MakeFolder makes the folders that a file lies in.
func MakeFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder for %s: %w", path, err)
	}
	return nil
}

// WriteOutput writes to the file --output names, else to standard output.
func (sh *Shell) WriteOutput(c *cli.Context, content []byte) error {
	path := c.String("output")
	if path == "" || path == "-" {
		_, err := sh.Streams.Out.Write(content)
		return err
	}
	return WriteFile(path, content)
}

// SaveStream writes what it reads to a file, which appears as a whole, and makes
// the folders it lies in.
func SaveStream(path string, body io.Reader) (size int64, err error) {
	if err := MakeFolder(path); err != nil {
		return 0, err
	}
	err = atomicfile.WriteFunc(path, 0o644, func(w io.Writer) (err error) {
		size, err = io.Copy(w, body)
		return err
	})
	return size, err
}

// InFolder is the path of a file in a folder under the name that a server gave
// it. Nothing in the name leads out of the folder; false: it is of no use.
func InFolder(folder, name string) (string, bool) {
	name = filepath.Base(filepath.Clean("/" + strings.ReplaceAll(name, `\`, "/")))
	if name == "/" || strings.HasPrefix(name, ".") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", false
	}
	return filepath.Join(folder, name), true
}
