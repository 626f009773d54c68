//go:build !linux

package testpg

import (
	"context"
	"fmt"
)

type cluster struct{}

func (*cluster) url(string) string { return "" }

// start gives up: a server that outlives its test can only be ruled out on
// Linux.
func start(context.Context) (*cluster, error) {
	return nil, fmt.Errorf("tests start PostgreSQL on Linux only: %w", errMissing)
}
