package engine

import (
	"path"
	"slices"
	"sync"
)

// TempFolder is where processes leave files, in the file system the ERP pretends
// to have. Nothing of it is on the machine's disk.
const TempFolder = "/tmp"

// Bounds of what processes leave in the temporary folder; the oldest files go.
const (
	maxTempFiles = 200
	maxTempBytes = 64 << 20
)

// Files is the temporary folder. The zero value is empty.
type Files struct {
	mu    sync.Mutex   // guards the rest
	files []storedFile // oldest first
	size  int
}

type storedFile struct {
	path string
	data []byte // not changed once it is stored
}

// Leave puts what a process made into the temporary folder, under the file's own
// name; an older file of that name goes. Data is not copied.
func (s *Files) Leave(name string, data []byte) {
	name = TempFolder + "/" + path.Base(name)
	if len(data) > maxTempBytes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.find(name); i >= 0 {
		s.drop(i)
	}
	s.files = append(s.files, storedFile{name, data})
	s.size += len(data)
	for len(s.files) > maxTempFiles || s.size > maxTempBytes {
		s.drop(0)
	}
}

// Get is the content of the file at a path, false when there is none. It must not
// be changed.
func (s *Files) Get(name string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(name)
	if i < 0 {
		return nil, false
	}
	return s.files[i].data, true
}

func (s *Files) find(name string) int {
	return slices.IndexFunc(s.files, func(f storedFile) bool { return f.path == name })
}

func (s *Files) drop(i int) {
	s.size -= len(s.files[i].data)
	s.files = slices.Delete(s.files, i, i+1)
}
