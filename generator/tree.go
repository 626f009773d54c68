package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// ErrDuplicate is in the error of a file that a tree has already, under this
// name or under one that differs in case only.
var ErrDuplicate = errors.New("the tree has this file already")

// The modes that files of a tree have.
const (
	modeFile       fs.FileMode = 0o644
	modeExecutable fs.FileMode = 0o755
)

// File is one file of a tree.
type File struct {
	Name    string      // path with slashes, relative to the tree's root
	Mode    fs.FileMode // 0644 or 0755
	Content []byte
	// Was is the content the file is a change of, nil for a file that is new.
	// Delivering to a place whose file still reads so replaces it without being
	// forced to.
	Was []byte
}

// Tree is a file tree in memory. It is an [fs.FS]; the same files give the same
// listing and the same zip, whatever the order they were added in. The zero
// value is an empty tree. Reading is safe for concurrent use as long as nobody
// adds; contents must not be changed after they were added.
type Tree struct {
	files map[string]*File
	// taken maps each name of a file or folder, in small letters, to the name,
	// so that no two names are one on systems that ignore case.
	taken map[string]string
}

// Add adds a file. Names are refused with a [*NameError] when they are not
// relative, lead out of the tree, or cannot be a file's name on one of the
// usual systems, and with [ErrDuplicate] when the tree has the file.
func (t *Tree) Add(name string, content []byte) error {
	return t.add(&File{Name: name, Mode: modeFile, Content: content})
}

// AddExecutable adds a file that may be run.
func (t *Tree) AddExecutable(name string, content []byte) error {
	return t.add(&File{Name: name, Mode: modeExecutable, Content: content})
}

// Change adds a file that is a change of one that is there, which read was.
func (t *Tree) Change(name string, was, content []byte) error {
	if was == nil {
		was = []byte{}
	}
	return t.add(&File{Name: name, Mode: modeFile, Content: content, Was: was})
}

func (t *Tree) add(f *File) error {
	if err := checkFileName(f.Name); err != nil {
		return fmt.Errorf("adding a file: %w", err)
	}
	lower := strings.ToLower(f.Name)
	if other, ok := t.taken[lower]; ok {
		if other != f.Name {
			return fmt.Errorf("adding %q: %w, as %q", f.Name, ErrDuplicate, other)
		}
		return fmt.Errorf("adding %q: %w", f.Name, ErrDuplicate)
	}
	var folders []string
	for dir := path.Dir(f.Name); dir != "."; dir = path.Dir(dir) {
		if other, ok := t.taken[strings.ToLower(dir)]; ok {
			if other != dir || t.files[other] != nil {
				return fmt.Errorf("adding %q: %w, as %q", f.Name, ErrDuplicate, other)
			}
			break
		}
		folders = append(folders, dir)
	}
	if t.files == nil {
		t.files, t.taken = map[string]*File{}, map[string]string{}
	}
	for _, dir := range folders {
		t.taken[strings.ToLower(dir)] = dir
	}
	t.files[f.Name], t.taken[lower] = f, f.Name
	return nil
}

// Files lists the files, ordered by name byte by byte.
func (t *Tree) Files() []File {
	files := make([]File, 0, len(t.files))
	for _, f := range t.files {
		files = append(files, *f)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// Names lists the names of the files, ordered.
func (t *Tree) Names() []string {
	names := slices.Sorted(maps.Keys(t.files))
	return names
}

// Len is the number of files.
func (t *Tree) Len() int { return len(t.files) }

// Size is the number of bytes in all files.
func (t *Tree) Size() int64 {
	var n int64
	for _, f := range t.files {
		n += int64(len(f.Content))
	}
	return n
}
