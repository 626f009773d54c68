package aiclient

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
)

// queryBody is a query as it is sent.
type queryBody struct {
	SQL     string `json:"sql"`
	Params  []any  `json:"params,omitempty"`
	RoleID  int    `json:"roleId"`
	MaxRows int    `json:"maxRows,omitempty"`
}

func (c *Client) queryBody(q Query) (queryBody, error) {
	switch {
	case strings.TrimSpace(q.SQL) == "":
		return queryBody{}, invalid("the query is empty")
	case c.role == nil:
		return queryBody{}, invalid("a query needs a role: set %s, or give one of the roles that Roles lists", EnvRole)
	}
	return queryBody{q.SQL, q.Params, *c.role, max(0, q.MaxRows)}, nil
}

// Query runs a SELECT with the permissions of the client's role.
func (c *Client) Query(ctx context.Context, q Query) (*api.Result, error) {
	body, err := c.queryBody(q)
	if err != nil {
		return nil, err
	}
	var r api.Result
	if err := c.do(ctx, request{method: http.MethodPost, path: "/query", body: body}, &r); err != nil {
		return nil, err
	}
	for i, row := range r.Rows {
		if len(row) != len(r.Columns) {
			return nil, fmt.Errorf("POST %s/query: %w: row %d has %d values for %d columns", prefix, ErrBadResponse, i+1, len(row), len(r.Columns))
		}
	}
	return &r, nil
}

// Explain tells how a SELECT would run, without running it.
func (c *Client) Explain(ctx context.Context, q Query) (*api.Explanation, error) {
	body, err := c.queryBody(q)
	if err != nil {
		return nil, err
	}
	return get[api.Explanation](ctx, c, request{method: http.MethodPost, path: "/explain", body: body})
}

// Roles lists the roles the caller may query with.
func (c *Client) Roles(ctx context.Context) ([]api.RoleInfo, error) {
	response, err := get[struct {
		Roles []api.RoleInfo `json:"roles"`
	}](ctx, c, request{method: http.MethodGet, path: "/roles", again: true})
	if err != nil {
		return nil, err
	}
	return response.Roles, nil
}

// TableMetadata describes a table.
func (c *Client) TableMetadata(ctx context.Context, table string) (*api.TableMetadata, error) {
	if table == "" || table == "." || table == ".." {
		return nil, invalid("the name of a table must not be %q", table)
	}
	return get[api.TableMetadata](ctx, c, request{method: http.MethodGet, path: "/metadata/table/" + url.PathEscape(table), query: c.roleQuery(), again: true})
}

// WindowMetadata describes a window.
func (c *Client) WindowMetadata(ctx context.Context, windowID int) (*api.WindowMetadata, error) {
	return get[api.WindowMetadata](ctx, c, request{method: http.MethodGet, path: "/metadata/window/" + strconv.Itoa(windowID), query: c.roleQuery(), again: true})
}

// Metadata describes several tables and windows at once.
func (c *Client) Metadata(ctx context.Context, q MetadataQuery) (*api.Metadata, error) {
	body := struct {
		RoleID  *int     `json:"roleId,omitempty"`
		Tables  []string `json:"tables,omitempty"`
		Windows []int    `json:"windows,omitempty"`
	}{c.role, q.Tables, q.Windows}
	return get[api.Metadata](ctx, c, request{method: http.MethodPost, path: "/metadata", body: body, again: true})
}

// WindowContext returns the content of a window of the user's own interface. Without a
// live one the error is an ErrNotFound.
func (c *Client) WindowContext(ctx context.Context, windowNo int) (*WindowContext, error) {
	return get[WindowContext](ctx, c, request{method: http.MethodGet, path: "/context/window/" + strconv.Itoa(windowNo), again: true})
}

// ChartContext returns the content of a chart of the user's own interface. Without a
// live one the error is an ErrNotFound.
func (c *Client) ChartContext(ctx context.Context, chartID int) (*ChartContext, error) {
	return get[ChartContext](ctx, c, request{method: http.MethodGet, path: "/context/chart/" + strconv.Itoa(chartID), again: true})
}

// Publish says what a live user interface shows; it is read by the same user
// alone, until it expires.
func (c *Client) Publish(ctx context.Context, p Publication) (*api.Published, error) {
	return get[api.Published](ctx, c, request{method: http.MethodPost, path: "/context", body: p, again: true})
}

// Health asks whether queries can be run. A service that is down responds,
// too: see [api.Health.Up].
func (c *Client) Health(ctx context.Context) (*api.Health, error) {
	return get[api.Health](ctx, c, request{method: http.MethodGet, path: "/health", again: true, accepts: isHealth})
}

// get sends a request whose response is one value.
func get[T any](ctx context.Context, c *Client, r request) (*T, error) {
	var value T
	if err := c.do(ctx, r, &value); err != nil {
		return nil, err
	}
	return &value, nil
}

func (c *Client) roleQuery() url.Values {
	if c.role == nil {
		return nil
	}
	return url.Values{"roleId": {strconv.Itoa(*c.role)}}
}
