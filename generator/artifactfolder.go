package generator

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// ArtifactFolderOptions configure a [ArtifactFolder].
type ArtifactFolderOptions struct {
	// MaxBytes is the limit for all stored files together. Zero means 1 GiB.
	MaxBytes int64
	// Now is the clock, nil means the system's.
	Now func() time.Time
}

const (
	defaultMaxBytes   = 1 << 30
	remember          = 30 * 24 * time.Hour // how long the end of an artifact is known
	abandonedArtifact = time.Hour           // age of files that nobody will finish
	contentSuffix     = ".zip"
	metaSuffix        = ".json"
	maxMeta           = 64 << 10
)

// ArtifactFolder keeps artifacts in a folder, two files for each: the content, and
// what is known of it, which is written last.
type ArtifactFolder struct {
	dir  string
	opts ArtifactFolderOptions
	mu   sync.Mutex // guards the room that is left, from looking to writing
}

// meta is the second file.
type meta struct {
	Filename string    `json:"filename"`
	Size     int64     `json:"size"`
	SHA256   string    `json:"sha256"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires"`
}

// OpenArtifactFolder opens a folder, which is made when it is not there, for nobody
// else to read.
func OpenArtifactFolder(dir string, opts ArtifactFolderOptions) (*ArtifactFolder, error) {
	if dir == "" {
		return nil, &failure.Error{Kind: failure.NotConfigured, Doing: "opening the store of artifacts", Why: "it has no folder", Next: "name one"}
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, &failure.Error{Kind: failure.NotConfigured, Doing: "opening the store of artifacts", Why: "its folder cannot be made: " + err.Error(), Next: "choose another one", Err: err}
	}
	opts.MaxBytes = cmp.Or(opts.MaxBytes, defaultMaxBytes)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &ArtifactFolder{dir: dir, opts: opts}, nil
}

var (
	encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	idForm   = lazyregexp.New(`^[a-z2-7]{52}$`)
)

// newID returns 256 random bits that can be selected with a double click.
func newID() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // does not fail
	return encoding.EncodeToString(b[:])
}

// path is where the files of an id are, without suffix. It does not tell the
// id.
func (d *ArtifactFolder) path(id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(d.dir, hex.EncodeToString(sum[:]))
}

// Put stores a file.
func (d *ArtifactFolder) Put(ctx context.Context, filename string, content []byte, ttl time.Duration) (string, StoredArtifact, error) {
	doing := "storing " + failure.Words(filename)
	if ttl <= 0 || ttl > MaxArtifactTTL {
		return "", StoredArtifact{}, &failure.Error{Kind: failure.Invalid, Doing: doing, Why: fmt.Sprintf("it cannot be kept for %v", ttl), Next: "use a time of at most a year"}
	}
	if err := ctx.Err(); err != nil {
		return "", StoredArtifact{}, fmt.Errorf("%s: %w", doing, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.room(ctx, doing, int64(len(content))); err != nil {
		return "", StoredArtifact{}, err
	}
	id := newID()
	path := d.path(id)
	sum := sha256.Sum256(content)
	now := d.opts.Now().UTC().Truncate(time.Second)
	m := meta{Filename: filename, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), Created: now, Expires: now.Add(ttl)}
	text, err := json.Marshal(m)
	if err == nil {
		err = atomicfile.Write(path+contentSuffix, content, 0o600)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = atomicfile.Write(path+metaSuffix, text, 0o600)
	}
	if err != nil {
		err = errors.Join(err, remove(path+metaSuffix), remove(path+contentSuffix))
		return "", StoredArtifact{}, explain(doing, err)
	}
	return id, StoredArtifact(m), nil
}

// room makes sure that there is some, if need be by a sweep.
func (d *ArtifactFolder) room(ctx context.Context, doing string, need int64) error {
	for swept := false; ; swept = true {
		used := int64(0)
		entries, err := os.ReadDir(d.dir)
		if err != nil {
			return explain(doing, err)
		}
		for _, e := range entries {
			if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == contentSuffix {
				used += info.Size()
			}
		}
		switch {
		case need <= d.opts.MaxBytes-used:
			return nil
		case need > d.opts.MaxBytes:
			return &failure.Error{Kind: failure.TooLarge, Doing: doing, Why: fmt.Sprintf("it has %d bytes, and the store has room for %d in all", need, d.opts.MaxBytes), Next: "raise the limit of the store"}
		case swept:
			return &failure.Error{Kind: failure.Full, Doing: doing, Why: "the store of artifacts is full", Next: "wait for older ones to expire, or raise the limit of the store"}
		}
		if _, err := d.Sweep(ctx); err != nil {
			return explain(doing, err)
		}
	}
}

// explain makes an error of a file system's.
func explain(doing string, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", doing, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return &failure.Error{Kind: failure.Full, Doing: doing, Why: "the disk is full", Next: "make room, or move the store of artifacts", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &failure.Error{Kind: failure.NotConfigured, Doing: doing, Why: "the folder of the store may not be written to", Next: "give this program's account the permission to", Err: err}
	}
	return &failure.Error{Kind: failure.Unexpected, Doing: doing, Why: "the store's folder does not work: " + failure.Words(err.Error()), Next: "look at the disk", Err: err}
}

// Open opens a stored file.
func (d *ArtifactFolder) Open(ctx context.Context, id string) (StoredArtifact, io.ReadSeekCloser, error) {
	const doing = "looking for the artifact"
	unknown := &failure.Error{Kind: failure.NotFound, Doing: doing, Why: "there is none under this link", Next: "check the link, or generate it again"}
	if err := ctx.Err(); err != nil {
		return StoredArtifact{}, nil, fmt.Errorf("%s: %w", doing, err)
	}
	if !idForm().MatchString(id) {
		return StoredArtifact{}, nil, unknown
	}
	path := d.path(id)
	m, err := readMeta(path + metaSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return StoredArtifact{}, nil, unknown
	}
	if err != nil {
		return StoredArtifact{}, nil, explain(doing, err)
	}
	if !d.opts.Now().Before(m.Expires) {
		return StoredArtifact{}, nil, expired(doing, m)
	}
	f, err := os.Open(path + contentSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return StoredArtifact{}, nil, unknown
	}
	if err != nil {
		return StoredArtifact{}, nil, explain(doing, err)
	}
	if st, err := f.Stat(); err != nil || st.Size() != m.Size || !st.Mode().IsRegular() {
		return StoredArtifact{}, nil, explain(doing, errors.Join(err, f.Close(), errors.New("the file is not the one that was stored")))
	}
	return StoredArtifact(*m), f, nil
}

func expired(doing string, m *meta) error {
	return &failure.Error{Kind: failure.Expired, Doing: doing, Why: "its link has expired at " + m.Expires.UTC().Format(time.RFC3339), Next: "generate it again"}
}

func readMeta(path string) (*meta, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxMeta))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	m := new(meta)
	if err := json.Unmarshal(data, m); err != nil || m.Filename == "" || m.Expires.IsZero() {
		return nil, errors.Join(errors.New("the record of the artifact is damaged"), err)
	}
	return m, nil
}

// Sweep removes the content of artifacts whose time is over, later the record
// of them, and files that were never finished.
func (d *ArtifactFolder) Sweep(ctx context.Context) (int, error) {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return 0, err
	}
	removed, now := 0, d.opts.Now()
	var errs []error
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return removed, errors.Join(append(errs, err)...)
		}
		gone, err := d.sweep(e, now)
		errs = append(errs, err)
		if gone {
			removed++
		}
	}
	return removed, errors.Join(errs...)
}

var ourFile = lazyregexp.New(`^([0-9a-f]{64})\.(zip|json)$|^\.[0-9a-f]{64}\.(zip|json)\.tmp-`)

// sweep looks at one file, and reports whether an artifact went with it.
func (d *ArtifactFolder) sweep(e fs.DirEntry, now time.Time) (bool, error) {
	name := e.Name()
	if !ourFile().MatchString(name) || !e.Type().IsRegular() {
		return false, nil
	}
	path := filepath.Join(d.dir, name)
	info, err := e.Info()
	if err != nil {
		return false, ignoreGone(err)
	}
	age := now.Sub(info.ModTime())
	if filepath.Ext(name) != metaSuffix { // content, or a file being written
		content := filepath.Ext(name) == contentSuffix
		if content {
			_, err = os.Lstat(path[:len(path)-len(contentSuffix)] + metaSuffix)
		}
		if age > abandonedArtifact && (!content || errors.Is(err, fs.ErrNotExist)) {
			return false, remove(path)
		}
		return false, nil
	}
	m, err := readMeta(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil: // damaged: nobody can download it
		if age > remember {
			return false, remove(path)
		}
		return false, nil
	case now.Before(m.Expires):
		return false, nil
	}
	content := path[:len(path)-len(metaSuffix)] + contentSuffix
	_, gone := os.Lstat(content)
	if err := remove(content); err != nil {
		return false, err
	}
	if now.Sub(m.Expires) > remember {
		return gone == nil, remove(path)
	}
	return gone == nil, nil
}

func remove(path string) error { return ignoreGone(os.Remove(path)) }

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
