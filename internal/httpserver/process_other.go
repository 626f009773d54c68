//go:build !linux

package httpserver

import "errors"

// readProcess knows no place to read the figures from.
func readProcess() (*processFigures, error) { return nil, errors.ErrUnsupported }
