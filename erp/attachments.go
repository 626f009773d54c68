package erp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/erphub/erphub/erp/internal/jsonbody"
)

// Attachment is one file attached to a record.
type Attachment struct {
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
}

// AttachmentUpload is a file to attach. The content is read where it is, once
// for each attempt, and never held in memory as a whole.
type AttachmentUpload struct {
	Name string
	// Data is the content, such as an *os.File or a *bytes.Reader, and Size the
	// number of its bytes.
	Data io.ReaderAt
	Size int64
	// Overwrite replaces a file of that name; otherwise that is ErrExists (and ErrConflict).
	Overwrite bool
}

// duplicateFile is the title of the 409 for a name that is taken.
const duplicateFile = "Duplicate file name"

// NewAttachment makes an upload of bytes in memory.
func NewAttachment(name string, data []byte) AttachmentUpload {
	return AttachmentUpload{Name: name, Data: bytes.NewReader(data), Size: int64(len(data))}
}

// Attachments lists the files attached to a record.
func (c *Client) Attachments(ctx context.Context, table string, id ID) ([]Attachment, error) {
	path, err := c.address(table, id, "attachments")
	if err != nil {
		return nil, err
	}
	var out struct {
		Attachments *[]Attachment `json:"attachments"`
	}
	if err := c.into(ctx, &request{method: http.MethodGet, path: path}, &out); err != nil {
		return nil, err
	}
	return listed(out.Attachments, "attachments")
}

// UploadAttachment attaches a file to a record. The server requires no more
// than the permission to read the table.
func (c *Client) UploadAttachment(ctx context.Context, table string, id ID, upload AttachmentUpload) error {
	if err := checkPathSegment(upload.Name); err != nil {
		return fmt.Errorf("attach to %s %s: %w", quote(table), id, err)
	}
	return c.attach(ctx, table, id, upload, "attachments")
}

// UploadAttachmentsZip attaches all files of a zip archive. The archive's own
// name does not matter; a file that exists is ErrExists (and ErrConflict)
// unless Overwrite is set.
func (c *Client) UploadAttachmentsZip(ctx context.Context, table string, id ID, archive AttachmentUpload) error {
	archive.Name = ""
	return c.attach(ctx, table, id, archive, "attachments", "zip")
}

func (c *Client) attach(ctx context.Context, table string, id ID, upload AttachmentUpload, below ...string) error {
	path, err := c.address(table, id, below...)
	if err != nil {
		return err
	}
	if upload.Data == nil || upload.Size < 0 {
		return invalid("attach to %s %s: the upload has no data", quote(table), id)
	}
	head := "{"
	if upload.Name != "" {
		name, err := json.Marshal(upload.Name)
		if err != nil {
			return fmt.Errorf("attach to %s %s: %w", quote(table), id, err)
		}
		head += `"name":` + string(name) + `,`
	}
	body := jsonbody.Base64{
		Head: head + `"data":"`,
		Data: upload.Data, Size: upload.Size,
		Tail: fmt.Sprintf(`","overwrite":%t}`, upload.Overwrite),
	}
	r := &request{method: http.MethodPost, path: path, stream: body.Open, streamSize: body.Length()}
	a, err := c.do(ctx, r)
	if err != nil {
		return err
	}
	return c.checkDone(r, a)
}

// Download is a file on its way from the server. It must be closed.
type Download struct {
	io.ReadCloser
	Name        string
	ContentType string
	Size        int64 // -1 if the server does not say
}

// DownloadAttachment opens one attached file. A name that is not attached is
// ErrNotFound.
func (c *Client) DownloadAttachment(ctx context.Context, table string, id ID, name string) (*Download, error) {
	path, err := c.address(table, id, "attachments", name)
	if err != nil {
		return nil, err
	}
	return c.download(ctx, &request{method: http.MethodGet, path: path}, name, "No matching attachment entry")
}

// DownloadAttachmentsZip opens a zip archive of all attached files. A record
// without any is ErrNotFound.
func (c *Client) DownloadAttachmentsZip(ctx context.Context, table string, id ID) (*Download, error) {
	path, err := c.address(table, id, "attachments", "zip")
	if err != nil {
		return nil, err
	}
	return c.download(ctx, &request{method: http.MethodGet, path: path}, "attachments.zip", "No attachments")
}

// download opens a binary response. The server sends 204 for what is not there.
func (c *Client) download(ctx context.Context, r *request, name, missing string) (*Download, error) {
	r.accept = acceptAny
	resp, err := c.stream(ctx, r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusNoContent {
		resp.Body.Close()
		return nil, &Error{Status: http.StatusNotFound, Title: missing, Method: r.method, Path: c.describe(r)}
	}
	return &Download{
		ReadCloser: resp.Body, Name: name,
		ContentType: resp.Header.Get("Content-Type"), Size: resp.ContentLength,
	}, nil
}

// DeleteAttachment removes one attached file.
func (c *Client) DeleteAttachment(ctx context.Context, table string, id ID, name string) error {
	path, err := c.address(table, id, "attachments", name)
	if err != nil {
		return err
	}
	return c.remove(ctx, &request{method: http.MethodDelete, path: path})
}

// DeleteAttachments removes all files attached to a record.
func (c *Client) DeleteAttachments(ctx context.Context, table string, id ID) error {
	path, err := c.address(table, id, "attachments")
	if err != nil {
		return err
	}
	return c.remove(ctx, &request{method: http.MethodDelete, path: path})
}
