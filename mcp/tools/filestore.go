package tools

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/erphub/erphub/mcp"
)

// memoryFiles keeps files in this process.
type memoryFiles struct {
	now func() time.Time

	mu   sync.Mutex // guards what follows
	kept []*keptFile
}

type keptFile struct {
	mcp.File
	key, owner string
	until      time.Time
}

// KeepFile implements [mcp.FileStore]; it never fails.
func (m *memoryFiles) KeepFile(_ context.Context, key, owner string, f mcp.File, life time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropLocked(func(old *keptFile) bool { return !old.until.After(m.now()) })
	for _, room := range []struct {
		most int
		of   func(*keptFile) bool
	}{
		{mcp.MaxOwnFiles, func(old *keptFile) bool { return old.owner == owner }},
		{mcp.MaxAllFiles, func(*keptFile) bool { return true }},
	} {
		size := len(f.Data)
		for i := len(m.kept) - 1; i >= 0; i-- { // from the newest on
			if old := m.kept[i]; room.of(old) {
				if size += len(old.Data); size > room.most {
					m.dropLocked(func(o *keptFile) bool { return o == old })
					size -= len(old.Data)
				}
			}
		}
	}
	m.kept = append(m.kept, &keptFile{f, key, owner, m.now().Add(life)})
	time.AfterFunc(life, func() { m.drop(key) }) // what nobody asks for does not stay
	return nil
}

func (m *memoryFiles) drop(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropLocked(func(o *keptFile) bool { return o.key == key })
}

func (m *memoryFiles) dropLocked(which func(*keptFile) bool) {
	m.kept = slices.DeleteFunc(m.kept, which)
}

// FindFile implements [mcp.FileStore]; it never fails.
func (m *memoryFiles) FindFile(_ context.Context, key, owner string) (mcp.File, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, file := range m.kept {
		if file.key == key && file.owner == owner && file.until.After(m.now()) {
			return file.File, true, nil
		}
	}
	return mcp.File{}, false, nil
}
