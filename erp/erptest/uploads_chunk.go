package erptest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	texts "github.com/erphub/erphub/internal/text"
)

// chunkRows are the chunks of a session in order, without their content.
func chunkRows(ctx context.Context, tx *store.Tx, upload store.Row) ([]store.Row, error) {
	t, err := tx.Table(ctx, "REST_UploadChunk")
	if err != nil {
		return nil, err
	}
	return tx.Select(ctx, t, store.Selection{
		Columns: someColumns(t, []string{"REST_UploadChunk_ID", "SeqNo", "REST_ReceivedSize"}),
		Where:   "REST_Upload_ID=?", Args: []any{upload.Int("REST_Upload_ID")}, OrderBy: "SeqNo",
	})
}

// dropChunks drops the chunks of a session with what is in them.
func dropChunks(ctx context.Context, tx *store.Tx, upload store.Row) error {
	return errors.Join(dropChunkRows(ctx, tx, upload), dropPieces(ctx, tx, upload, 0))
}

func dropChunkRows(ctx context.Context, tx *store.Tx, upload store.Row) error {
	t, err := tx.Table(ctx, "REST_UploadChunk")
	if err != nil {
		return err
	}
	_, err = tx.Delete(ctx, t, "REST_Upload_ID=?", upload.Int("REST_Upload_ID"))
	return err
}

// chunk is one part of a file on its way.
type chunk struct {
	order, total int64
	data         *received
	sum          string // X-Content-SHA256
	summed       bool   // it was given
}

// uploadChunk handles PUT /uploads/{uploadId}/chunks/{chunkOrder}. Chunks come
// in any order and may be sent again. The last one to come completes the file
// before the response; the real server does that a little later.
func uploadChunk(c *call) error {
	order, err := strconv.ParseInt(c.param("chunkOrder"), 10, 32)
	if err != nil {
		return page(http.StatusNotFound)
	}
	k := chunk{order: order, sum: strings.TrimSpace(c.r.Header.Get("X-Content-SHA256")), summed: len(c.r.Header.Values("X-Content-SHA256")) > 0}
	if text := strings.TrimSpace(c.r.Header.Get("X-Total-Chunks")); text != "" {
		if k.total, err = strconv.ParseInt(text, 10, 32); err != nil {
			return page(http.StatusBadRequest)
		}
	}
	// Before the body is read, refuse a caller who may not send anything.
	var row store.Row
	err = c.view(c.ctx(), func(tx *store.Tx) (err error) {
		row, err = c.checkChunk(c.ctx(), tx, k)
		return err
	})
	if row != nil && c.uploadTimeOver(row) {
		err = errors.Join(err, c.failExpired([]store.Row{row}))
	}
	if err != nil {
		return orTitled("Failed to upload chunk", err)
	}
	if k.data, err = c.receive(); err != nil {
		return orTitled("Failed to upload chunk", err)
	}
	defer k.data.close()
	status := http.StatusOK
	var response *wire.Object
	err = c.update(c.ctx(), func(tx *store.Tx) error {
		row, err := c.checkChunk(c.ctx(), tx, k)
		if err != nil {
			return err
		}
		status, response, err = c.takeChunk(c.ctx(), tx, row, k)
		return err
	})
	switch {
	case err != nil:
		return orTitled("Failed to upload chunk", err)
	case status != http.StatusOK && c.hidesErrors():
		return c.hiddenError()
	}
	c.json(status, response)
	return nil
}

// checkChunk is the session of a chunk; it refuses chunks the session does not wait
// for.
func (c *call) checkChunk(ctx context.Context, tx *store.Tx, k chunk) (store.Row, error) {
	row, err := c.pathUpload(ctx, tx)
	if err != nil {
		return nil, err
	}
	id := c.param("uploadId")
	status := row.String("REST_UploadStatus")
	switch {
	case status == uploadCanceled:
		return row, fail(http.StatusBadRequest, "Upload session has been canceled: ", id)
	case k.total <= 0:
		return nil, fail(http.StatusBadRequest, "Total chunks must be greater than 0", id)
	case k.order < 1 || k.order > k.total:
		return nil, fail(http.StatusBadRequest, fmt.Sprintf("Chunk order must be between 1 and %d", k.total), id)
	case k.total > maxUploadChunks:
		return nil, fail(http.StatusBadRequest, fmt.Sprintf("Total chunks must be at most %d", maxUploadChunks), id)
	case c.uploadTimeOver(row):
		return row, fail(http.StatusGone, "Upload session has expired: ", id)
	case status != uploadInitiated && status != uploadUploading:
		return nil, fail(http.StatusConflict, "Upload session is already: "+strings.ToLower(status), id)
	}
	return row, nil
}

// takeChunk stores a chunk, and puts the file together when all are there. A chunk
// may have any size; the sum is compared with the announced size at the end.
func (c *call) takeChunk(ctx context.Context, tx *store.Tx, row store.Row, k chunk) (int, *wire.Object, error) {
	if sum := hex.EncodeToString(k.data.digest()); k.summed && k.sum != sum {
		return 0, nil, engine.PublicError(fmt.Sprintf("SHA-256 mismatch for chunk %d. Expected: %s, Calculated: %s", k.order, k.sum, sum))
	}
	stored := fmt.Sprintf("Chunk %d uploaded successfully.", k.order)
	receipt := func(text string, last bool) *wire.Object {
		return wire.NewObject("uploadId", row.String("REST_UploadID"), "chunkOrder", k.order, "receivedSize", k.data.size,
			"message", text, "isLastChunk", last)
	}
	held, err := uploadsHeld(ctx, tx)
	if err != nil {
		return 0, nil, err
	}
	if held+k.data.size > maxUploadsHeld {
		return 0, nil, engine.PublicError("The server has no room for the chunk")
	}
	if err := c.storeChunk(ctx, tx, row, k); err != nil {
		return 0, nil, err
	}
	chunks, err := chunkRows(ctx, tx, row)
	if err != nil {
		return 0, nil, err
	}
	var size int64
	for _, chunk := range chunks {
		size += sizeOf(chunk, "REST_ReceivedSize")
	}
	if size > maxUpload {
		return 0, nil, engine.PublicError(fmt.Sprintf("The chunks have more than %d bytes", maxUpload))
	}
	if int64(len(chunks)) == k.total {
		want := sizeOf(row, "REST_FileSize")
		if want <= 0 || want == size {
			return http.StatusOK, receipt(stored, true), c.assemble(ctx, tx, row, len(chunks))
		}
		// the real server's text, which lacks the end
		stored += fmt.Sprintf("\n{\"error\":\"Mismatch in total received size. Expected: %d, Received: %d", want, size)
	}
	err = c.changeUpload(ctx, tx, row, store.Row{"REST_UploadStatus": uploadUploading, "REST_TotalChunks": k.total})
	if int64(len(chunks)) == k.total {
		return http.StatusBadRequest, receipt(stored, false), err
	}
	return http.StatusOK, receipt(stored, false), err
}

// storeChunk stores a chunk in place of one with its number.
func (c *call) storeChunk(ctx context.Context, tx *store.Tx, row store.Row, k chunk) error {
	t, err := tx.Table(ctx, "REST_UploadChunk")
	if err != nil {
		return err
	}
	if _, err := tx.Delete(ctx, t, "REST_Upload_ID=? AND SeqNo=?", row.Int("REST_Upload_ID"), k.order); err != nil {
		return err
	}
	if err := dropPieces(ctx, tx, row, k.order); err != nil {
		return err
	}
	if err := k.data.store(ctx, tx, row.Int("REST_Upload_ID"), k.order); err != nil {
		return err
	}
	return c.srv.erp.InsertRow(ctx, tx, t.Name, engine.Stamp{ClientID: row.Int("AD_Client_ID"), OrgID: row.Int("AD_Org_ID"), UserID: c.session.UserID}, store.Row{
		"REST_Upload_ID": row.Int("REST_Upload_ID"), "SeqNo": k.order, "REST_ReceivedSize": strconv.FormatInt(k.data.size, 10),
		"REST_SHA256": engine.NullIfEmpty(k.sum[:min(len(k.sum), 64)]),
	})
}

// assemble makes a file of the chunks, whose pieces are its content from then on.
// The session completes, or fails when the file is not what was announced; then
// the chunks stay until the session has expired.
func (c *call) assemble(ctx context.Context, tx *store.Tx, row store.Row, chunks int) error {
	sum, size := sha256.New(), int64(0)
	err := eachPiece(ctx, tx, row, func(piece []byte) error {
		size += int64(len(piece))
		_, err := sum.Write(piece)
		return err
	})
	if err != nil {
		return err
	}
	bytes := strconv.FormatInt(size, 10)
	change := store.Row{"REST_TotalChunks": int64(chunks), "REST_ReceivedSize": bytes, "REST_FileSize": bytes}
	if want := row.String("REST_SHA256"); want != hex.EncodeToString(sum.Sum(nil)) {
		change["REST_UploadStatus"], change["ErrorMsg"] = uploadFailed, "The checksum of the file does not match"
		return c.changeUpload(ctx, tx, row, change)
	}
	if err := dropChunkRows(ctx, tx, row); err != nil {
		return err
	}
	change["REST_UploadStatus"] = uploadCompleted
	if row.String("REST_UploadLocation") == uploadToImage {
		data, err := uploadContent(ctx, tx, row)
		if err != nil {
			return err
		}
		image, err := c.newImage(ctx, tx, row.String("FileName"), data)
		if err != nil {
			return err
		}
		change["AD_Image_ID"] = image.ID()
	}
	c.srv.events.Info("upload completed", "upload", row.String("REST_UploadID"), "bytes", size)
	return c.changeUpload(ctx, tx, row, change)
}

// newImage makes an AD_Image of a file.
func (c *call) newImage(ctx context.Context, tx *store.Tx, name string, data []byte) (*engine.Record, error) {
	return c.session.InsertRow(ctx, tx, "AD_Image", store.Row{
		"AD_Client_ID": c.session.ClientID, "AD_Org_ID": int64(0), "Name": texts.First(name, 60), "BinaryData": data, "EntityType": "U",
	})
}
