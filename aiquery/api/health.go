package api

import "time"

// Health is the state of the service.
type Health struct {
	Status   string    `json:"status"` // up or down
	Database string    `json:"database"`
	Audit    string    `json:"audit"`
	Version  string    `json:"version"` // of the API
	Checked  time.Time `json:"checked"`
	// Limits are the database's settings that bound a statement.
	Limits map[string]string `json:"limits,omitempty"`
}

// Up reports whether queries can be run.
func (h *Health) Up() bool { return h.Status == "up" }
