package mcp

import "time"

// BoundaryMetrics are functions that the boundary calls, at the same time from several
// calls of tools; nil functions are not called.
type BoundaryMetrics struct {
	// Called gets every call that ended, with "ok" or the code of its error.
	Called func(tool, outcome string, took time.Duration, apiCalls, tokens int)
	// AuditFailed is called for every audit record that could not be written.
	AuditFailed func()
	// Refused is called for every refused call, with the reason: rate, cost, permission, login, busy, store.
	Refused func(reason string)
}

// fill makes nil functions ones that do nothing.
func (m *BoundaryMetrics) fill() {
	if m.Called == nil {
		m.Called = func(string, string, time.Duration, int, int) {}
	}
	if m.AuditFailed == nil {
		m.AuditFailed = func() {}
	}
	if m.Refused == nil {
		m.Refused = func(string) {}
	}
}
