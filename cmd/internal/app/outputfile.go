package app

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/atomicfile"
)

// writeFile writes what a command made to a file, as a whole, and makes the
// folders it lies in.
func writeFile(path string, content []byte) error {
	if err := makeFolder(path); err != nil {
		return err
	}
	return atomicfile.Write(path, content, 0o644)
}

// makeFolder makes the folders that a file lies in.
func makeFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder for %s: %w", path, err)
	}
	return nil
}

// writeOutput writes to the file --output names, else to standard output.
func (a *app) writeOutput(c *cli.Context, content []byte) error {
	path := c.String("output")
	if path == "" || path == "-" {
		_, err := a.streams.Out.Write(content)
		return err
	}
	return writeFile(path, content)
}
