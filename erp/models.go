package erp

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// Model is a table the role can read.
type Model struct {
	ID          int64  `json:"id"` // AD_Table_ID
	UUID        string `json:"uid"`
	Table       string `json:"model-name"` // lower case
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Models lists the tables the role can read, ordered by table name. The filter
// is on columns of AD_Table; the zero Filter lists all.
func (c *Client) Models(ctx context.Context, filter Filter) ([]Model, error) {
	var out struct {
		Models *[]Model `json:"models"`
	}
	if err := c.list(ctx, []string{"models"}, filter, &out); err != nil {
		return nil, err
	}
	return listed(out.Models, "models")
}

// TableYAML returns the schema of a table as the server generates it: OpenAPI
// 3.0 in YAML.
func (c *Client) TableYAML(ctx context.Context, table string) ([]byte, error) {
	r := &request{method: http.MethodGet, path: []string{c.resource, table, "yaml"}, accept: acceptYAML}
	a, err := c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	switch text := strings.TrimSpace(string(a.body[:min(len(a.body), 64)])); {
	case text == "":
		err = fmt.Errorf("the server responded with an empty body where YAML was expected: %w", ErrBadResponse)
	case strings.HasPrefix(text, "<") || strings.Contains(a.header.Get("Content-Type"), "html"):
		err = fmt.Errorf("the server responded with an HTML page where YAML was expected: %w", ErrBadResponse)
	}
	return a.body, c.badResponse(r, err)
}

// list reads a list that is not paged.
func (c *Client) list(ctx context.Context, path []string, filter Filter, dst any) error {
	r := &request{method: http.MethodGet, path: path}
	text, err := filter.Render()
	if err != nil {
		return fmt.Errorf("list %s: %w", strings.Join(path, "/"), err)
	}
	r.query.addText("$filter", text)
	return c.into(ctx, r, dst)
}

// listed refuses a response without the list it should have.
func listed[T any](list *[]T, name string) ([]T, error) {
	if list == nil {
		return nil, &badResponseError{text: fmt.Sprintf("the response has no list %q; is this the ERP's REST API?", name)}
	}
	return *list, nil
}
