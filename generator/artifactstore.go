package generator

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"time"

	"github.com/erphub/erphub/internal/failure"
)

// Limits and defaults.
const (
	DefaultArtifactTTL = time.Hour
	MaxArtifactTTL     = 366 * 24 * time.Hour
)

// StoredArtifact is a stored artifact.
type StoredArtifact struct {
	Filename string
	Size     int64
	SHA256   string // in hexadecimal
	Created  time.Time
	Expires  time.Time
}

// ArtifactStore keeps artifacts. It is safe for concurrent use.
type ArtifactStore interface {
	// Put stores a file for some time and returns its id, which is a secret.
	Put(ctx context.Context, filename string, content []byte, ttl time.Duration) (id string, a StoredArtifact, err error)
	// Open returns the file. An id that is not known is a failure of the kind
	// failure.NotFound, one whose time is over of failure.Expired.
	Open(ctx context.Context, id string) (StoredArtifact, io.ReadSeekCloser, error)
	// Sweep removes what is over, and returns how many artifacts that were.
	Sweep(ctx context.Context) (int, error)
}

// CleanArtifacts sweeps a store again and again until the context ends. A sweep that
// fails is logged and tried again the next time.
func CleanArtifacts(ctx context.Context, store ArtifactStore, every time.Duration, logger *slog.Logger) {
	logger = cmp.Or(logger, slog.New(slog.DiscardHandler))
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if n, err := store.Sweep(ctx); err != nil && ctx.Err() == nil {
			logger.WarnContext(ctx, "old artifacts could not all be removed", "error", err)
		} else if n > 0 {
			logger.InfoContext(ctx, "old artifacts removed", "count", n)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// LinkDelivery delivers artifacts as links into a store. It is safe for concurrent
// use.
type LinkDelivery struct {
	store ArtifactStore
	base  *url.URL
	ttl   time.Duration
}

// NewLinkDelivery returns a delivery whose links begin with the address of the
// server that serves them. A life of zero means an hour.
func NewLinkDelivery(store ArtifactStore, baseURL string, ttl time.Duration) (*LinkDelivery, error) {
	bad := func(why, next string) error {
		return &failure.Error{Kind: failure.NotConfigured, Doing: "configuring download links", Why: why, Next: next}
	}
	base, err := url.Parse(baseURL)
	switch {
	case baseURL == "":
		return nil, bad("there is no address for them to begin with", "set hub.artifacts.base-url (ARTIFACTS_BASE_URL) to the address of the hub")
	case err != nil, base.Scheme != "http" && base.Scheme != "https", base.Hostname() == "", base.User != nil, base.RawQuery != "", base.Fragment != "":
		return nil, bad("the address they begin with is not one of a server", "set hub.artifacts.base-url (ARTIFACTS_BASE_URL) to one such as https://hub.example.com")
	case ttl < 0 || ttl > MaxArtifactTTL:
		return nil, bad(fmt.Sprintf("they cannot live %v", ttl), "set hub.artifacts.default-ttl-minutes (ARTIFACTS_TTL) to at most a year")
	case store == nil:
		return nil, bad("there is nowhere to keep the files", "give a folder for them")
	}
	ttl = cmp.Or(ttl, DefaultArtifactTTL)
	return &LinkDelivery{store, base, ttl}, nil
}

// Deliver stores the artifact's zip and returns the link to it.
func (d *LinkDelivery) Deliver(ctx context.Context, a *Artifact, progress Progress) (*Receipt, error) {
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("storing an artifact: %w", err)
	}
	progress.Report(0, 2, "packing "+a.Filename())
	data, err := a.Zip()
	if err != nil {
		return nil, err
	}
	progress.Report(1, 2, "storing "+a.Filename())
	id, stored, err := d.store.Put(ctx, a.Filename(), data, d.ttl)
	if err != nil {
		return nil, err
	}
	progress.Report(2, 2, "stored "+a.Filename())
	return &Receipt{
		Mode: ModeURL, DownloadURL: d.base.JoinPath("api", "artifacts", id, "download").String(),
		Filename: stored.Filename, ExpiresAt: stored.Expires,
	}, nil
}
