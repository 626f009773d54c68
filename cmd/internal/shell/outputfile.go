package shell

import (
	"fmt"
	"os"
	"path/filepath"

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
