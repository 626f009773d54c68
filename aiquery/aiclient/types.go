package aiclient

import (
	"encoding/json"
	"time"
)

// Query is one SELECT to run.
type Query struct {
	SQL string
	// Params are the values for $1, $2 and so on: scalars, or slices of scalars,
	// as JSON can hold them. Write exact numbers as [json.Number].
	Params []any
	// MaxRows is how many rows are wanted; 0: the service's default, 100. The
	// service gives at most 1000.
	MaxRows int
}

// MetadataQuery requests several tables and windows at once, at most 50.
type MetadataQuery struct {
	Tables  []string
	Windows []int
}

// Metadata has an entry per requested table and window, in that order.
type Metadata struct {
	RequestID string        `json:"requestId"`
	Tables    []TableEntry  `json:"tables"`
	Windows   []WindowEntry `json:"windows"`
}

// TableEntry is a table, or why there is none.
type TableEntry struct {
	Name     string         `json:"name"` // as it was requested
	Metadata *TableMetadata `json:"metadata,omitempty"`
	Error    *ItemError     `json:"error,omitempty"`
}

// WindowEntry is a window, or why there is none.
type WindowEntry struct {
	ID       int             `json:"id"`
	Metadata *WindowMetadata `json:"metadata,omitempty"`
	Error    *ItemError      `json:"error,omitempty"`
}

// ItemError is why one of several is missing.
type ItemError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Error is message and hint.
func (e *ItemError) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// Health is the state of the service.
type Health struct {
	Status   string    `json:"status"` // up or down
	Database string    `json:"database"`
	Audit    string    `json:"audit"`
	Version  string    `json:"version"` // of the API
	Checked  time.Time `json:"checked"`
}

// Up reports whether queries can be run.
func (h *Health) Up() bool { return h.Status == "up" }

// Window is a window as it stands open in a user interface.
type Window struct {
	WindowNo  int            `json:"windowNo"` // of the user interface
	Window    *Named         `json:"window,omitempty"`
	Tab       *Named         `json:"tab,omitempty"`
	Record    *Record        `json:"record,omitempty"`
	Fields    map[string]any `json:"fields,omitempty"`  // value by column
	Display   map[string]any `json:"display,omitempty"` // grid or form, what is hidden or read only
	Filters   []any          `json:"filters,omitempty"`
	Selection []any          `json:"selection,omitempty"`
}

// Named is a window or a tab.
type Named struct {
	ID   int    `json:"id"`
	Name string `json:"name,omitempty"`
}

// Record is the record on show.
type Record struct {
	Table string `json:"table"`
	ID    *int   `json:"id,omitempty"`
	UUID  string `json:"uuid,omitempty"`
}

// Chart is a chart as a user interface draws it.
type Chart struct {
	ChartID   int            `json:"chartId"`
	Name      string         `json:"name,omitempty"`
	Type      string         `json:"type,omitempty"`
	Config    map[string]any `json:"config,omitempty"`
	Axes      []any          `json:"axes,omitempty"`
	Series    []any          `json:"series,omitempty"`
	DrillDown []any          `json:"drillDown,omitempty"`
}

// WindowContext is what the user's own interface said last about a window.
type WindowContext struct {
	Published time.Time `json:"published"`
	Expires   time.Time `json:"expires"`
	RoleID    int       `json:"roleId"` // it was published with
	Window    Window    `json:"window"`
}

// ChartContext is what the user's own interface said last about a chart.
type ChartContext struct {
	Published time.Time `json:"published"`
	Expires   time.Time `json:"expires"`
	RoleID    int       `json:"roleId"`
	Chart     Chart     `json:"chart"`
}

// Publication is what a live user interface says it shows.
type Publication struct {
	// TTL is how long it holds, in whole seconds, at most an hour; 0: the
	// service's default, a minute. Negative withdraws the windows and charts.
	TTL     time.Duration
	Windows []Window
	Charts  []Chart
}

// MarshalJSON writes the publication as the service reads it.
func (p Publication) MarshalJSON() ([]byte, error) {
	body := struct {
		TTL     *int     `json:"ttlSeconds,omitempty"`
		Windows []Window `json:"windows,omitempty"`
		Charts  []Chart  `json:"charts,omitempty"`
	}{Windows: p.Windows, Charts: p.Charts}
	if p.TTL != 0 {
		seconds := int(max(0, p.TTL+time.Second-1) / time.Second)
		body.TTL = &seconds
	}
	return json.Marshal(body)
}

// Published says how long a publication holds.
type Published struct {
	RequestID string     `json:"requestId"`
	Published int        `json:"published"` // windows and charts
	Expires   *time.Time `json:"expires"`   // nil when they were withdrawn
}
