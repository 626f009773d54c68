package aiclient

import (
	"encoding/json"
	"time"

	"github.com/erphub/erphub/aiquery/api"
)

// Query is one SELECT to run.
type Query struct {
	SQL string
	// Params are the values for $1, $2 and so on: scalars, or slices of scalars,
	// as JSON can hold them. Write exact numbers as [json.Number].
	Params []any
	// MaxRows is the number of rows wanted; 0: the service's default, 100. The
	// service gives at most 1000.
	MaxRows int
}

// MetadataQuery requests several tables and windows at once, at most 50.
type MetadataQuery struct {
	Tables  []string
	Windows []int
}

// WindowContext is the last report of the user's own interface about a window.
type WindowContext struct {
	Published time.Time  `json:"published"`
	Expires   time.Time  `json:"expires"`
	RoleID    int        `json:"roleId"` // it was published with
	Window    api.Window `json:"window"`
}

// ChartContext is the last report of the user's own interface about a chart.
type ChartContext struct {
	Published time.Time `json:"published"`
	Expires   time.Time `json:"expires"`
	RoleID    int       `json:"roleId"`
	Chart     api.Chart `json:"chart"`
}

// Publication is the content that a live user interface reports.
type Publication struct {
	// TTL is the time it holds, in whole seconds, at most an hour; 0: the
	// service's default, a minute. Negative withdraws the windows and charts.
	TTL     time.Duration
	Windows []api.Window
	Charts  []api.Chart
}

// MarshalJSON writes the publication as the service reads it.
func (p Publication) MarshalJSON() ([]byte, error) {
	body := struct {
		TTL     *int         `json:"ttlSeconds,omitempty"`
		Windows []api.Window `json:"windows,omitempty"`
		Charts  []api.Chart  `json:"charts,omitempty"`
	}{Windows: p.Windows, Charts: p.Charts}
	if p.TTL != 0 {
		seconds := int(max(0, p.TTL+time.Second-1) / time.Second)
		body.TTL = &seconds
	}
	return json.Marshal(body)
}
