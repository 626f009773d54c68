package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// ReadAtMost reads a file. Of a file with more than limit bytes it returns limit+1, by
// which the caller sees that it is too large.
func ReadAtMost(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// maxLinks bounds how many symbolic links lead to the file that is written,
// so that two links pointing at each other end in an error.
const maxLinks = 40

// Write replaces the content of the file at path by data, atomically, and
// gives the file exactly the permission bits of mode whatever the umask is
// (on Windows mode is ignored).
//
// The content goes to a temporary file in the same folder, is synced and
// renamed over the old file; then the folder is synced. When path is a
// symbolic link, the file it leads to is replaced and the link stays; that
// file need not exist yet. On an error the old file is untouched and the
// temporary one is removed, with one exception: when only the last step, the
// sync of the folder, fails, the new content is already in place. The folder
// must exist.
//
// Concurrent writers of one path do not corrupt the file: the last one wins.
// Temporary files of the path that are older than an hour are from writers that
// were killed, and are removed.
func Write(path string, data []byte, mode fs.FileMode) error {
	return WriteFunc(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFunc is [Write] for content that is written as it comes. When write fails,
// so does WriteFunc, with its error as it is, and the old file stays.
func WriteFunc(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	target, err := Resolve(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if st, err := os.Stat(target); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("writing %s: %w", path, &fs.PathError{Op: "replace", Path: target, Err: errors.New("not a regular file")})
	}

	dir := filepath.Dir(target)
	var failed error // of write
	defer func() {
		if err != nil && failed == nil { // of the type of file systems' errors, by which programs know them
			err = &fs.PathError{Op: "writing", Path: path, Err: err}
		}
	}()
	tmp, err := os.CreateTemp(dir, tempPrefix(target)+"*")
	if err != nil {
		return cause(err)
	}
	err = fill(tmp, mode.Perm(), func(w io.Writer) error {
		own := &failing{w: w}
		if err := write(own); err != nil && own.err == nil {
			failed = err
		}
		return errors.Join(failed, own.err)
	})
	if failed != nil {
		return errors.Join(failed, remove(tmp.Name()))
	}
	if err != nil {
		return errors.Join(cause(err), remove(tmp.Name()))
	}
	if err := os.Rename(tmp.Name(), target); err != nil {
		return errors.Join(cause(err), remove(tmp.Name()))
	}
	_ = removeLeftovers(target, abandoned) // the file is written, which was requested
	return SyncDir(dir)
}

// abandoned is the age from which on nobody is writing a temporary file any more.
const abandoned = time.Hour

// cause is an error without the name of the temporary file, which means nothing
// to a reader.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

func tempPrefix(target string) string { return "." + filepath.Base(target) + ".tmp-" }

// RemoveLeftovers removes the temporary files that writers of path left
// behind when they were killed. The caller makes sure that nobody is writing,
// by a lock for example; a write under way would fail.
func RemoveLeftovers(path string) error {
	target, err := Resolve(path)
	if err != nil {
		return fmt.Errorf("cleaning up beside %s: %w", path, err)
	}
	if err := removeLeftovers(target, 0); err != nil {
		return fmt.Errorf("cleaning up beside %s: %w", path, err)
	}
	return nil
}

// removeLeftovers removes the temporary files of a target from an age on.
func removeLeftovers(target string, age time.Duration) error {
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var errs []error
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempPrefix(target)) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && (age == 0 || time.Since(info.ModTime()) > age) {
			errs = append(errs, remove(filepath.Join(filepath.Dir(target), e.Name())))
		}
	}
	return errors.Join(errs...)
}

// failing remembers that the file could not be written.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err != nil {
		f.err = err
	}
	return n, err
}

// fill has f written, syncs and closes it. f is closed on every path.
func fill(f *os.File, perm fs.FileMode, write func(io.Writer) error) error {
	err := func() error {
		if runtime.GOOS != "windows" {
			if err := f.Chmod(perm); err != nil {
				return err
			}
		}
		if err := write(f); err != nil {
			return err
		}
		return f.Sync()
	}()
	return errors.Join(err, f.Close())
}

// remove removes the temporary file; that it is gone already is not an error.
func remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Resolve follows symbolic links at path until something that is not a link,
// or nothing, is there: the place [Write] writes to. Two names of one file
// lead to the same place as far as their last element is concerned; links
// among the folders before it are left as they are.
func Resolve(path string) (string, error) {
	for range maxLinks {
		st, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		if st.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		dest, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(dest) {
			// A relative link counts from the real folder it lies in, which
			// differs from the spelled one when that is itself a link.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			dest = filepath.Join(dir, dest)
		}
		path = dest
	}
	return "", &fs.PathError{Op: "resolve", Path: path, Err: errors.New("too many symbolic links")}
}
