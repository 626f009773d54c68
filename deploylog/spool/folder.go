package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/atomicfile"
)

// What is in a spool's folder: calls as NUMBER.RUN.OP.json, or
// NUMBER.RUN.OP.tried.json once they may have been sent; results for processes
// whose call another one delivered; the UUIDs of runs that were found under
// another one; a note that the ERP was found away; two locks; and the folder of
// refused calls, which keep their names.
//
// The name tells number, run and call, so that a file whose content is lost
// still holds back the right calls.
const (
	appendLock  = "append.lock"
	deliverLock = "deliver.lock"
	rejectedDir = "rejected"
	awayFile    = "away.json"
	aliasFile   = "aliases.json"
	callSuffix  = ".json"
	triedMark   = ".tried"
	resultStart = "result-"
	tempMark    = ".tmp-" // in the names of temporary files, which begin with a dot
)

// folderError is something wrong with the folder itself.
type folderError struct {
	what string
	err  error
}

func (e *folderError) Error() string        { return e.what + ": " + e.err.Error() }
func (e *folderError) Unwrap() error        { return e.err }
func (e *folderError) Is(target error) bool { return target == ErrFolder }

func folder(what string, err error) error {
	if err == nil {
		return nil
	}
	return &folderError{what, err}
}

// file is what the name of a call's file tells.
type file struct {
	number int64
	run    string // runKey; empty: the name does not tell
	op     string // empty: the name does not tell
	tried  bool   // it may have been sent before
	path   string
}

// callName takes names apart. What begins like a call and is none of ours is
// taken for one of another version.
var (
	callName      = regexp.MustCompile(`^(\d{10,18})\.(-?[0-9a-f][0-9a-f-]*)\.([0-9a-f-]+)(\.tried)?\.json$`)
	laterCallName = regexp.MustCompile(`^(\d{10,18})\..*json`)
)

func parseName(dir, name string) (file, bool) {
	f := file{path: filepath.Join(dir, name)}
	var digits string
	if m := callName.FindStringSubmatch(name); m != nil {
		digits, f.run, f.op, f.tried = m[1], m[2], m[3], m[4] != ""
	} else if m := laterCallName.FindStringSubmatch(name); m != nil {
		digits = m[1]
	} else {
		return f, false
	}
	f.number, _ = strconv.ParseInt(digits, 10, 64) // 18 digits fit
	return f, true
}

// base is the name of the file without what happened to it.
func (f *file) base() string {
	return fmt.Sprintf("%010d.%s.%s%s", f.number, f.run, f.op, callSuffix)
}

// triedPath is the file's path once its call may have been sent.
func (f *file) triedPath() string {
	return strings.TrimSuffix(strings.TrimSuffix(f.path, callSuffix), triedMark) + triedMark + callSuffix
}

// before reports whether a call was made before another one.
func (f *file) before(other *file) bool {
	return f.number < other.number || f.number == other.number && f.triedPath() < other.triedPath()
}

// files are the calls in the folder, in order; none when there is no folder yet.
func (s *Spool) files() ([]file, error) { return s.calls(s.dir) }

func (s *Spool) calls(dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = s.fault("list", dir)
	}
	if err != nil {
		return nil, folder("reading the spool", err)
	}
	var list []file
	for _, e := range entries {
		if f, ok := parseName(dir, e.Name()); ok {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b file) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	return list, nil
}

// append writes a call behind those that are in the folder.
func (s *Spool) append(ctx context.Context, e *entry) error {
	return s.put(ctx, e, false)
}

// appending makes the folder and takes the lock of those who write calls.
func (s *Spool) appending(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Join(s.dir, rejectedDir), 0o700); err != nil {
		return nil, folder("making the spool folder", err)
	}
	return s.lock(ctx, appendLock)
}

// nextNumber is one that no call has, set aside or not. The caller holds the
// append lock.
func (s *Spool) nextNumber() (int64, error) {
	last := int64(0)
	for _, dir := range []string{s.dir, filepath.Join(s.dir, rejectedDir)} {
		files, err := s.calls(dir)
		if err != nil {
			return 0, err
		}
		if n := len(files); n > 0 {
			last = max(last, files[n-1].number)
		}
	}
	return last + 1, nil
}

// sweep removes temporary files of processes that were killed: those of calls
// under the append lock, all others under the deliver lock. The process that holds the
// lock is the only one who may be writing them.
func (s *Spool) sweep(dir string, ofCalls bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		target, rest, found := strings.Cut(strings.TrimPrefix(e.Name(), "."), tempMark)
		if !found || rest == "" || !strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular() {
			continue
		}
		_, call := parseName(dir, target)
		other := target == awayFile || target == aliasFile || strings.HasPrefix(target, resultStart) || dir != s.dir
		if ofCalls && call || !ofCalls && other {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next time, then
		}
	}
}

// read reads a call. The error says what is wrong with the file.
func (s *Spool) read(f file) (*entry, error) {
	text, err := os.ReadFile(f.path)
	if err == nil {
		err = s.fault("read", f.path)
	}
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = fmt.Errorf("%w", at.Err) // the path is said anyway
		}
		return nil, err
	}
	e, err := decode(text)
	if err != nil {
		return nil, err
	}
	if f.op != "" && (f.op != e.Op || f.run != e.runKey()) {
		return nil, errors.New("it holds another call than its name says")
	}
	e.file = f
	e.file.run, e.file.op = e.runKey(), e.Op
	return e, nil
}

// markTried notes that the call may have been sent from now on.
func (s *Spool) markTried(e *entry) error {
	if e.file.tried {
		return nil
	}
	to := e.file.triedPath()
	if err := s.move(e.file.path, to); err != nil {
		return err
	}
	e.file.path, e.file.tried = to, true
	return nil
}

// has reports whether the call is in the folder still. Under the deliver lock
// that does not change.
func (s *Spool) has(e *entry) bool {
	for _, path := range []string{e.file.path, e.file.triedPath()} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

func (s *Spool) write(what, path string, text []byte) error {
	err := s.fault("write", path)
	if err == nil {
		err = atomicfile.Write(path, text, 0o600)
	}
	return folder(what, err)
}

func (s *Spool) move(from, to string) error {
	err := s.fault("move", from)
	if err == nil {
		err = os.Rename(from, to)
	}
	if err != nil {
		return folder("changing the spool", err)
	}
	s.sync()
	return nil
}

func (s *Spool) remove(e *entry) error {
	err := s.fault("remove", e.file.path)
	if err == nil {
		err = os.Remove(e.file.path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return folder("taking a call out of the spool", err)
	}
	s.sync()
	return nil
}

// sync makes what was renamed and removed last. Where it fails, a power failure
// brings a call back, which is delivered again and changes nothing.
func (s *Spool) sync() {
	if d, err := os.Open(s.dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
