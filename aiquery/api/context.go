package api

import "time"

// Window is a window as it stands open in a user interface. Values of fields are
// JSON as the user interface has them.
type Window struct {
	WindowNo  int            `json:"windowNo"` // of the user interface, from 0
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

// Published says how long a publication holds.
type Published struct {
	RequestID string     `json:"requestId"`
	Published int        `json:"published"` // windows and charts
	Expires   *time.Time `json:"expires"`   // nil when they were withdrawn
}
