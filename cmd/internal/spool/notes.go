package spool

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// The notes in the folder: results for processes whose call another one delivered,
// the UUIDs of runs that were found under another one, and that the ERP was found
// away.
const (
	resultNote = "result-" // and the ID of the call
	aliasNote  = "aliases"
	awayNote   = "away"
)

// result is what became of a call that another process delivered.
type result struct {
	ID    erp.ID `json:"id,omitzero"`
	Error string `json:"error,omitempty"`
}

// resultAge is how long a result waits for its process.
const resultAge = time.Hour

func (s *Spool) leaveResult(call string, r result) error {
	s.queue.RemoveOldNotes(resultNote, resultAge)
	return s.queue.SetNote(resultNote+call, r)
}

// takeResult reads and removes the result of a call. It is zero when whoever
// delivered the call could not tell more.
func (s *Spool) takeResult(call string) (r result, err error) {
	_, err = s.queue.Note(resultNote+call, &r)
	s.queue.RemoveNote(resultNote + call)
	return r, err
}

// maxAliases bounds how many other names of runs are kept; the oldest go first.
const maxAliases = 1000

type alias struct {
	UUID string `json:"uuid"`
	ID   erp.ID `json:"id"`
}

// aliases are the other names of runs.
func (s *Spool) aliases() (list []alias, err error) {
	_, err = s.queue.Note(aliasNote, &list)
	return list, err
}

// addAliases notes that runs that were given a UUID are other ones in the ERP,
// because their builds had been recorded before.
func (s *Spool) addAliases(more ...alias) error {
	list, err := s.aliases()
	if err != nil { // a new list is better than none
		s.opts.Logger.Warn("names of runs in the spool are lost", "error", err)
	}
	before := len(list)
	for _, a := range more {
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	if len(list) == before {
		return nil
	}
	return s.queue.SetNote(aliasNote, list[max(len(list)-maxAliases, 0):])
}

// resolve is the run that a name stands for.
func (d *delivery) resolve(id erp.ID) erp.ID {
	uuid, ok := id.UUID()
	if !ok {
		return id
	}
	list, err := d.s.aliases()
	if err != nil {
		d.s.opts.Logger.Warn("names of runs in the spool are lost", "error", err)
	}
	for _, a := range slices.Backward(append(list, d.found...)) {
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
	if err := s.queue.SetNote(awayNote, away{string(dict.NewUUID()), cause.Error()}); err != nil {
		s.opts.Logger.Warn("the spool cannot tell others that the ERP is away", "error", err)
	}
}

// readAway is the note as it is now, zero for none.
func (s *Spool) readAway() (a away) {
	_, _ = s.queue.Note(awayNote, &a) // one that cannot be read counts as none
	return a
}

// awaySince is why the ERP could not be reached after a note was seen, nil if it
// was not tried.
func (s *Spool) awaySince(seen string) error {
	if a := s.readAway(); a.Name != "" && a.Name != seen {
		return errors.New(a.Cause)
	}
	return nil
}
