package erptest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	texts "github.com/erphub/erphub/internal/text"
)

func uploadsRoutes() []route {
	const (
		uploads = "v1/uploads"
		one     = uploads + "/{uploadId}"
	)
	return []route{
		{method: http.MethodPost, pattern: uploads, handle: openUpload},
		{method: http.MethodGet, pattern: uploads, handle: listUploads},
		{method: http.MethodPut, pattern: one + "/chunks/{chunkOrder}", handle: hiddenErrors(uploadChunk), consumes: "application/octet-stream"},
		{method: http.MethodGet, pattern: one, handle: hiddenErrors(getUpload)},
		{method: http.MethodDelete, pattern: one, handle: cancelUpload},
		{method: http.MethodGet, pattern: one + "/file", handle: hiddenErrors(uploadedFile), produces: downloads},
		{method: http.MethodPost, pattern: one + "/copy", handle: copyUpload},
	}
}

// Bounds of uploads, so that the memory does not fill up.
const (
	maxUpload        = 128 << 20 // bytes of one file
	maxUploadsHeld   = 512 << 20 // bytes of all files and chunks together
	maxUploadChunks  = 10_000
	maxUploadSeconds = 10 * 366 * 24 * 3600
)

// States of an upload (REST_UploadStatus).
const (
	uploadInitiated = "INITIATED"
	uploadUploading = "UPLOADING"
	uploadCompleted = "COMPLETED"
	uploadCanceled  = "CANCELED"
	uploadFailed    = "FAILED"
)

// Locations of an upload (REST_UploadLocation).
const (
	uploadToArchive    = "ARCHIVE"
	uploadToAttachment = "ATTACHMENT"
	uploadToImage      = "IMAGE"
)

func isUploadLocation(name string) bool {
	return name == uploadToArchive || name == uploadToAttachment || name == uploadToImage
}

// shortError is a refusal in the short form of uploads.
type shortError struct{ text string }

func (e *shortError) Error() string { return e.text }

// orShort writes refusals in the short form and returns other errors.
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
		if *into, err = jsonInteger(text); err != nil {
			return u, badRequestText("Cannot deserialize value of member " + strconv.Quote(name) + ": expected an integer")
		}
	}
	return u, nil
}

// jsonInteger is the integer of a JSON value: a fraction is cut off, and an empty
// text is 0.
func jsonInteger(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if f, isFloat := strconv.ParseFloat(text, 64); err != nil && isFloat == nil && math.Abs(f) < 1<<62 {
		return int64(f), nil
	}
	return n, err
}

// openUpload handles POST /uploads. Without a lifetime the session has expired
// at once, as with the real server.
func openUpload(c *call) error {
	u, err := c.readUpload()
	if err != nil {
		return err
	}
	if strings.TrimSpace(u.location) == "" {
		u.location = uploadToArchive
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
			"REST_UploadID": id, "FileName": texts.First(u.name, engine.MaxEntryName), "REST_ContentType": texts.First(u.contentType, engine.MaxEntryName), "REST_FileSize": strconv.FormatInt(u.size, 10),
			"REST_ChunkSize": strconv.FormatInt(u.chunk, 10), "REST_SHA256": texts.First(u.sum, 64), "REST_UploadStatus": uploadInitiated,
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
		return c.orShort("Failed to initiate upload", err)
	}
	c.json(http.StatusCreated, response)
	return nil
}

// checkUpload refuses uploads the server does not take. What the table demands
// fails as saving fails.
func (c *call) checkUpload(ctx context.Context, tx *store.Tx, u uploadRequest) error {
	switch {
	case !isUploadLocation(u.location):
		return &shortError{"Invalid uploadLocation in request."}
	case u.name == "":
		return engine.PublicError(engine.MsgFillMandatory + "File Name - FileName")
	case u.sum == "":
		return engine.PublicError("The member sha256 has no value: send the SHA-256 of the file in hexadecimal digits")
	case strings.ContainsRune(u.name+u.contentType+u.sum, 0):
		return engine.PublicError("A text has a character NUL")
	case u.size > maxUpload:
		return &shortError{"The file is larger than " + strconv.Itoa(maxUpload) + " bytes."}
	case u.chunk > 0 && u.size > 0 && (u.size-1)/u.chunk >= maxUploadChunks:
		return &shortError{"The file has more than " + strconv.Itoa(maxUploadChunks) + " chunks."}
	}
	if err := c.dropExpiredChunks(ctx, tx); err != nil {
		return err
	}
	held, err := uploadsHeld(ctx, tx)
	if err != nil {
		return err
	}
	if held+max(u.size, 0) > maxUploadsHeld {
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

// pathUpload is the tenant's session in the path, without its content. The real
// server's database refuses what is no UUID.
func (c *call) pathUpload(ctx context.Context, tx *store.Tx) (store.Row, error) {
	if !engine.IsUUID(c.param("uploadId")) {
		return nil, page(http.StatusInternalServerError)
	}
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

// uploadMessage says in a sentence what the state of a session is.
func uploadMessage(row store.Row, chunks int, expired bool) string {
	if expired {
		return "Upload session has expired."
	}
	switch row.String("REST_UploadStatus") {
	case uploadCompleted:
		return "File upload completed and processed."
	case uploadFailed:
		return "File processing failed or upload expired before completion."
	case uploadUploading:
		return fmt.Sprintf("File upload in progress. %d chunks received.", chunks)
	case uploadInitiated:
		return "File upload initiated, awaiting chunks."
	}
	return "Status for upload ID " + row.String("REST_UploadID")
}

// uploadExpired reports whether a session has ended without its file.
func (c *call) uploadExpired(row store.Row) bool {
	status := row.String("REST_UploadStatus")
	return status != uploadFailed && status != uploadCompleted && c.uploadTimeOver(row)
}

func (c *call) uploadTimeOver(row store.Row) bool {
	expires := row.String("ExpiresAt")
	return expires != "" && expires <= c.session.StoredNow()
}

// failExpired notes that sessions have expired.
func (c *call) failExpired(rows []store.Row) error {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row store.Row) bool { return !c.uploadExpired(row) })
	if len(rows) == 0 {
		return nil
	}
	return c.update(c.ctx(), func(tx *store.Tx) error {
		for _, row := range rows {
			if err := c.changeUpload(c.ctx(), tx, row, store.Row{"REST_UploadStatus": uploadFailed}); err != nil {
				return err
			}
		}
		return nil
	})
}

// uploadStatus is the state of a session.
func (c *call) uploadStatus(ctx context.Context, tx *store.Tx, row store.Row) (*wire.Object, error) {
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
	expired, status := c.uploadExpired(row), row.String("REST_UploadStatus")
	if expired {
		status = uploadFailed
	}
	return wire.NewObject("uploadId", row.String("REST_UploadID"), "fileName", row.String("FileName"), "fileSize", sizeOf(row, "REST_FileSize"),
		"imageId", row.Int("AD_Image_ID"), "chunkSize", sizeOf(row, "REST_ChunkSize"), "status", status,
		"uploadedChunks", list, "totalReceivedSize", total, "message", uploadMessage(row, len(list), expired)), nil
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
	var row store.Row
	var status *wire.Object
	err := c.view(c.ctx(), func(tx *store.Tx) (err error) {
		if row, err = c.pathUpload(c.ctx(), tx); err != nil {
			return err
		}
		if status, err = c.uploadStatus(c.ctx(), tx, row); err != nil {
			return err
		}
		status.Set("presignedURL", nil)
		if seconds <= 0 {
			return nil
		}
		path := "v1/uploads/" + row.String("REST_UploadID")
		query, err := c.presign(http.MethodGet, path, seconds)
		status.Set("presignedURL", path+","+path+"/file?"+query)
		return err
	})
	if err == nil {
		err = c.failExpired([]store.Row{row})
	}
	if err != nil {
		return orTitled("Error saving upload status", err)
	}
	c.json(http.StatusOK, status)
	return nil
}

// listUploads handles GET /uploads: the caller's sessions that are neither
// completed nor cancelled.
func listUploads(c *call) error {
	list := []*wire.Object{}
	var rows []store.Row
	err := c.view(c.ctx(), func(tx *store.Tx) (err error) {
		if rows, err = c.uploadRows(c.ctx(), tx, "CreatedBy=? AND REST_UploadStatus NOT IN ('COMPLETED','CANCELED')", c.session.UserID); err != nil {
			return err
		}
		for _, row := range rows {
			o, err := c.uploadStatus(c.ctx(), tx, row)
			if err != nil {
				return err
			}
			list = append(list, o)
		}
		return nil
	})
	if err == nil {
		err = c.failExpired(rows)
	}
	if err != nil {
		return orTitled("GET Error", err)
	}
	c.json(http.StatusOK, wire.NewObject("uploads", list))
	return nil
}

// cancelUpload handles DELETE /uploads/{uploadId}: the chunks go, and the file of
// a completed session. An image stays, because it may be in use.
func cancelUpload(c *call) error {
	err := c.update(c.ctx(), func(tx *store.Tx) error {
		row, err := c.pathUpload(c.ctx(), tx)
		if err != nil {
			return err
		}
		if row.String("REST_UploadStatus") == uploadCanceled {
			return fail(http.StatusBadRequest, "Upload session has been canceled: ", c.param("uploadId"))
		}
		if err := dropChunks(c.ctx(), tx, row); err != nil {
			return err
		}
		return c.changeUpload(c.ctx(), tx, row, store.Row{"REST_UploadStatus": uploadCanceled, "AD_Image_ID": nil})
	})
	if err != nil {
		return titled("Failed to cancel upload: ", c.param("uploadId"), err)
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
