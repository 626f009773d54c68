package erptest

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func uploadsRoutes() []route {
	const (
		uploads = "v1/uploads"
		one     = uploads + "/{uploadId}"
	)
	return []route{
		{method: http.MethodPost, pattern: uploads, handle: openUpload},
		{method: http.MethodGet, pattern: uploads, handle: listUploads},
		{method: http.MethodPut, pattern: one + "/chunks/{chunkOrder}", handle: uploadChunk, consumes: "application/octet-stream"},
		{method: http.MethodGet, pattern: one, handle: getUpload},
		{method: http.MethodDelete, pattern: one, handle: cancelUpload},
		{method: http.MethodGet, pattern: one + "/file", handle: uploadedFile, produces: downloads},
		{method: http.MethodPost, pattern: one + "/copy", handle: copyUpload},
	}
}

// Bounds of uploads, so that the memory does not fill up.
const (
	maxUpload        = 128 << 20 // bytes of one file
	maxUploadsHeld   = 512 << 20 // bytes of all files and chunks together
	maxUploadChunks  = 10_000
	maxUploadSeconds = 10 * 366 * 24 * 3600
	defaultChunkSize = 5 << 20
)

// States of an upload (REST_UploadStatus).
const (
	uploadInitiated = "INITIATED"
	uploadUploading = "UPLOADING"
	uploadCompleted = "COMPLETED"
	uploadCanceled  = "CANCELED"
	uploadFailed    = "FAILED"
)

// uploadLocations are where a file may be meant to go.
var uploadLocations = map[string]bool{"ARCHIVE": true, "ATTACHMENT": true, "IMAGE": true}

// shortError is a refusal in the short form of uploads.
type shortError struct{ text string }

func (e *shortError) Error() string { return e.text }

// orShort writes refusals in the short form; other errors it hands on.
func (c *call) orShort(title string, err error) error {
	var short *shortError
	if errors.As(err, &short) {
		c.json(http.StatusBadRequest, wire.NewObject("error", short.text))
		return nil
	}
	return orTitled(title, err)
}

// uploadRequest is the body of POST /uploads.
type uploadRequest struct {
	name, contentType, sum, location string
	size, chunk, seconds             int64
}

func (c *call) readUpload() (uploadRequest, error) {
	var u uploadRequest
	m, err := c.readMembers("fileName", "contentType", "fileSize", "chunkSize", "sha256", "uploadLocation", "expiresInSeconds")
	if err != nil {
		return u, err
	}
	for name, into := range map[string]*string{"fileName": &u.name, "contentType": &u.contentType, "sha256": &u.sum, "uploadLocation": &u.location} {
		if *into, _, err = m.text(name); err != nil {
			return u, err
		}
	}
	for name, into := range map[string]*int64{"fileSize": &u.size, "chunkSize": &u.chunk, "expiresInSeconds": &u.seconds} {
		text, ok, err := m.text(name)
		if err != nil {
			return u, err
		}
		if !ok {
			continue
		}
		if *into, err = strconv.ParseInt(strings.TrimSpace(text), 10, 64); err != nil {
			return u, badRequestText("Cannot deserialize value of member " + strconv.Quote(name) + ": expected an integer")
		}
	}
	return u, nil
}

// openUpload handles POST /uploads. Without a lifetime the session has expired
// at once, as with the real server.
func openUpload(c *call) error {
	u, err := c.readUpload()
	if err != nil {
		return err
	}
	if u.chunk <= 0 {
		u.chunk = defaultChunkSize
	}
	u.chunk = min(u.chunk, c.srv.opts.MaxBodyBytes)
	u.seconds = min(max(u.seconds, 0), maxUploadSeconds)
	expires := c.srv.now().Add(time.Duration(u.seconds) * time.Second).Truncate(time.Second)
	var response *wire.Object
	err = c.update(c.ctx(), func(tx *store.Tx) error {
		if err := c.checkUpload(c.ctx(), tx, u); err != nil {
			return err
		}
		id := store.NewUUID()
		values := store.Row{
			"REST_UploadID": id, "FileName": u.name, "REST_ContentType": u.contentType, "REST_FileSize": strconv.FormatInt(u.size, 10),
			"REST_ChunkSize": strconv.FormatInt(u.chunk, 10), "REST_SHA256": u.sum, "REST_UploadStatus": uploadInitiated,
			"REST_UploadLocation": u.location, "ExpiresAt": engine.DBTime(expires), "REST_ReceivedSize": "0",
		}
		if c.session.SessionID > 0 {
			values["AD_Session_ID"] = c.session.SessionID
		}
		by := engine.Stamp{ClientID: c.session.ClientID, OrgID: c.session.OrgID, UserID: c.session.UserID}
		if err := c.srv.erp.InsertRow(c.ctx(), tx, "REST_Upload", by, values); err != nil {
			return err
		}
		chunks := "v1/uploads/" + id + "/chunks"
		query, err := c.presign(http.MethodPut, chunks, u.seconds)
		if err != nil {
			return err
		}
		response = wire.NewObject("uploadId", id, "chunkSize", u.chunk,
			"expiresAt", expires.In(c.srv.opts.Location).Format("2006-01-02T15:04:05"), "presignedURL", chunks+"/{chunkOrder}?"+query)
		return nil
	})
	if err != nil {
		return c.orShort("Save error", err)
	}
	c.json(http.StatusCreated, response)
	return nil
}

// checkUpload refuses uploads the server does not take. What the table demands
// fails as saving fails.
func (c *call) checkUpload(ctx context.Context, tx *store.Tx, u uploadRequest) error {
	if !uploadLocations[u.location] {
		return &shortError{"Invalid uploadLocation in request."}
	}
	var missing []string
	for _, m := range []struct{ name, value string }{{"File Name", u.name}, {"Content Type", u.contentType}, {"SHA-256", u.sum}} {
		if strings.TrimSpace(m.value) == "" {
			missing = append(missing, m.name)
		}
	}
	if len(missing) > 0 {
		return engine.PublicError(engine.MsgFillMandatory + strings.Join(missing, ", "))
	}
	switch {
	case u.size <= 0:
		return &shortError{"Invalid fileSize in request."}
	case u.size > maxUpload:
		return &shortError{"The file is larger than " + strconv.Itoa(maxUpload) + " bytes."}
	case (u.size+u.chunk-1)/u.chunk > maxUploadChunks:
		return &shortError{"The file has more than " + strconv.Itoa(maxUploadChunks) + " chunks."}
	case len(u.name) > engine.MaxEntryName || strings.ContainsRune(u.name, 0) || len(u.contentType) > engine.MaxEntryName || len(u.sum) > 64:
		return &shortError{"The file name, content type or checksum is too long."}
	}
	if err := c.dropExpiredChunks(ctx, tx); err != nil {
		return err
	}
	held, err := uploadsHeld(ctx, tx)
	if err != nil {
		return err
	}
	if held+u.size > maxUploadsHeld {
		return &shortError{"The server has no room for another upload."}
	}
	return nil
}

// dropExpiredChunks drops the chunks of sessions that expired before they were
// complete.
func (c *call) dropExpiredChunks(ctx context.Context, tx *store.Tx) error {
	t, err := tx.Table(ctx, "REST_UploadChunk")
	if err != nil {
		return err
	}
	if _, err := tx.Delete(ctx, t, `REST_Upload_ID IN (SELECT REST_Upload_ID FROM REST_Upload WHERE ExpiresAt<=?)`, c.session.StoredNow()); err != nil {
		return err
	}
	// what neither a chunk nor a completed file has
	_, err = tx.Exec(ctx, `DELETE FROM REST_UploadPiece WHERE REST_Upload_ID NOT IN (SELECT REST_Upload_ID FROM REST_UploadChunk)
		AND REST_Upload_ID NOT IN (SELECT REST_Upload_ID FROM REST_Upload WHERE REST_UploadStatus=?)`, uploadCompleted)
	return err
}

// uploadsHeld tells how many bytes of uploads the server holds.
func uploadsHeld(ctx context.Context, tx *store.Tx) (held int64, err error) {
	err = tx.QueryRow(ctx, `SELECT (SELECT COALESCE(SUM(CAST(REST_ReceivedSize AS INTEGER)),0) FROM REST_Upload WHERE REST_UploadStatus=?)
		+ (SELECT COALESCE(SUM(CAST(REST_ReceivedSize AS INTEGER)),0) FROM REST_UploadChunk)`, uploadCompleted).Scan(&held)
	return held, err
}

// pathUpload is the tenant's session in the path, without its content.
func (c *call) pathUpload(ctx context.Context, tx *store.Tx) (store.Row, error) {
	rows, err := c.uploadRows(ctx, tx, "REST_UploadID=?", c.param("uploadId"))
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fail(http.StatusNotFound, "Upload session not found: ", c.param("uploadId"))
	}
	return rows[0], nil
}

func (c *call) uploadRows(ctx context.Context, tx *store.Tx, where string, args ...any) ([]store.Row, error) {
	t, err := tx.Table(ctx, "REST_Upload")
	if err != nil {
		return nil, err
	}
	var columns []*store.Column
	for _, col := range t.Columns {
		if col.Name != "BinaryData" {
			columns = append(columns, col)
		}
	}
	return tx.Select(ctx, t, store.Selection{
		Columns: columns, Where: where + " AND IsActive='Y' AND AD_Client_ID=?", Args: append(args, c.session.ClientID), OrderBy: "REST_Upload_ID",
	})
}

// sizeOf is a number of bytes, which the tables keep as decimals.
func sizeOf(row store.Row, column string) int64 {
	n, err := strconv.ParseInt(row.String(column), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// uploadStatus is the state of a session. With nulls the members without value
// are there, too.
func (c *call) uploadStatus(ctx context.Context, tx *store.Tx, row store.Row, nulls bool) (*wire.Object, error) {
	chunks, err := chunkRows(ctx, tx, row)
	if err != nil {
		return nil, err
	}
	list, total := []*wire.Object{}, int64(0)
	for _, chunk := range chunks {
		size := sizeOf(chunk, "REST_ReceivedSize")
		total += size
		list = append(list, wire.NewObject("chunkOrder", chunk.Int("SeqNo"), "receivedSize", size))
	}
	if row.String("REST_UploadStatus") == uploadCompleted {
		total = sizeOf(row, "REST_ReceivedSize")
	}
	o := wire.NewObject("uploadId", row.String("REST_UploadID"), "fileName", row.String("FileName"), "fileSize", sizeOf(row, "REST_FileSize"),
		"imageId", row.Int("AD_Image_ID"), "chunkSize", sizeOf(row, "REST_ChunkSize"), "status", row.String("REST_UploadStatus"),
		"uploadedChunks", list, "totalReceivedSize", total)
	switch text := row.String("ErrorMsg"); {
	case text != "":
		o.Set("message", text)
	case nulls:
		o.Set("message", nil)
	}
	if nulls {
		o.Set("presignedURL", nil)
	}
	return o, nil
}

// getUpload handles GET /uploads/{uploadId}. The presigned value it gives on
// request is two addresses with a comma between, as with the real server.
func getUpload(c *call) error {
	seconds := int64(0)
	if text := c.query.get("expiresInSeconds"); text != "" {
		var err error
		if seconds, err = strconv.ParseInt(text, 10, 64); err != nil {
			return page(http.StatusNotFound)
		}
	}
	var response *wire.Object
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		row, err := c.pathUpload(c.ctx(), tx)
		if err != nil {
			return err
		}
		if response, err = c.uploadStatus(c.ctx(), tx, row, true); err != nil || seconds <= 0 {
			return err
		}
		path := "v1/uploads/" + row.String("REST_UploadID") + "/file"
		query, err := c.presign(http.MethodGet, path, seconds)
		response.Set("presignedURL", path+","+path+"?"+query)
		return err
	})
	if err != nil {
		return orTitled("Server error", err)
	}
	c.json(http.StatusOK, response)
	return nil
}

// listUploads handles GET /uploads: the caller's sessions that are neither
// completed nor cancelled.
func listUploads(c *call) error {
	list := []*wire.Object{}
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		rows, err := c.uploadRows(c.ctx(), tx, "CreatedBy=? AND REST_UploadStatus NOT IN ('COMPLETED','CANCELED')", c.session.UserID)
		if err != nil {
			return err
		}
		for _, row := range rows {
			o, err := c.uploadStatus(c.ctx(), tx, row, false)
			if err != nil {
				return err
			}
			list = append(list, o)
		}
		return nil
	})
	if err != nil {
		return orTitled("Server error", err)
	}
	c.json(http.StatusOK, wire.NewObject("uploads", list))
	return nil
}

// cancelUpload handles DELETE /uploads/{uploadId}.
func cancelUpload(c *call) error {
	err := c.update(c.ctx(), func(tx *store.Tx) error {
		row, err := c.pathUpload(c.ctx(), tx)
		if err != nil {
			return err
		}
		switch row.String("REST_UploadStatus") {
		case uploadCanceled:
			return fail(http.StatusBadRequest, "Upload session has been canceled: ", c.param("uploadId"))
		case uploadCompleted:
			return fail(http.StatusConflict, "Upload session is already: completed", c.param("uploadId"))
		}
		if err := dropChunks(c.ctx(), tx, row); err != nil {
			return err
		}
		return c.changeUpload(c.ctx(), tx, row, store.Row{"REST_UploadStatus": uploadCanceled})
	})
	if err != nil {
		return orTitled("Server error", err)
	}
	c.json(http.StatusOK, wire.NewObject("message", "Upload "+c.param("uploadId")+" canceled successfully."))
	return nil
}

func (c *call) changeUpload(ctx context.Context, tx *store.Tx, row, change store.Row) error {
	t, err := tx.Table(ctx, "REST_Upload")
	if err != nil {
		return err
	}
	change["Updated"], change["UpdatedBy"] = c.session.StoredNow(), c.session.UserID
	_, err = tx.Set(ctx, t, change, "REST_Upload_ID=?", row.Int("REST_Upload_ID"))
	return err
}
