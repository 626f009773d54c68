//go:build !linux

package httpserver

import "errors"

// readProcess has nothing to read the figures from.
func readProcess() (*processFigures, error) { return nil, errors.ErrUnsupported }
