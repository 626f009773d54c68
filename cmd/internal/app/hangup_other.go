//go:build !unix

package app

import "log/slog"

// ignoreHangup does nothing where there is no SIGHUP.
func (a *app) ignoreHangup(*slog.Logger) (restore func()) { return func() {} }
