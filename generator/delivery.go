package generator

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// Mode is a way to deliver an artifact, a value of the request's output.
type Mode string

// The modes.
const (
	ModeFilesystem  Mode = "filesystem"
	ModeArchive     Mode = "archive"
	ModeURL         Mode = "url"
	ModeObjectStore Mode = "object_store"
	ModeRepository  Mode = "repository"
	ModeEmail       Mode = "email"
)

// Modes lists the modes, the default first.
func Modes() []Mode {
	return []Mode{ModeFilesystem, ModeArchive, ModeURL, ModeObjectStore, ModeRepository, ModeEmail}
}

// ParseMode reads a mode. An empty text is the default, filesystem. Modes are
// written in lower case, and nothing else is accepted.
func ParseMode(text string) (Mode, error) {
	if text == "" {
		return ModeFilesystem, nil
	}
	mode := Mode(text)
	if !slices.Contains(Modes(), mode) {
		if lower := Mode(strings.ToLower(text)); slices.Contains(Modes(), lower) {
			return "", fmt.Errorf("there is no output mode %s; modes are written in lower case: %s", quote(text), lower)
		}
		var names []string
		for _, m := range Modes() {
			names = append(names, string(m))
		}
		return "", fmt.Errorf("there is no output mode %s; use one of %s", quote(text), strings.Join(names, ", "))
	}
	return mode, nil
}

// Progress gets the progress of a delivery: done of total steps, and what comes
// next. Only the goroutine that delivers calls it, and it must not
// block. Deliveries accept nil.
type Progress func(done, total int, what string)

// Report calls p unless it is nil.
func (p Progress) Report(done, total int, what string) {
	if p != nil {
		p(done, total, what)
	}
}

// Delivery brings an artifact to where it is wanted. A delivery that fails
// leaves nothing behind that looks like a delivered artifact; those that need another
// server or a store return a [*DeliveryError]. It is safe for concurrent use.
type Delivery interface {
	Deliver(ctx context.Context, a *Artifact, progress Progress) (*Receipt, error)
}

// Receipt tells where an artifact went. Which fields are set depends on the
// mode; JSON has these and no other.
type Receipt struct {
	Mode Mode

	Path  string   // filesystem: folder the files are in
	Files []string // filesystem: names of the files written, relative to Path

	DownloadURL string    // url
	Filename    string    // archive, url, email: name of the zip
	ExpiresAt   time.Time // url, object_store

	URL    string // object_store: a link that works until ExpiresAt
	Bucket string // object_store
	Key    string // object_store

	RepositoryURL string // repository: for people
	CloneURL      string // repository: for git, without credentials
	Commit        string // repository: hash of the commit

	SentTo string // email

	Zip []byte // archive: the zip itself, not part of the JSON
}

// MarshalJSON writes the fields of the receipt's mode, as the hub's responses
// have them.
func (r Receipt) MarshalJSON() ([]byte, error) {
	switch r.Mode {
	case ModeFilesystem:
		files := r.Files
		if files == nil {
			files = []string{}
		}
		return json.Marshal(struct {
			Path  string   `json:"path"`
			Files []string `json:"files"`
		}{r.Path, files})
	case ModeArchive:
		return json.Marshal(struct {
			Filename string `json:"filename"`
			Size     int    `json:"size"`
		}{r.Filename, len(r.Zip)})
	case ModeURL:
		return json.Marshal(struct {
			DownloadURL string `json:"download_url"`
			Filename    string `json:"filename"`
			ExpiresAt   string `json:"expires_at"`
		}{r.DownloadURL, r.Filename, instant(r.ExpiresAt)})
	case ModeObjectStore:
		return json.Marshal(struct {
			URL       string `json:"url"`
			Bucket    string `json:"bucket"`
			Key       string `json:"key"`
			ExpiresAt string `json:"expires_at"`
		}{r.URL, r.Bucket, r.Key, instant(r.ExpiresAt)})
	case ModeRepository:
		return json.Marshal(struct {
			RepositoryURL string `json:"repository_url"`
			CloneURL      string `json:"clone_url"`
			Commit        string `json:"commit"`
		}{r.RepositoryURL, r.CloneURL, r.Commit})
	case ModeEmail:
		return json.Marshal(struct {
			SentTo   string `json:"sent_to"`
			Filename string `json:"filename"`
		}{r.SentTo, r.Filename})
	}
	return nil, fmt.Errorf("a receipt of the unknown mode %s cannot be written as JSON", quote(string(r.Mode)))
}

// instant writes a time as ISO 8601 in UTC, to the second.
func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// LogValue leaves out the links, since who has one can read the artifact.
func (r Receipt) LogValue() slog.Value {
	return slog.GroupValue(slog.String("mode", string(r.Mode)), slog.String("path", r.Path), slog.Int("files", len(r.Files)),
		slog.String("filename", r.Filename), slog.String("bucket", r.Bucket), slog.String("key", r.Key),
		slog.String("repository", r.RepositoryURL), slog.String("commit", r.Commit))
}
