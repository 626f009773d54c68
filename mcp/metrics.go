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

func (m BoundaryMetrics) refused(reason string) {
	if m.Refused != nil {
		m.Refused(reason)
	}
}

func (m BoundaryMetrics) auditFailed() {
	if m.AuditFailed != nil {
		m.AuditFailed()
	}
}

func (m BoundaryMetrics) called(tool, outcome string, took time.Duration, apiCalls, tokens int) {
	if m.Called != nil {
		m.Called(tool, outcome, took, apiCalls, tokens)
	}
}
