package erp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// UploadLocation is the place where an uploaded file is kept.
type UploadLocation string

// Upload locations.
const (
	UploadArchive    UploadLocation = "ARCHIVE"
	UploadAttachment UploadLocation = "ATTACHMENT"
	UploadImage      UploadLocation = "IMAGE"
)

// UploadRequest describes a file to be uploaded in chunks.
type UploadRequest struct {
	FileName    string         `json:"fileName"`
	ContentType string         `json:"contentType"`
	FileSize    int64          `json:"fileSize"`
	ChunkSize   int64          `json:"chunkSize"` // the server may choose another; see UploadSession
	SHA256      string         `json:"sha256"`    // hexadecimal, of the whole file
	Location    UploadLocation `json:"uploadLocation"`
	// ExpiresInSeconds is the lifetime of the session. The server takes 0 for
	// expired, so StartUpload sends a day instead.
	ExpiresInSeconds int64 `json:"expiresInSeconds"`
}

// UploadSession is an upload that was opened.
type UploadSession struct {
	ID        string `json:"uploadId"`
	ChunkSize int64  `json:"chunkSize"`
	ExpiresAt string `json:"expiresAt"` // on the server's clock, without zone
	// PresignedURL lets somebody without a token send chunks until it expires:
	// treat it as a secret. It is relative to /api/ and holds {chunkOrder}.
	PresignedURL string `json:"presignedURL"`
}

// UploadChunk is the receipt for a chunk.
type UploadChunk struct {
	UploadID     string `json:"uploadId"`
	Order        int    `json:"chunkOrder"`
	ReceivedSize int64  `json:"receivedSize"`
	Message      string `json:"message"`
	IsLast       bool   `json:"isLastChunk"` // all chunks are there now
}

// UploadStatus is the state of an upload.
type UploadStatus struct {
	ID            string        `json:"uploadId"`
	FileName      string        `json:"fileName"`
	FileSize      int64         `json:"fileSize"`
	ImageID       int64         `json:"imageId"`
	ChunkSize     int64         `json:"chunkSize"`
	Status        string        `json:"status"` // INITIATED, UPLOADING, PROCESSING, COMPLETED, CANCELED, FAILED
	Chunks        []UploadChunk `json:"uploadedChunks"`
	TotalReceived int64         `json:"totalReceivedSize"`
	Message       string        `json:"message"`
	PresignedURL  string        `json:"presignedURL"`
}

// Done reports whether the upload has reached an end, good or bad.
func (s *UploadStatus) Done() bool {
	return s.Status == "COMPLETED" || s.Status == "CANCELED" || s.Status == "FAILED"
}

// UploadCopy is the result of CopyUpload.
type UploadCopy struct {
	UploadID    string         `json:"uploadId"`
	Table       string         `json:"tableName"`
	RecordID    ID             `json:"recordId"`
	RecordUUID  string         `json:"recordUU"`
	Location    UploadLocation `json:"copyLocation"`
	FileName    string         `json:"fileName"`
	ContentType string         `json:"contentType"`
	FileSize    int64          `json:"fileSize"`
}

// defaultChunk is the chunk size of UploadFile.
const defaultChunk = 1 << 20

// StartUpload opens an upload in chunks.
func (c *Client) StartUpload(ctx context.Context, upload UploadRequest) (*UploadSession, error) {
	switch upload.Location {
	case UploadArchive, UploadAttachment, UploadImage:
	default:
		return nil, invalid("upload %s: the location %s is not one of ARCHIVE, ATTACHMENT, IMAGE", quote(upload.FileName), quote(string(upload.Location)))
	}
	if upload.FileSize <= 0 || upload.ChunkSize < 0 || len(upload.SHA256) != 2*sha256.Size {
		return nil, invalid("upload %s: FileSize and SHA256 must be given", quote(upload.FileName))
	}
	upload.ChunkSize = cmp.Or(upload.ChunkSize, defaultChunk)
	if upload.ExpiresInSeconds == 0 {
		upload.ExpiresInSeconds = int64((24 * time.Hour).Seconds())
	}
	data, err := jsonObject(upload)
	if err != nil {
		return nil, err
	}
	var session UploadSession
	if err := c.into(ctx, &request{method: http.MethodPost, path: []string{"uploads"}, body: data}, &session); err != nil {
		return nil, err
	}
	return &session, nil
}

// SendChunk sends chunk number order, from 1, of total. Chunks may come in any
// order and may be sent again.
func (c *Client) SendChunk(ctx context.Context, uploadID string, order, total int, chunk []byte) (*UploadChunk, error) {
	return c.sendChunk(ctx, uploadID, order, total, bytes.NewReader(chunk), 0, int64(len(chunk)))
}

// sendChunk reads a chunk where it is, for its checksum and for each attempt.
func (c *Client) sendChunk(ctx context.Context, uploadID string, order, total int, data io.ReaderAt, start, size int64) (*UploadChunk, error) {
	if order < 1 || total < order {
		return nil, invalid("chunk %d of %d does not exist", order, total)
	}
	sum, err := checksum(data, start, size)
	if err != nil {
		return nil, err
	}
	r := &request{
		method: http.MethodPut, path: []string{"uploads", uploadID, "chunks", strconv.Itoa(order)},
		stream:     func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(data, start, size)), nil },
		streamSize: size, contentType: "application/octet-stream",
		header: map[string]string{"X-Total-Chunks": strconv.Itoa(total), "X-Content-SHA256": sum},
	}
	var receipt UploadChunk
	if err := c.into(ctx, r, &receipt); err != nil {
		return nil, err
	}
	return &receipt, nil
}

// checksum returns the SHA-256 of a part of a file in hexadecimal digits.
func checksum(data io.ReaderAt, start, size int64) (string, error) {
	hash := sha256.New()
	n, err := io.Copy(hash, io.NewSectionReader(data, start, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return "", fmt.Errorf("read %d bytes of the file from %d on: %w", size, start, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Upload returns the state of an upload. expires above 0 requests a presigned
// URL that lives so long.
func (c *Client) Upload(ctx context.Context, uploadID string, expires time.Duration) (*UploadStatus, error) {
	r := &request{method: http.MethodGet, path: []string{"uploads", uploadID}}
	if expires > 0 {
		r.query.add("expiresInSeconds", strconv.FormatInt(int64(expires.Seconds()), 10))
	}
	var status UploadStatus
	if err := c.into(ctx, r, &status); err != nil {
		return nil, err
	}
	return &status, nil
}

// Uploads lists the caller's uploads that are neither completed nor cancelled.
func (c *Client) Uploads(ctx context.Context) ([]UploadStatus, error) {
	var out struct {
		Uploads *[]UploadStatus `json:"uploads"`
	}
	if err := c.into(ctx, &request{method: http.MethodGet, path: []string{"uploads"}}, &out); err != nil {
		return nil, err
	}
	return listed(out.Uploads, "uploads")
}

// DownloadUpload opens the file of a completed upload.
func (c *Client) DownloadUpload(ctx context.Context, uploadID string) (*Download, error) {
	r := &request{method: http.MethodGet, path: []string{"uploads", uploadID, "file"}}
	return c.download(ctx, r, uploadID, "No file")
}

// CancelUpload ends an upload and throws away what was sent.
func (c *Client) CancelUpload(ctx context.Context, uploadID string) error {
	return c.remove(ctx, &request{method: http.MethodDelete, path: []string{"uploads", uploadID}})
}

// CopyUpload puts the file of a completed upload where it belongs: to the
// archive or the attachments of a record, or to the images, for which table
// and id are left empty.
func (c *Client) CopyUpload(ctx context.Context, uploadID string, location UploadLocation, table string, id ID) (*UploadCopy, error) {
	body := map[string]any{"copyLocation": location}
	if location != UploadImage {
		key, err := id.segment()
		if err != nil {
			return nil, err
		}
		body["tableName"], body["recordId"] = table, key
	}
	data, err := jsonObject(body)
	if err != nil {
		return nil, err
	}
	var copied UploadCopy
	r := &request{method: http.MethodPost, path: []string{"uploads", uploadID, "copy"}, body: data}
	if err := c.into(ctx, r, &copied); err != nil {
		return nil, err
	}
	return &copied, nil
}

// UploadFile uploads a file in chunks and returns once the server has all of
// them; it assembles them in the background (see Upload and
// UploadStatus.Done). FileSize and SHA256 are computed. The file is read twice
// and never held in memory.
func (c *Client) UploadFile(ctx context.Context, upload UploadRequest, data io.ReaderAt, size int64) (*UploadSession, error) {
	sum, err := checksum(data, 0, size)
	if err != nil {
		return nil, fmt.Errorf("upload %s: %w", quote(upload.FileName), err)
	}
	upload.FileSize, upload.SHA256 = size, sum
	session, err := c.StartUpload(ctx, upload)
	if err != nil {
		return nil, err
	}
	if session.ChunkSize <= 0 {
		return session, &badResponseError{text: fmt.Sprintf("upload %s: the server wants chunks of %d bytes", quote(upload.FileName), session.ChunkSize)}
	}
	total := int((size + session.ChunkSize - 1) / session.ChunkSize)
	for order := 1; order <= total; order++ {
		start := int64(order-1) * session.ChunkSize
		_, err := c.sendChunk(ctx, session.ID, order, total, data, start, min(session.ChunkSize, size-start))
		if err != nil {
			return session, fmt.Errorf("upload %s: chunk %d of %d: %w", quote(upload.FileName), order, total, err)
		}
	}
	return session, nil
}
