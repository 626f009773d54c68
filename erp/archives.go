package erp

import (
	"context"
	"net/http"
	"strconv"
)

// Archive is a document that the ERP keeps of a record, such as an invoice as it was
// printed. Printing the record again may give another one.
type Archive struct {
	ID          int64  `json:"id"`
	Name        string `json:"name,omitempty"`
	ContentType string `json:"contentType"`
	IsReport    bool   `json:"isReport"`
	ProcessID   int64  `json:"processId,omitempty"` // that made it; 0: not known
	Created     string `json:"created"`             // as the server writes it, in its time zone
}

// Archives lists the documents that the ERP keeps of a record, the latest first. Plugins
// older than June 2026 do not know archives, which is ErrNotFound.
func (c *Client) Archives(ctx context.Context, table string, id ID) ([]Archive, error) {
	path, err := c.address(table, id, "archives")
	if err != nil {
		return nil, err
	}
	var out struct {
		Archives *[]Archive `json:"archives"`
	}
	if err := c.into(ctx, &request{method: http.MethodGet, path: path}, &out); err != nil {
		return nil, err
	}
	return listed(out.Archives, "archives")
}

// DownloadArchive opens a document of Archives. One that the record does not have is
// ErrNotFound.
func (c *Client) DownloadArchive(ctx context.Context, table string, id ID, archive Archive) (*Download, error) {
	number := strconv.FormatInt(archive.ID, 10)
	path, err := c.address(table, id, "archives", number)
	if err != nil {
		return nil, err
	}
	name := archive.Name
	if name == "" {
		name = number
	}
	return c.download(ctx, &request{method: http.MethodGet, path: path}, name, "No such archive")
}
