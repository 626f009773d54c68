package planfile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/tablefile"
	"github.com/erphub/erphub/internal/text"
)

// Version is the number of the format; files with another one are refused.
const Version = 1

// kind says what a file is, to whoever opens one.
const kind = "erphub dictionary plan"

// maxFile bounds what is read.
const maxFile = 64 << 20

// ErrNotPlan is in the error of a file that is not a saved plan, or one that cannot be
// understood.
var ErrNotPlan = errors.New("not a saved plan")

// Options say how a plan was made, and for whom. Nil and the zero value are the
// defaults.
type Options struct {
	AnyPrefix bool // as in [dict.Options]
	// Server and Tenant are where it was made: the base URL of the ERP, and the
	// AD_Client_ID of the login, nil when it is not known.
	Server string
	Tenant *int
	// Sources are the files of the definitions.
	Sources []Source
}

// Source is a file of definitions as it was when the plan was made.
type Source struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// File is a saved plan. It does not change and may be shared.
type File struct {
	Kind        string        `json:"kind"`
	Version     int           `json:"version"`
	Created     time.Time     `json:"created"`
	Server      string        `json:"server,omitempty"`
	Tenant      *int          `json:"tenant,omitempty"`
	AnyPrefix   bool          `json:"anyPrefix,omitempty"`
	Sources     []Source      `json:"sources,omitempty"`
	Definitions string        `json:"definitions"` // as YAML
	Found       string        `json:"found"`       // SHA-256 of the changes: what the ERP has is part of them
	Summary     diff.Summary  `json:"summary"`
	Changes     []diff.Change `json:"changes"`
	Plan        *dict.Plan    `json:"plan"`
}

// New makes the file of a comparison of the tables.
func New(result *diff.Result, tables []dict.Table, opts *Options) (*File, error) {
	if opts == nil {
		opts = &Options{}
	}
	definitions, err := tablefile.Marshal(tables...)
	if err != nil {
		return nil, fmt.Errorf("saving a plan: %w", err)
	}
	plan, err := diff.NewPlan(result, nil)
	if err != nil {
		return nil, fmt.Errorf("saving a plan: %w", err)
	}
	f := &File{Kind: kind, Version: Version, Created: time.Now().UTC().Truncate(time.Second), Server: opts.Server, Tenant: opts.Tenant,
		AnyPrefix: opts.AnyPrefix, Sources: opts.Sources, Definitions: string(definitions),
		Summary: result.Summary(), Changes: result.Changes, Plan: plan}
	f.Found, err = digest(result.Changes)
	return f, err
}

// digest is the SHA-256 of changes.
func digest(changes []diff.Change) (string, error) {
	data, err := json.Marshal(changes)
	if err != nil {
		return "", fmt.Errorf("saving a plan: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// Write writes the file, as a whole or not at all, with mode 600.
func (f *File) Write(path string) error {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("saving the plan: %w", err)
	}
	if err := atomicfile.Write(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("saving the plan: %w", err)
	}
	return nil
}

// Read reads a saved plan. The error matches [ErrNotPlan] when the file is not one.
func Read(path string) (*File, error) {
	data, err := atomicfile.ReadAtMost(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("reading the saved plan: %w", err)
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Parse reads the content of a file.
func Parse(data []byte) (*File, error) {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrNotPlan, fmt.Sprintf(format, args...))
	}
	if len(data) > maxFile {
		return nil, bad("it is larger than %d MiB", maxFile>>20)
	}
	var head struct {
		Kind    string `json:"kind"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, bad("%v; `erphub dict plan --out FILE` makes one", err)
	}
	switch {
	case head.Kind != kind:
		return nil, bad("it does not say that it is one; `erphub dict plan --out FILE` makes one")
	case head.Version != Version:
		return nil, bad("it has form %d, and this erphub reads form %d alone; make the plan again", head.Version, Version)
	}
	f := &File{Plan: new(dict.Plan)}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(f); err != nil {
		return nil, bad("%v; make the plan again", err)
	}
	if f.Plan == nil {
		return nil, bad("it has no steps; make the plan again")
	}
	if _, err := f.Tables(); err != nil {
		return nil, bad("its definitions: %v; make the plan again", err)
	}
	return f, nil
}

// Tables are the definitions that the plan was made for.
func (f *File) Tables() ([]dict.Table, error) {
	set, err := tablefile.Parse("definitions", []byte(f.Definitions))
	if err != nil {
		return nil, err
	}
	return set.Tables(), nil
}

// Check compares the definitions with the ERP once more. The error is a [*StaleError]
// when that gives another plan, because the ERP, or the file, was changed.
func (f *File) Check(ctx context.Context, reg registry.Registry) (*diff.Result, error) {
	tables, err := f.Tables()
	if err != nil {
		return nil, fmt.Errorf("checking the saved plan: %w", err)
	}
	result, err := diff.Compare(ctx, reg, &dict.Options{AnyPrefix: f.AnyPrefix}, tables...)
	if err != nil {
		return nil, fmt.Errorf("checking the saved plan: %w", err)
	}
	for _, c := range f.Changes {
		if c.Kind == diff.KindDatabase { // a registry does not tell; it does no harm to do it again
			result.Synchronise(c.Table)
		}
	}
	plan, err := diff.NewPlan(result, nil)
	if err != nil {
		return nil, fmt.Errorf("checking the saved plan: %w", err)
	}
	found, err := digest(result.Changes)
	if err != nil {
		return nil, err
	}
	saved, err := digest(f.Changes)
	if err != nil {
		return nil, err
	}
	if found == f.Found && saved == f.Found && plan.Fingerprint() == f.Plan.Fingerprint() {
		return result, nil
	}
	return result, &StaleError{Created: f.Created, Changes: compared(f.Changes, result.Changes)}
}

// Changed lists those of the sources that are not as they were when the plan was made.
func (f *File) Changed() []string {
	var paths []string
	for _, s := range f.Sources {
		now, err := SourceOf(s.Path)
		if err != nil || now.SHA256 != s.SHA256 {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

// SourceOf is a file as it is now.
func SourceOf(path string) (Source, error) {
	r, err := os.Open(path)
	if err != nil {
		return Source{}, err
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return Source{}, err
	}
	return Source{Path: path, SHA256: hex.EncodeToString(h.Sum(nil))}, nil
}

// StaleError means that a plan does not fit the ERP, which is not what it was when the
// plan was made.
type StaleError struct {
	Created time.Time
	Changes []string // what is different, one line each
}

// maxShown keeps the text readable.
const maxShown = 20

// Error lists what is different, the first 20 of it.
func (e *StaleError) Error() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "the saved plan is stale: the ERP is not as it was at %s:", e.Created.Format(time.RFC3339))
	for i, c := range e.Changes {
		if i == maxShown {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Changes)-i)
			break
		}
		b.WriteString("\n  " + text.OneLine(c))
	}
	b.WriteString("\nnothing was done; make the plan again and look at it")
	return b.String()
}
