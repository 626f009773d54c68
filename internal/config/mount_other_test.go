//go:build !linux

package config_test

import "errors"

func mountSmall(string) error { return errors.ErrUnsupported }
func unmount(string) error    { return nil }
