package erp

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// uploadPoll is the time between two looks at an upload that the server puts
// together.
const uploadPoll = 200 * time.Millisecond

// UploadAttachmentInChunks attaches a file as [Client.UploadAttachment] does, in
// chunks of 1 MiB that are retried one by one: for files that are too large for
// one request of the server or of a proxy before it. It waits until the server
// has put the file together, and needs the permission to change the record.
func (c *Client) UploadAttachmentInChunks(ctx context.Context, table string, id ID, upload AttachmentUpload) error {
	about := fmt.Sprintf("attach to %s %s", quote(table), id)
	if err := checkPathSegment(upload.Name); err != nil {
		return fmt.Errorf("%s: %w", about, err)
	}
	if upload.Data == nil || upload.Size <= 0 {
		return invalid("%s: the upload has no data", about)
	}
	if !upload.Overwrite { // copying an upload replaces a file of its name
		there, err := c.Attachments(ctx, table, id)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(there, func(a Attachment) bool { return a.Name == upload.Name }) {
			path, err := c.address(table, id, "attachments")
			if err != nil {
				return err
			}
			r := &request{method: http.MethodPost, path: path}
			return &Error{Status: http.StatusConflict, Title: duplicateFile, Detail: duplicateFile + ": " + upload.Name, Method: r.method, Path: c.describe(r)}
		}
	}
	session, err := c.UploadFile(ctx, UploadRequest{
		FileName: upload.Name, ContentType: "application/octet-stream", ChunkSize: defaultChunk, Location: UploadAttachment,
	}, upload.Data, upload.Size)
	if err != nil {
		return err
	}
	for {
		status, err := c.Upload(ctx, session.ID, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", about, err)
		}
		if status.Status == "COMPLETED" {
			break
		}
		if status.Done() {
			return &badResponseError{text: fmt.Sprintf("%s: the server ended the upload as %s: %s", about, status.Status, cleanText(status.Message, maxErrorText))}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", about, context.Cause(ctx))
		case <-time.After(uploadPoll):
		}
	}
	_, err = c.CopyUpload(ctx, session.ID, UploadAttachment, table, id)
	return err
}
