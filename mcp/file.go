package mcp

import (
	"context"
	"time"
)

// Bounds of the files that a [FileStore] keeps: the oldest make room for new ones.
const (
	MaxOwnFiles = 20 << 20 // bytes of all that one owner has
	MaxAllFiles = 64 << 20 // bytes of all there are
)

// File is a file that a tool made.
type File struct {
	MIMEType string
	Data     []byte // at most 10 MiB
}

// FileStore keeps files that tools made, until they are read as resources. It is
// safe for concurrent use. The programs keep one in Redis for replicas.
type FileStore interface {
	// KeepFile keeps a file for as long as life. The owner's oldest files go when
	// those of the owner have more than MaxOwnFiles bytes, and the oldest of all
	// when there are more than MaxAllFiles. key is not guessable and new.
	KeepFile(ctx context.Context, key, owner string, f File, life time.Duration) error
	// FindFile finds a file of its owner; found is false for everybody else's.
	FindFile(ctx context.Context, key, owner string) (f File, found bool, err error)
}
