package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/erphub/erphub/generator"
)

// folder is a folder of the tree on its way to git's objects.
type folder struct {
	folders map[string]*folder
	files   map[string]generator.File
}

// commit is a commit with everything it needs, packed.
type commit struct {
	hash plumbing.Hash
	pack []byte
}

// pack makes the commit of an artifact. The objects are written directly, not
// through a work tree, which would leave out what a .gitignore among the files
// matches.
func (r *Repositories) pack(ctx context.Context, a *generator.Artifact, when time.Time) (*commit, error) {
	root := &folder{}
	for _, f := range a.Tree.Files() {
		root.add(strings.Split(f.Name, "/"), f)
	}
	store := memory.NewStorage()
	var hashes []plumbing.Hash
	tree, err := root.write(ctx, store, &hashes)
	if err != nil {
		return nil, err
	}
	author := object.Signature{Name: "erphub", Email: "noreply@localhost", When: when}
	hash, err := put(store, &object.Commit{
		Author: author, Committer: author, TreeHash: tree,
		Message: fmt.Sprintf("Generate %s %s\n", a.Name, a.Version),
	})
	if err != nil {
		return nil, err
	}
	hashes = append(hashes, hash)
	var buf bytes.Buffer
	if _, err := packfile.NewEncoder(&buf, store, false).Encode(hashes, 0); err != nil {
		return nil, err
	}
	return &commit{hash, buf.Bytes()}, nil
}

func (d *folder) add(path []string, f generator.File) {
	if len(path) == 1 {
		if d.files == nil {
			d.files = map[string]generator.File{}
		}
		d.files[path[0]] = f
		return
	}
	if d.folders == nil {
		d.folders = map[string]*folder{}
	}
	if d.folders[path[0]] == nil {
		d.folders[path[0]] = &folder{}
	}
	d.folders[path[0]].add(path[1:], f)
}

// write stores the folder and what is below it, and notes each object once.
func (d *folder) write(ctx context.Context, store *memory.Storage, hashes *[]plumbing.Hash) (plumbing.Hash, error) {
	tree := &object.Tree{}
	for name, sub := range d.folders {
		hash, err := sub.write(ctx, store, hashes)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		tree.Entries = append(tree.Entries, object.TreeEntry{Name: name, Mode: filemode.Dir, Hash: hash})
	}
	for name, f := range d.files {
		if err := ctx.Err(); err != nil {
			return plumbing.ZeroHash, err
		}
		blob := store.NewEncodedObject()
		blob.SetType(plumbing.BlobObject)
		w, err := blob.Writer()
		if err != nil {
			return plumbing.ZeroHash, err
		}
		if _, err := w.Write(f.Content); err != nil {
			return plumbing.ZeroHash, err
		}
		if err := w.Close(); err != nil {
			return plumbing.ZeroHash, err
		}
		hash, err := keep(store, blob, hashes)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		mode := filemode.Regular
		if f.Mode&0o100 != 0 {
			mode = filemode.Executable
		}
		tree.Entries = append(tree.Entries, object.TreeEntry{Name: name, Mode: mode, Hash: hash})
	}
	sort.Sort(object.TreeEntrySorter(tree.Entries))
	encoded := store.NewEncodedObject()
	if err := tree.Encode(encoded); err != nil {
		return plumbing.ZeroHash, err
	}
	return keep(store, encoded, hashes)
}

// keep stores an object, and notes its hash unless it already exists.
func keep(store *memory.Storage, o plumbing.EncodedObject, hashes *[]plumbing.Hash) (plumbing.Hash, error) {
	if hash := o.Hash(); store.HasEncodedObject(hash) == nil {
		return hash, nil
	}
	hash, err := store.SetEncodedObject(o)
	if err == nil {
		*hashes = append(*hashes, hash)
	}
	return hash, err
}

func put(store *memory.Storage, c *object.Commit) (plumbing.Hash, error) {
	o := store.NewEncodedObject()
	if err := c.Encode(o); err != nil {
		return plumbing.ZeroHash, err
	}
	return store.SetEncodedObject(o)
}
