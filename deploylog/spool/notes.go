package spool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

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
	return s.write("telling the outcome of a call", s.resultPath(e.Op), text)
}

func (s *Spool) resultPath(op string) string { return filepath.Join(s.dir, resultStart+op) }

// takeResult reads and removes the result of a call.
func (s *Spool) takeResult(e *entry) (r result, found bool, err error) {
	text, err := os.ReadFile(s.resultPath(e.Op))
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, false, folder("reading the outcome of a call", err)
	}
	_ = os.Remove(s.resultPath(e.Op)) // it is pruned, then
	return r, true, nil
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
	s.mu.Lock()
	s.known[strings.ToLower(uuid)] = id
	s.mu.Unlock()
	list, err := s.aliases()
	if err != nil { // a new list is better than none
		s.log.Warn("names of runs in the spool are lost", "error", err)
	}
	if slices.Contains(list, aliasEntry{uuid, id}) {
		return nil
	}
	list = append(list, aliasEntry{uuid, id})
	text, err := json.Marshal(list[max(len(list)-maxAliases, 0):])
	if err != nil {
		return err
	}
	return s.write("keeping the name of a run", filepath.Join(s.dir, aliasFile), text)
}

// resolve is the run that a name stands for.
func (s *Spool) resolve(id erp.ID) erp.ID {
	uuid, ok := id.UUID()
	if !ok {
		return id
	}
	s.mu.Lock()
	known, ok := s.known[strings.ToLower(uuid)]
	s.mu.Unlock()
	if ok {
		return known
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

// away is the note that the ERP could not be reached. Its name, not its time,
// tells it from an earlier one: clocks jump.
type away struct {
	Name  string `json:"name"`
	Cause string `json:"cause"`
}

// markAway notes that the ERP could not be reached.
func (s *Spool) markAway(cause error) {
	text, err := json.Marshal(away{string(dict.NewUUID()), cause.Error()})
	if err == nil {
		err = s.write("noting that the ERP is away", filepath.Join(s.dir, awayFile), text)
	}
	if err != nil {
		s.log.Warn("the spool cannot tell others that the ERP is away", "error", err)
	}
}

// awayNote is the note as it is now, nil for none.
func (s *Spool) awayNote() []byte {
	text, err := os.ReadFile(filepath.Join(s.dir, awayFile))
	if err != nil {
		return nil
	}
	return text
}

// awaySince is why the ERP could not be reached after a note was seen, nil if it
// was not tried.
func (s *Spool) awaySince(seen []byte) error {
	text := s.awayNote()
	var a away
	if bytes.Equal(text, seen) || json.Unmarshal(text, &a) != nil || a.Name == "" {
		return nil
	}
	return errors.New(a.Cause)
}

// forgetAway removes the note once the ERP has responded.
func (s *Spool) forgetAway() { _ = os.Remove(filepath.Join(s.dir, awayFile)) }
