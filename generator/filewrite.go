package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// stagePrefix starts the name of the folder that files are written to before
// they are renamed to where they belong.
const stagePrefix = ".erphub-writing-"

// abandoned is the age from which on such a folder is one of a process that was
// killed.
const abandoned = time.Hour

var stageName = lazyregexp.New(`^\.erphub-writing-[0-9]+$`)

// write brings the files below target. The files are first written to a folder
// beside or in the target, and take their place by renaming, so that what fails
// most, writing, fails before anything has changed.
func write(ctx context.Context, target string, changes []Change, progress Progress) (err error) {
	parent := filepath.Dir(target)
	made, err := makeFolders(parent)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeFolders(made))
		}
	}()
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		return writeNew(ctx, parent, filepath.Base(target), changes, progress)
	}
	root, err := os.OpenRoot(target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return writeInto(ctx, root, changes, progress)
}

// raced is the error of who came second. It matches [ErrExists].
func raced(name, what string) error {
	return &racedError{name + " was " + what + " by somebody else just now; try again"}
}

type racedError struct{ text string }

func (e *racedError) Error() string        { return e.text }
func (e *racedError) Is(target error) bool { return target == ErrExists }

// makeFolders makes a folder with those above it, and lists what was made, the
// innermost last.
func makeFolders(dir string) (made []string, err error) {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		_, err := os.Stat(d)
		if err == nil || filepath.Dir(d) == d {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		missing = append(missing, d)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := os.Mkdir(missing[i], 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, errors.Join(err, removeFolders(made))
		}
		made = append(made, missing[i])
	}
	return made, nil
}

// removeFolders removes folders that are empty, the last first.
func removeFolders(made []string) error {
	for i := len(made) - 1; i >= 0; i-- {
		if err := os.Remove(made[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing the folder made for it: %w", err)
		}
	}
	return nil
}

// writeNew writes a folder that is not there: complete under another name, then
// renamed.
func writeNew(ctx context.Context, parent, name string, changes []Change, progress Progress) error {
	if root, err := os.OpenRoot(parent); err == nil {
		removeAbandoned(root)
		_ = root.Close() // nothing was written through it
	}
	stage, err := os.MkdirTemp(parent, stagePrefix+"*")
	if err != nil {
		return err
	}
	err = func() (err error) {
		root, err := os.OpenRoot(stage)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, root.Close()) }()
		if err := root.Chmod(".", 0o755); err != nil {
			return err
		}
		return stageFiles(ctx, root, ".", changes, progress)
	}()
	if err == nil {
		target := filepath.Join(parent, name)
		if err = os.Rename(stage, target); err != nil {
			if _, there := os.Lstat(target); there == nil {
				err = raced(name, "made")
			}
		}
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(stage))
	}
	return nil
}

// stageFiles writes the files below dir.
func stageFiles(ctx context.Context, root *os.Root, dir string, changes []Change, progress Progress) error {
	for i, c := range changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress.Report(i, len(changes), c.Name)
		name := filepath.FromSlash(path.Join(dir, c.Name))
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, c.After, c.mode); err != nil {
			return err
		}
		if c.Before != nil { // it keeps the permissions it has
			if err := root.Chmod(name, c.mode); err != nil {
				return err
			}
		}
	}
	progress.Report(len(changes), len(changes), "done")
	return ctx.Err()
}

func putBack(undo []func() error) (err error) {
	for _, u := range slices.Backward(undo) {
		if e := u(); e != nil {
			err = errors.Join(err, fmt.Errorf("putting things back: %w", e))
		}
	}
	return err
}

// writeInto writes files below a folder that is there.
func writeInto(ctx context.Context, root *os.Root, changes []Change, progress Progress) (err error) {
	stage, err := makeStage(root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.RemoveAll(stage)) }()
	if err := stageFiles(ctx, root, path.Join(stage, "new"), changes, progress); err != nil {
		return err
	}
	var undo []func() error
	defer func() {
		if err != nil {
			err = errors.Join(err, putBack(undo))
		}
	}()
	for i, c := range changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := filepath.FromSlash(c.Name)
		made, err := rootFolders(root, filepath.Dir(name))
		for _, dir := range made {
			undo = append(undo, func() error { return removeEmpty(root, dir) })
		}
		if err != nil {
			return err
		}
		now, _, err := readRegular(root, c.Name)
		if err != nil {
			return err
		}
		if (now == nil) != (c.Before == nil) || !bytes.Equal(now, c.Before) {
			return raced(c.Name, "changed")
		}
		staged := filepath.FromSlash(path.Join(stage, "new", c.Name))
		if c.Before == nil {
			if err := place(root, staged, name); err != nil {
				return err
			}
			undo = append(undo, func() error { return root.Remove(name) })
			continue
		}
		backup := filepath.Join(stage, fmt.Sprintf("old%d", i))
		if err := keep(root, name, backup, c.Before); err != nil {
			return fmt.Errorf("keeping %s in case something fails: %w", c.Name, err)
		}
		undo = append(undo, func() error { return root.Rename(backup, name) })
		// It is the old file or the new one at any moment, also when the process
		// is killed.
		if err := root.Rename(staged, name); err != nil {
			return err
		}
	}
	return nil
}

// place gives a file its name, unless that is taken.
func place(root *os.Root, staged, name string) error {
	err := root.Link(staged, name)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return raced(filepath.ToSlash(name), "made")
	}
	return root.Rename(staged, name) // no links here
}

// keep makes a second name of a file, or a copy where there are no links.
func keep(root *os.Root, name, backup string, content []byte) error {
	if root.Link(name, backup) == nil {
		return nil
	}
	st, err := root.Stat(name)
	if err != nil {
		return err
	}
	if err := root.WriteFile(backup, content, st.Mode().Perm()); err != nil {
		return err
	}
	return root.Chmod(backup, st.Mode().Perm())
}

// makeStage makes a folder for files on their way.
func makeStage(root *os.Root) (string, error) {
	removeAbandoned(root)
	for i := range 1000 {
		name := fmt.Sprintf("%s%d", stagePrefix, i)
		err := root.Mkdir(name, 0o755)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("there are too many folders %s0 and up of earlier runs; remove them", stagePrefix)
}

// removeAbandoned removes folders for files on their way that nobody will finish
// with. That one cannot be removed is no reason not to write.
func removeAbandoned(root *os.Root) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !stageName().MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = root.RemoveAll(e.Name())
		}
	}
}

// rootFolders makes a folder below root with those above it, and lists what was
// made, the outermost first.
func rootFolders(root *os.Root, dir string) (made []string, err error) {
	var missing []string
	for d := dir; d != "."; d = filepath.Dir(d) {
		st, err := root.Stat(d)
		if err == nil {
			if !st.IsDir() {
				return nil, fmt.Errorf("%s exists and is not a folder; remove it first", filepath.ToSlash(d))
			}
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		missing = append(missing, d)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		err := root.Mkdir(missing[i], 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue // somebody else's, made just now
		}
		if err != nil {
			return made, err
		}
		made = append(made, missing[i])
	}
	return made, nil
}

// removeEmpty removes a folder, unless somebody else has put something into it.
func removeEmpty(root *os.Root, dir string) error {
	err := root.Remove(dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if entries, rerr := fs.ReadDir(root.FS(), filepath.ToSlash(dir)); rerr == nil && len(entries) > 0 {
		return nil
	}
	return err
}
