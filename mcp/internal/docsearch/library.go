package docsearch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options change [Open]. Nil and the zero value are the defaults.
type Options struct {
	// MaxFile is the largest size of a document in bytes, 0: 1 MiB; MaxFiles the
	// number of documents, 0: 5000; MaxTotal their bytes together, 0: 64 MiB.
	// What is above is left out, and the log says so.
	MaxFile, MaxTotal int64
	MaxFiles          int
	// Fresh is how long the folders are not looked at again; 0: 10 s, below 0
	// each search looks.
	Fresh  time.Duration
	Logger *slog.Logger // nil is silent
}

// Library are the Markdown documents (.md, .markdown) of some folders and
// those below them. Links are not followed, and nothing that begins with a dot
// is read. It is safe for concurrent use.
type Library struct {
	opts  Options
	log   *slog.Logger
	roots []folder

	looking sync.Mutex
	known   map[string]document // by source; held by looking
	checked atomic.Int64        // UnixNano
	index   atomic.Pointer[Index]
}

type folder struct {
	root   *os.Root
	prefix string // of sources
}

// document is what is known of a file.
type document struct {
	size     int64
	modified time.Time
	passages []Passage
}

// Open reads the documents of folders. A folder that cannot be read is an
// error.
func Open(ctx context.Context, folders []string, opts *Options) (*Library, error) {
	l := &Library{opts: *cmp.Or(opts, &Options{}), known: map[string]document{}}
	l.opts.MaxFile = cmp.Or(l.opts.MaxFile, 1<<20)
	l.opts.MaxTotal = cmp.Or(l.opts.MaxTotal, 64<<20)
	l.opts.MaxFiles = cmp.Or(l.opts.MaxFiles, 5000)
	l.opts.Fresh = cmp.Or(l.opts.Fresh, 10*time.Second)
	l.log = cmp.Or(l.opts.Logger, slog.New(slog.DiscardHandler))
	for i, name := range folders {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open the folder of documents %s: %w", name, err), l.Close())
		}
		f := folder{root: root}
		if len(folders) > 1 { // two folders may have files of the same name
			f.prefix = filepath.Base(filepath.Clean(name)) + "/"
			if slices.ContainsFunc(l.roots, func(o folder) bool { return o.prefix == f.prefix }) {
				f.prefix = fmt.Sprintf("%s-%d/", strings.TrimSuffix(f.prefix, "/"), i+1)
			}
		}
		l.roots = append(l.roots, f)
	}
	if err := l.Refresh(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close closes the folders.
func (l *Library) Close() error {
	var errs []error
	for _, f := range l.roots {
		errs = append(errs, f.root.Close())
	}
	return errors.Join(errs...)
}

// Search finds passages, after a check whether documents have changed when the
// last was some time ago. While one search looks, others are served from what is
// known.
func (l *Library) Search(ctx context.Context, question string, limit int) (Found, error) {
	if time.Since(time.Unix(0, l.checked.Load())) >= l.opts.Fresh && l.looking.TryLock() {
		err := l.look(ctx)
		l.looking.Unlock()
		if ctx.Err() != nil {
			return Found{}, ctx.Err()
		}
		if err != nil {
			l.log.WarnContext(ctx, "the documents could not be looked at again; what was read before is searched", "error", err)
		}
	}
	return l.index.Load().Search(question, limit), nil
}

// Refresh checks now whether documents have changed.
func (l *Library) Refresh(ctx context.Context) error {
	l.looking.Lock()
	defer l.looking.Unlock()
	return l.look(ctx)
}

// look reads what has changed. l.looking is held.
func (l *Library) look(ctx context.Context) error {
	found, total, full := map[string]document{}, int64(0), false
	changed := false
	for _, f := range l.roots {
		err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && name == ".":
				return err
			case err != nil:
				l.log.WarnContext(ctx, "a document is left out", "path", f.prefix+name, "error", err)
				return nil
			case name != "." && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			case !d.Type().IsRegular() || !markdown(name):
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil // it went away
			}
			if full = full || len(found) >= l.opts.MaxFiles || total+info.Size() > l.opts.MaxTotal; full || info.Size() > l.opts.MaxFile {
				l.log.WarnContext(ctx, "a document is left out: it is too large, or there are too many", "path", f.prefix+name, "bytes", info.Size())
				return nil
			}
			source := f.prefix + name
			doc, ok := l.known[source]
			if !ok || doc.size != info.Size() || !doc.modified.Equal(info.ModTime()) {
				text, err := l.read(f.root, name)
				if err != nil {
					l.log.WarnContext(ctx, "a document is left out", "path", source, "error", err)
					return nil
				}
				doc, changed = document{info.Size(), info.ModTime(), Split(source, text)}, true
			}
			total += info.Size()
			found[source] = doc
			return nil
		})
		if err != nil {
			return fmt.Errorf("look through the documents: %w", err)
		}
	}
	if changed || len(found) != len(l.known) || l.index.Load() == nil {
		var passages []Passage
		for _, source := range slices.Sorted(maps.Keys(found)) {
			passages = append(passages, found[source].passages...)
		}
		l.index.Store(NewIndex(passages))
	}
	l.known = found
	l.checked.Store(time.Now().UnixNano())
	return nil
}

// read reads a document; the root refuses links that lead out of it.
func (l *Library) read(root *os.Root, name string) (string, error) {
	file, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, errors.New("it is not a file"))
	}
	text, err := io.ReadAll(io.LimitReader(file, l.opts.MaxFile+1))
	if err == nil && int64(len(text)) > l.opts.MaxFile {
		err = errors.New("it is too large")
	}
	return string(text), err
}

func markdown(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}
