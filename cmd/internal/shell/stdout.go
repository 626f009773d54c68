package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// results is standard output. It remembers that something could not be written,
// which a command need not look at: [results.finish] makes a failure of it. Nothing
// is written after that, so that what is there has no gap.
type results struct {
	to io.Writer

	mu  sync.Mutex // guards err
	err error
}

// Write passes p on.
func (r *results) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.to.Write(p)
	r.err = err
	return n, err
}

// finish is how a run ends: as err says, unless the command did not notice that
// its results could not be written.
func (r *results) finish(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil || err != nil && !errors.Is(err, ErrReported) {
		return err
	}
	return fmt.Errorf("writing the results to standard output: %w; what was written is not complete", r.err)
}

// FileOf is the file behind a stream, if there is one.
func FileOf(stream any) (*os.File, bool) {
	if r, ok := stream.(*results); ok {
		stream = r.to
	}
	f, ok := stream.(*os.File)
	return f, ok
}
