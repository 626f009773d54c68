package erp

import "context"

// View is the definition of a REST view.
type View struct {
	ID          int64         `json:"id"`
	UUID        string        `json:"uid"`
	Name        string        `json:"name"` // case-sensitive
	Table       string        `json:"tableName"`
	WhereClause string        `json:"whereClause"`
	Columns     []ViewColumn  `json:"columns"`
	Related     []RelatedView `json:"relatedViews"`
}

// ViewColumn is a column of a REST view.
type ViewColumn struct {
	ID     int64    `json:"id"`
	UUID   string   `json:"uid"`
	Name   string   `json:"name"` // in records; dots mean nesting
	Column string   `json:"columnName"`
	Help   string   `json:"help"`
	View   *ViewRef `json:"referenceView"` // of the record referred to
}

// RelatedView is a view of child records.
type RelatedView struct {
	ID         int64   `json:"id"`
	UUID       string  `json:"uid"`
	Name       string  `json:"name"` // name to expand by
	View       ViewRef `json:"view"`
	AutoExpand bool    `json:"autoExpand"`
}

// ViewRef names a REST view.
type ViewRef struct {
	ID   int64  `json:"id"`
	UUID string `json:"uid"`
	Name string `json:"name"`
}

// ViewList lists the REST views the role may use. Their records are read and
// written with the client that Views returns.
func (c *Client) ViewList(ctx context.Context, filter Filter) ([]View, error) {
	var out struct {
		Views *[]View `json:"views"`
	}
	if err := c.list(ctx, []string{"views"}, filter, &out); err != nil {
		return nil, err
	}
	return listed(out.Views, "views")
}
