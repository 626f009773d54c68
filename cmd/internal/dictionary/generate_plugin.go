package dictionary

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/generator"
)

// manifestFile is what a plugin is found by.
const manifestFile = "META-INF/MANIFEST.MF"

// addComponent adds to the plugin that is in or around the folder of --plugin.
func (a *app) addComponent(c *cli.Context, g *generator.Generator) (err error) {
	for _, flag := range []string{"deliver", "email", "dir"} {
		if c.IsSet(flag) {
			return shell.Usagef("--%s is about a new plugin, and --plugin names one that is there: leave one of them out", flag)
		}
	}
	dir, err := pluginAround(c.String("plugin"))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // links do not lead out of it
	if err != nil {
		return fmt.Errorf("adding to the plugin in %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	artifact, err := a.artifact(c, g, root.FS())
	if err != nil {
		return err
	}
	return a.writeArtifact(c, artifact, dir)
}

// pluginAround finds the plugin that a folder is in: the folder or one above it,
// else the only one right below.
func pluginAround(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("looking for the plugin: %w", err)
	}
	if st, err := os.Stat(abs); err != nil || !st.IsDir() {
		return "", shell.Usagef("looking for the plugin: there is no folder %s", abs)
	}
	for at := abs; ; at = filepath.Dir(at) {
		found, err := isPlugin(at)
		if err != nil {
			return "", err
		}
		if found {
			return at, nil
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	entries, err := os.ReadDir(abs)
	if err != nil {
		return "", fmt.Errorf("looking for the plugin: %w", err)
	}
	var below []string
	for _, e := range entries {
		if found, err := isPlugin(filepath.Join(abs, e.Name())); err == nil && found {
			below = append(below, e.Name())
		}
	}
	switch len(below) {
	case 0:
		return "", shell.Usagef("%s is in no plugin: no %s there, above it or right below; go to a plugin's folder, name it with --plugin, or make one with `erphub generate plugin`", abs, manifestFile)
	case 1:
		return filepath.Join(abs, below[0]), nil
	}
	return "", shell.Usagef("%s has several plugins: %s; choose one with --plugin", abs, strings.Join(below, ", "))
}

// isPlugin reports whether a folder has a manifest.
func isPlugin(dir string) (bool, error) {
	st, err := os.Stat(filepath.Join(dir, filepath.FromSlash(manifestFile)))
	switch {
	case err == nil:
		return st.Mode().IsRegular(), nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return false, nil
	}
	if st, serr := os.Stat(dir); serr == nil && !st.IsDir() {
		return false, nil // a file beside the plugins
	}
	return false, fmt.Errorf("looking for the plugin: %w", err)
}
