package generator

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrExists is in the error of files that are there with other content.
var ErrExists = errors.New("files already exist with other content")

// ExistsError lists the files that a delivery would have to overwrite. It
// matches [ErrExists].
type ExistsError struct {
	Dir   string
	Files []string
}

// Error names the first files.
func (e *ExistsError) Error() string {
	shown, more := e.Files, ""
	if len(shown) > 5 {
		shown, more = shown[:5], fmt.Sprintf(" and %d more", len(e.Files)-5)
	}
	return fmt.Sprintf("in %s %v: %s%s; look at the difference, then force it or take another folder", e.Dir, ErrExists, strings.Join(shown, ", "), more)
}

// Is reports whether target is [ErrExists].
func (e *ExistsError) Is(target error) bool { return target == ErrExists }

// Filesystem delivers artifacts to a folder on disk. The zero value writes a
// folder named like the artifact into the working directory.
type Filesystem struct {
	// Dir is the folder that artifacts get their folder in, and for artifacts
	// that add to an existing plugin that plugin's folder. It is made when it is
	// not there. Empty: the working directory.
	Dir string
	// Force overwrites files that are there with other content. Without it
	// they are an [*ExistsError], and nothing is written.
	Force bool
	// DryRun only looks: nothing is written, the receipt lists what would be.
	DryRun bool
}

// Action is the action of a delivery on one file.
type Action string

// The actions. A file that is there is kept when its content is the one
// wanted, changed when it is the one the artifact was made from, and else
// overwritten, which needs force.
const (
	ActionCreate    Action = "create"
	ActionChange    Action = "change"
	ActionOverwrite Action = "overwrite"
	ActionKeep      Action = "keep"
)

// Change is the action that a delivery would take on one file.
type Change struct {
	Name   string // relative to the artifact's folder
	Action Action
	Before []byte // content that is there, nil for none
	After  []byte
	mode   fs.FileMode
}

// Path is the folder that the files of an artifact go to.
func (d *Filesystem) Path(a *Artifact) string {
	dir := cmp.Or(d.Dir, ".")
	if a.Existing {
		return filepath.Clean(dir)
	}
	return filepath.Join(dir, a.Name)
}

// Changes lists what delivering would do, file by file, and changes nothing.
func (d *Filesystem) Changes(ctx context.Context, a *Artifact) ([]Change, error) {
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("writing an artifact: %w", err)
	}
	target := d.Path(a)
	root, err := os.OpenRoot(target)
	switch {
	case errors.Is(err, fs.ErrNotExist) && a.Existing:
		return nil, fmt.Errorf("adding to the plugin in %s: there is no such folder", target)
	case errors.Is(err, fs.ErrNotExist):
		if st, lerr := os.Lstat(target); lerr == nil && st.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("writing to %s: it is a link to nowhere; remove it or take another folder", target)
		}
		return d.compare(ctx, a, nil)
	case err != nil:
		return nil, fmt.Errorf("writing to %s: it cannot be opened as a folder: %w", target, err)
	}
	changes, err := d.compare(ctx, a, root)
	return changes, errors.Join(err, root.Close())
}

// compare holds the artifact against what is below root, nil for nothing.
func (d *Filesystem) compare(ctx context.Context, a *Artifact, root *os.Root) ([]Change, error) {
	var changes []Change
	for _, f := range a.Tree.Files() {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("writing to %s: %w", d.Path(a), err)
		}
		c := Change{Name: f.Name, Action: ActionCreate, After: f.Content, mode: f.Mode}
		if root != nil {
			before, mode, err := readRegular(root, f.Name)
			if err != nil {
				return nil, fmt.Errorf("writing to %s: %w", d.Path(a), err)
			}
			if before != nil {
				c.Before, c.mode = before, mode
			}
			switch {
			case before == nil:
			case bytes.Equal(before, f.Content):
				c.Action = ActionKeep
			case f.Was != nil && bytes.Equal(before, f.Was):
				c.Action = ActionChange
			default:
				c.Action = ActionOverwrite
			}
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// readRegular reads a file below root, and its permissions. That it is not there
// gives nil and no error, anything else than a plain file an error.
func readRegular(root *os.Root, name string) ([]byte, fs.FileMode, error) {
	name = filepath.FromSlash(name)
	st, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
	case !st.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s exists and is not a regular file (%s); remove it first", filepath.ToSlash(name), kindOf(st.Mode()))
	}
	data, err := root.ReadFile(name)
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, st.Mode().Perm(), err
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "a special file"
}

// Diff shows what delivering would change, as a unified diff. Files that would
// be kept are left out.
func (d *Filesystem) Diff(ctx context.Context, a *Artifact) ([]byte, error) {
	changes, err := d.Changes(ctx, a)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, c := range changes {
		if c.Action != ActionKeep {
			unified(&out, c.Name, c.Before, c.After)
		}
	}
	return out.Bytes(), nil
}

// Deliver writes the artifact's files. Either all of them are written or none:
// a new folder appears complete under its name, and in a folder that is there
// the files changed so far are put back when one cannot be written. The receipt
// lists the files that were written, which leaves out those that were as wanted.
func (d *Filesystem) Deliver(ctx context.Context, a *Artifact, progress Progress) (*Receipt, error) {
	changes, err := d.Changes(ctx, a)
	if err != nil {
		return nil, err
	}
	target, err := filepath.Abs(d.Path(a))
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", a.Name, err)
	}
	var todo []Change
	var exist []string
	for _, c := range changes {
		switch c.Action {
		case ActionKeep:
			continue
		case ActionOverwrite:
			exist = append(exist, c.Name)
		}
		todo = append(todo, c)
	}
	receipt := &Receipt{Mode: ModeFilesystem, Path: target, Files: []string{}}
	for _, c := range todo {
		receipt.Files = append(receipt.Files, c.Name)
	}
	if d.DryRun {
		return receipt, nil
	}
	if len(exist) > 0 && !d.Force {
		return nil, &ExistsError{Dir: target, Files: exist}
	}
	if len(todo) == 0 {
		return receipt, nil
	}
	if err := write(ctx, target, todo, progress); err != nil {
		return nil, fmt.Errorf("writing %s to %s, nothing was changed: %w", a.Name, target, err)
	}
	return receipt, nil
}
