package erp

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
)

// Chart is the data of a chart of the dictionary (AD_Chart).
type Chart struct {
	ID          int64  `json:"id,omitempty"` // only in a list of charts
	Name        string `json:"name"`
	Type        string `json:"chartType"`
	DomainLabel string `json:"domainLabel,omitempty"` // of the categories or the time
	RangeLabel  string `json:"rangeLabel,omitempty"`  // of the values
	// Points are the data, whatever the type of the chart.
	Points []ChartPoint `json:"data"`
}

// ChartPoint is one value of a chart.
type ChartPoint struct {
	// Series is the row of a category chart and the series of a time series; a pie
	// has none.
	Series string `json:"series,omitempty"`
	// Label is the column of a category chart, the time of a time series, and the
	// key of a pie.
	Label string  `json:"label"`
	Value Decimal `json:"value"`
}

// UnmarshalJSON reads the three forms that the server writes.
func (p *ChartPoint) UnmarshalJSON(raw []byte) error {
	var in struct {
		Row, Column, Series, X, Key, Label *string
		Y, Value                           *Decimal
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	text := func(candidates ...*string) string {
		for _, c := range candidates {
			if c != nil {
				return *c
			}
		}
		return ""
	}
	*p = ChartPoint{Series: text(in.Row, in.Series), Label: text(in.Column, in.X, in.Key, in.Label)}
	switch {
	case in.Y != nil:
		p.Value = *in.Y
	case in.Value != nil:
		p.Value = *in.Value
	}
	return nil
}

// Charts reads the data of all charts that the filter on AD_Chart finds. The
// server computes each of them.
func (c *Client) Charts(ctx context.Context, filter Filter) ([]Chart, error) {
	var out struct {
		Charts *[]Chart `json:"charts"`
	}
	if err := c.list(ctx, []string{"charts", "data"}, filter, &out); err != nil {
		return nil, err
	}
	return listed(out.Charts, "charts")
}

// Chart reads the data of a chart. One that is not there is ErrServer: the server
// responds 500.
func (c *Client) Chart(ctx context.Context, id ID) (*Chart, error) {
	segment, err := id.segment()
	if err != nil {
		return nil, err
	}
	var chart Chart
	if err := c.into(ctx, &request{method: http.MethodGet, path: []string{"charts", segment, "data"}}, &chart); err != nil {
		return nil, err
	}
	return &chart, nil
}

// ChartImage draws a chart as PNG. 0 for width or height is the server's own
// size. A chart with nothing to draw is ErrNotFound.
func (c *Client) ChartImage(ctx context.Context, id ID, width, height int) (*Download, error) {
	segment, err := id.segment()
	if err != nil {
		return nil, err
	}
	r := &request{method: http.MethodGet, path: []string{"charts", segment}}
	if width > 0 {
		r.query.add("width", strconv.Itoa(width))
	}
	if height > 0 {
		r.query.add("height", strconv.Itoa(height))
	}
	return c.download(ctx, r, "chart-"+segment+".png", "The chart has nothing to draw")
}
