//go:build !unix

package pgcluster

import (
	"context"
	"errors"
)

// Cluster is a running server; this system does not support one.
type Cluster struct{}

// Start gives up: nothing here could be relied on to stop the server.
func Start(context.Context, *Options) (*Cluster, error) {
	return nil, errors.New("starting PostgreSQL: this is not done on this system; start a server yourself and name it with its address")
}

// URL is empty.
func (*Cluster) URL(string) string { return "" }

// As is empty.
func (*Cluster) As(string, string, string) string { return "" }

// Reader makes nothing.
func (*Cluster) Reader(context.Context, string) (string, error) { return "", nil }

// Close does nothing.
func (*Cluster) Close() error { return nil }
