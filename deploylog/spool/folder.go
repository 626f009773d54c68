package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/atomicfile"
)

// What is in a spool's folder: calls as 0000000012.json, or 0000000012.tried.json
// once they may have been sent; results for processes whose call another one
// delivered; the UUIDs of runs that were found under another one; when the ERP
// was found away; two locks; and the folder of rejected calls.
const (
	appendLock  = "append.lock"
	deliverLock = "deliver.lock"
	rejectedDir = "rejected"
	awayFile    = "away.json"
	aliasFile   = "aliases.json"
	callSuffix  = ".json"
	triedSuffix = ".tried.json"
	resultStart = "result-"
)

// folderError is something wrong with the folder itself.
type folderError struct {
	what string
	err  error
}

func (e *folderError) Error() string { return e.what + ": " + e.err.Error() }
func (e *folderError) Unwrap() error { return e.err }

func folder(what string, err error) error {
	if err == nil {
		return nil
	}
	return &folderError{what, err}
}

// append writes a call behind those that are in the folder.
func (s *Spool) append(ctx context.Context, e *entry) error {
	unlock, err := s.lock(ctx, appendLock)
	if err != nil {
		return err
	}
	defer unlock()
	files, err := s.files()
	if err != nil {
		return err
	}
	e.number = 1
	if n := len(files); n > 0 {
		e.number = files[n-1].number + 1
	}
	e.path = filepath.Join(s.dir, fmt.Sprintf("%010d%s", e.number, callSuffix))
	text, err := e.encode()
	if err != nil {
		return err
	}
	return folder("keeping the call in the spool", atomicfile.Write(e.path, text, 0o600))
}

// queued is the file of a call.
type queued struct {
	number int
	tried  bool
	path   string
}

// files are the calls in the folder, in order.
func (s *Spool) files() ([]queued, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, folder("reading the spool", err)
	}
	var list []queued
	for _, f := range entries {
		q := queued{path: filepath.Join(s.dir, f.Name())}
		digits, ok := strings.CutSuffix(f.Name(), triedSuffix)
		if q.tried = ok; !ok {
			if digits, ok = strings.CutSuffix(f.Name(), callSuffix); !ok {
				continue
			}
		}
		if q.number, err = strconv.Atoi(digits); err != nil || len(digits) < 10 {
			continue
		}
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b queued) int { return a.number - b.number })
	return list, nil
}

// next is the first call in the folder, nil if there is none. A file that
// cannot be understood is put aside.
func (s *Spool) next() (*entry, error) {
	for {
		files, err := s.files()
		if err != nil || len(files) == 0 {
			return nil, err
		}
		f := files[0]
		text, err := os.ReadFile(f.path)
		if err != nil {
			return nil, folder("reading the spool", err)
		}
		e, err := decode(text)
		if err == nil {
			e.number, e.tried, e.path = f.number, f.tried, f.path
			return e, nil
		}
		s.log.Warn("a damaged file of the spool was put aside", "file", f.path, "error", err)
		if err := s.move(f.path, filepath.Join(s.dir, rejectedDir, filepath.Base(f.path)+".damaged")); err != nil {
			return nil, err
		}
	}
}

// markTried notes that the call may have been sent from now on.
func (s *Spool) markTried(e *entry) error {
	if e.tried {
		return nil
	}
	to := strings.TrimSuffix(e.path, callSuffix) + triedSuffix
	if err := s.move(e.path, to); err != nil {
		return err
	}
	e.path = to
	return nil
}

// has reports whether the call is in the folder still. Under the deliver lock
// that does not change, and numbers that were given before are not given again
// as long as it is.
func (s *Spool) has(e *entry) (bool, error) {
	for _, path := range []string{e.path, strings.TrimSuffix(e.path, callSuffix) + triedSuffix} {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, folder("reading the spool", err)
		}
		if there, err := decode(text); err == nil && there.Op == e.Op {
			return true, nil
		}
	}
	return false, nil
}

func (s *Spool) move(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return folder("changing the spool", err)
	}
	return s.sync()
}

func (s *Spool) remove(e *entry) error {
	if err := os.Remove(e.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return folder("taking the call out of the spool", err)
	}
	return s.sync()
}

// sync makes what was renamed and removed last. Systems that cannot sync a
// folder do without.
func (s *Spool) sync() error {
	d, err := os.Open(s.dir)
	if err != nil {
		return folder("syncing the spool", err)
	}
	_ = d.Sync()
	return folder("syncing the spool", d.Close())
}

// rejected is a call that was refused.
type rejected struct {
	Reason string `json:"reason"`
	*entry
}

// reject takes a refused call out of the queue. Whoever waits for it is told.
func (s *Spool) reject(e *entry, why error, own bool) error {
	if own {
		return s.remove(e)
	}
	text, err := json.MarshalIndent(rejected{why.Error(), e}, "", "  ")
	if err == nil {
		err = atomicfile.Write(filepath.Join(s.dir, rejectedDir, e.Op+callSuffix), append(text, '\n'), 0o600)
	}
	if err == nil {
		err = s.leaveResult(e, result{Error: why.Error()})
	}
	if err != nil {
		return folder("keeping a refused call", err)
	}
	return s.remove(e)
}

// result is what became of a call that another process delivered.
type result struct {
	ID    erp.ID `json:"id"`
	Error string `json:"error,omitempty"`
}

// resultAge is how long a result waits for its process.
const resultAge = time.Hour

func (s *Spool) leaveResult(e *entry, r result) error {
	s.pruneResults()
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return folder("telling the outcome of a call", atomicfile.Write(s.resultPath(e.Op), text, 0o600))
}

func (s *Spool) resultPath(op string) string { return filepath.Join(s.dir, resultStart+op) }

// collect reads the result of a call that another process delivered.
func (s *Spool) collect(e *entry) (Outcome, error) {
	text, err := os.ReadFile(s.resultPath(e.Op))
	if errors.Is(err, fs.ErrNotExist) {
		return Outcome{}, nil // delivered; who did it could not tell more
	}
	var r result
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return Outcome{}, folder("reading the outcome of a call", err)
	}
	if err := os.Remove(s.resultPath(e.Op)); err != nil {
		return Outcome{}, folder("reading the outcome of a call", err)
	}
	if r.Error != "" {
		return Outcome{}, fmt.Errorf("%s, made by another process: %s", e.Call.String(), r.Error)
	}
	return Outcome{ID: r.ID}, nil
}

// pruneResults removes results whose process never came for them.
func (s *Spool) pruneResults() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, f := range entries {
		if !strings.HasPrefix(f.Name(), resultStart) {
			continue
		}
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > resultAge {
			_ = os.Remove(filepath.Join(s.dir, f.Name())) // the next time, then
		}
	}
}

// maxAliases bounds how many other names of runs are kept; the oldest go first.
const maxAliases = 1000

type aliasEntry struct {
	UUID string `json:"uuid"`
	ID   erp.ID `json:"id"`
}

func (s *Spool) aliases() ([]aliasEntry, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, aliasFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []aliasEntry
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	return list, folder("reading the names of runs in the spool", err)
}

// alias notes that the run that was given the UUID is another one in the ERP,
// because its build had been recorded before.
func (s *Spool) alias(uuid string, id erp.ID) error {
	list, err := s.aliases()
	if err != nil {
		return err
	}
	list = append(list, aliasEntry{uuid, id})
	text, err := json.Marshal(list[max(len(list)-maxAliases, 0):])
	if err != nil {
		return err
	}
	return folder("keeping the name of a run", atomicfile.Write(filepath.Join(s.dir, aliasFile), text, 0o600))
}

// resolve is the run that a name stands for.
func (s *Spool) resolve(id erp.ID) erp.ID {
	uuid, ok := id.UUID()
	if !ok {
		return id
	}
	list, err := s.aliases()
	if err != nil {
		s.log.Warn("names of runs in the spool are lost", "error", err)
		return id
	}
	for _, a := range slices.Backward(list) {
		if strings.EqualFold(a.UUID, uuid) {
			return a.ID
		}
	}
	return id
}

type away struct {
	At    time.Time `json:"at"`
	Cause string    `json:"cause"`
}

// markAway notes that the ERP could not be reached.
func (s *Spool) markAway(cause error) {
	text, err := json.Marshal(away{s.opts.Clock(), cause.Error()})
	if err == nil {
		err = atomicfile.Write(filepath.Join(s.dir, awayFile), text, 0o600)
	}
	if err != nil {
		s.log.Warn("the spool cannot tell others that the ERP is away", "error", err)
	}
}

// awaySince is why the ERP could not be reached after the time given, nil if it
// was not tried.
func (s *Spool) awaySince(at time.Time) error {
	text, err := os.ReadFile(filepath.Join(s.dir, awayFile))
	if err != nil {
		return nil //nolint:nilerr // no such note
	}
	var a away
	if json.Unmarshal(text, &a) != nil || !a.At.After(at) {
		return nil
	}
	return errors.New(a.Cause)
}
