package generator

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// stamp is the time that all files of a tree carry, the first a zip can hold.
func stamp() time.Time { return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) }

// Open opens a file or folder of the tree, for package fs.
func (t *Tree) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if f := t.files[name]; f != nil {
		return &openFile{Reader: bytes.NewReader(f.Content), info: info{path.Base(name), int64(len(f.Content)), f.Mode}}, nil
	}
	entries := t.entries(name)
	if entries == nil && name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &openFolder{info: folderInfo(path.Base(name)), entries: entries}, nil
}

// ReadFile reads a file of the tree. The bytes are the caller's.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	f := t.files[name]
	if f == nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return bytes.Clone(f.Content), nil
}

// entries lists a folder; nil when there is none.
func (t *Tree) entries(dir string) []fs.DirEntry {
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	var entries []fs.DirEntry
	for _, name := range t.taken {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || rest == "" || strings.Contains(rest, "/") {
			continue
		}
		entry := folderInfo(rest)
		if f := t.files[name]; f != nil {
			entry = info{rest, int64(len(f.Content)), f.Mode}
		}
		entries = append(entries, fs.FileInfoToDirEntry(entry))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// info tells about a file or folder.
type info struct {
	name string
	size int64
	mode fs.FileMode
}

func folderInfo(name string) info { return info{name, 0, fs.ModeDir | modeExecutable} }

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return stamp() }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }

type openFile struct {
	*bytes.Reader
	info info
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openFolder struct {
	info    info
	entries []fs.DirEntry
	read    int
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFolder) Close() error               { return nil }

func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.info.name, Err: fs.ErrInvalid}
}

func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := f.entries[f.read:]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	f.read += len(rest)
	return slices.Clone(rest), nil
}
