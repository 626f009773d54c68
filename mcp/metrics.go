package mcp

import "time"

// BoundaryMetrics is told what the boundary did; a nil function is not called. They
// are called at the same time from several calls.
type BoundaryMetrics struct {
	// Called is told of every call that ended, with "ok" or the code of its error.
	Called func(tool, outcome string, took time.Duration, apiCalls, tokens int)
	// AuditFailed is told of every record that could not be written.
	AuditFailed func()
	// Refused is told why calls were refused: rate, cost, permission, login, busy, store.
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
