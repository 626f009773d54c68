package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/uuid"
)

// Errors of journals, for errors.Is.
var (
	// ErrInterrupted is in the error of a run that finds the journal of another,
	// which was cut off: set Resume, or remove the journal.
	ErrInterrupted = errors.New("an earlier run was interrupted")
	// ErrNothingToResume is in the error of a run with Resume without a journal.
	ErrNothingToResume = errors.New("there is nothing to resume")
	// ErrOtherRun is in the error of a run with Resume whose journal is about
	// another file, table or server, or about other options.
	ErrOtherRun = errors.New("the journal is of another run")
)

// journalVersion is the format's number; others are refused.
const journalVersion = 1

// saveEvery bounds how often the journal is written. What is done after the last
// time is looked up by UUID when the run is resumed.
const saveEvery = 500 * time.Millisecond

// maxJournal bounds what is read.
const maxJournal = 1 << 20

// journal is the content of the file.
type journal struct {
	Version int       `json:"version"`
	Run     string    `json:"run"` // of which the UUIDs of new records are made
	Server  string    `json:"server"`
	Table   string    `json:"table"`
	File    string    `json:"file"`    // name, for people
	Digest  string    `json:"digest"`  // of the file
	Options string    `json:"options"` // digest of what decides about rows
	Saved   time.Time `json:"saved"`
	// Counts are of the rows that are settled: the first ones of the file.
	Counts
	Errors     string `json:"errors"`     // name of the error file
	ErrorBytes int64  `json:"errorBytes"` // how much of it

	resumed bool
	written time.Time
	lock    *flock.Flock
}

// rowUUID is the UUID of the record that a row makes in a run.
func rowUUID(run string, number int) string { return uuid.V5(run, fmt.Sprint("row ", number)) }

// open begins the journal, or goes on with that of a run that was cut off.
func (r *run) open(table string) (err error) {
	fresh := &journal{Version: journalVersion, Run: uuid.V7(time.Now()), Server: r.client.BaseURL(), Table: table, File: r.in.Name(),
		Digest: r.digest, Options: r.opts.digest()}
	r.state = fresh
	r.refused = &errorFile{path: r.opts.Errors, json: r.names == nil}
	r.undo = &undoFile{path: r.opts.Undo}
	if r.opts.DryRun {
		r.refused.path = ""
		return nil
	}
	if r.opts.Journal != "" {
		lock, err := lockJournal(r.opts.Journal, r.in.Name())
		if err != nil {
			return err
		}
		defer func() {
			if err != nil {
				_ = lock.Unlock() // the error says more
			}
		}()
		fresh.lock = lock
		if err := r.claim(fresh); err != nil {
			_ = lock.Unlock() // the error says more
			return err
		}
	} else if r.opts.Resume {
		return fmt.Errorf("%w: no journal is kept", ErrNothingToResume)
	}
	if err := r.refused.open(r.state); err != nil {
		r.unlock()
		return err
	}
	if err := r.save(true); err != nil {
		return errors.Join(err, r.refused.close(true))
	}
	return nil
}

// lockJournal keeps other runs off; file is for people.
func lockJournal(path, file string) (*flock.Flock, error) {
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking the journal: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("another process imports %s, or takes that back, at this moment; wait for it to end", file)
	}
	return lock, nil
}

func unlockJournal(path string, lock *flock.Flock) {
	_ = os.Remove(path + ".lock") // an empty file that is left does no harm
	_ = lock.Unlock()             // it ends with the process
}

// claim reads the journal that is there, if it is of this run.
func (r *run) claim(fresh *journal) error {
	data, err := readBounded(r.opts.Journal)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !r.opts.Resume:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: no run left %s", ErrNothingToResume, r.opts.Journal)
	case err != nil:
		return fmt.Errorf("reading the journal: %w", err)
	case !r.opts.Resume:
		return fmt.Errorf("%w and left %s: resume it, or remove that file to start over", ErrInterrupted, r.opts.Journal)
	}
	old := &journal{}
	if err := json.Unmarshal(data, old); err == nil && old.Version != journalVersion {
		return fmt.Errorf("the journal %s has form %d, and this erphub reads form %d alone: resume with the one that began, or remove it, and import the file again with a key",
			r.opts.Journal, old.Version, journalVersion)
	} else if err != nil || old.Run == "" || old.Rows() < 0 || old.ErrorBytes < 0 {
		return fmt.Errorf("the journal %s cannot be read; remove it, and import the file again with a key", r.opts.Journal)
	}
	for _, part := range []struct{ what, was, is string }{
		{"the server", old.Server, fresh.Server}, {"the table", old.Table, fresh.Table},
		{"the content of the file", old.Digest, fresh.Digest}, {"one of the options", old.Options, fresh.Options},
	} {
		if part.was != part.is {
			return fmt.Errorf("%w: %s has changed since the run was interrupted; to import the rest, remove %s and import with a key",
				ErrOtherRun, part.what, r.opts.Journal)
		}
	}
	old.resumed, old.lock = true, fresh.lock
	r.state = old
	r.result.Resumed = old.Rows()
	return nil
}

func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxJournal {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, maxJournal>>20)
	}
	return os.ReadFile(path)
}

// digest is that of the options that decide what becomes of a row.
func (o *ImportOptions) digest() string {
	zone := ""
	if o.Values.Zone != nil {
		zone = o.Values.Zone.String()
	}
	data, _ := json.Marshal([]any{o.Key, o.Map, o.SkipEmpty, o.Values.DecimalComma, o.Values.DateFormat, zone, o.AllOrNothing, filepath.Base(o.Errors)}) // of strings and booleans
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// save writes the journal, when it is time or must be.
func (r *run) save(must bool) error {
	if r.opts.Journal == "" || r.opts.DryRun || !must && time.Since(r.state.written) < saveEvery {
		return nil
	}
	var err error
	if r.state.ErrorBytes, err = r.refused.sync(); err != nil {
		return err
	}
	r.state.Saved = time.Now().UTC().Truncate(time.Second)
	data, err := json.Marshal(r.state)
	if err == nil {
		err = atomicfile.Write(r.opts.Journal, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("saving the state of the run: %w", err)
	}
	r.state.written = time.Now()
	return nil
}

// close ends the run: the journal of one that came to its end is removed, that of
// one that was cut off says how far it came.
func (r *run) close(cause error) error {
	defer r.unlock()
	r.result.Counts = r.state.Counts
	var changed *changedError
	done := cause == nil || errors.As(cause, &changed) || r.opts.AllOrNothing && errors.Is(cause, ErrFailed) || !r.begun && !r.state.resumed
	var err error
	if !done {
		err = r.save(true)
	}
	if closeErr := errors.Join(r.refused.close(done), r.undo.close()); err == nil {
		err = closeErr
	}
	if r.refused.size > 0 {
		r.result.Errors = r.refused.path
	}
	if done && r.opts.Journal != "" && !r.opts.DryRun {
		removeErr := os.Remove(r.opts.Journal)
		if removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("all rows are through, but the journal cannot be removed: %w", removeErr))
		}
		err = errors.Join(err, atomicfile.RemoveLeftovers(r.opts.Journal))
	}
	return err
}

func (r *run) unlock() {
	if r.state.lock == nil {
		return
	}
	unlockJournal(r.opts.Journal, r.state.lock)
}
