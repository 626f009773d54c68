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
	sum          string // X-Content-SHA256, "" for none
}

// uploadChunk handles PUT /uploads/{uploadId}/chunks/{chunkOrder}. Chunks come
// in any order and may be sent again. The last one to come completes the file
// before the response; the real server does that a little later.
func uploadChunk(c *call) error {
	order, err := strconv.ParseInt(c.param("chunkOrder"), 10, 32)
	if err != nil {
		return page(http.StatusNotFound)
	}
	k := chunk{order: order, sum: strings.TrimSpace(c.r.Header.Get("X-Content-SHA256"))}
	if text := strings.TrimSpace(c.r.Header.Get("X-Total-Chunks")); text != "" {
		if k.total, err = strconv.ParseInt(text, 10, 32); err != nil {
			return page(http.StatusBadRequest)
		}
	}
	// Who may not send anything is told so before the body is read.
	if err := c.view(c.ctx(), func(tx *store.Tx) error { return c.checkChunk(c.ctx(), tx, k) }); err != nil {
		return orTitled("Failed to upload chunk", err)
	}
	if k.data, err = c.receive(); err != nil {
		return orTitled("Failed to upload chunk", err)
	}
	defer k.data.close()
	status := http.StatusOK
	var response *wire.Object
	err = c.update(c.ctx(), func(tx *store.Tx) error {
		if err := c.checkChunk(c.ctx(), tx, k); err != nil {
			return err
		}
		status, response, err = c.takeChunk(c.ctx(), tx, k)
		return err
	})
	if err != nil {
		return orTitled("Failed to upload chunk", err)
	}
	c.json(status, response)
	return nil
}

// checkChunk refuses chunks the session does not wait for.
func (c *call) checkChunk(ctx context.Context, tx *store.Tx, k chunk) error {
	row, err := c.pathUpload(ctx, tx)
	if err != nil {
		return err
	}
	id := c.param("uploadId")
	switch status := row.String("REST_UploadStatus"); status {
	case uploadInitiated, uploadUploading:
	case uploadCanceled:
		return fail(http.StatusBadRequest, "Upload session has been canceled: ", id)
	default:
		return fail(http.StatusConflict, "Upload session is already: "+strings.ToLower(status), id)
	}
	if expires := row.String("ExpiresAt"); expires == "" || expires <= c.session.StoredNow() {
		return fail(http.StatusGone, "Upload session has expired: ", id)
	}
	known := row.Int("REST_TotalChunks")
	switch {
	case k.total <= 0:
		return fail(http.StatusBadRequest, "Invalid total chunks", "The header X-Total-Chunks must be greater than 0")
	case k.order < 1 || k.order > k.total:
		return failf(http.StatusBadRequest, "Invalid chunk order", "The chunk order must be from 1 to %d", k.total)
	case known > 0 && known != k.total:
		return failf(http.StatusBadRequest, "Invalid total chunks", "The upload has %d chunks, not %d", known, k.total)
	case k.total > maxUploadChunks || (k.total-1)*sizeOf(row, "REST_ChunkSize") >= sizeOf(row, "REST_FileSize"):
		return failf(http.StatusBadRequest, "Invalid total chunks", "The file does not have %d chunks", k.total)
	}
	return nil
}

// takeChunk stores a chunk, and puts the file together when all are there.
func (c *call) takeChunk(ctx context.Context, tx *store.Tx, k chunk) (int, *wire.Object, error) {
	row, err := c.pathUpload(ctx, tx)
	if err != nil {
		return 0, nil, err
	}
	if k.sum != "" && k.sum != hex.EncodeToString(k.data.digest()) {
		return 0, nil, engine.PublicError(fmt.Sprintf("The checksum of chunk %d does not match", k.order))
	}
	receipt := func(text string, last bool) *wire.Object {
		return wire.NewObject("uploadId", row.String("REST_UploadID"), "chunkOrder", k.order, "receivedSize", k.data.size,
			"message", text, "isLastChunk", last)
	}
	want := sizeOf(row, "REST_ChunkSize")
	if k.order == k.total {
		want = sizeOf(row, "REST_FileSize") - want*(k.total-1)
	}
	if k.data.size != want {
		return http.StatusBadRequest, receipt(fmt.Sprintf("Chunk size mismatch: expected %d bytes, received %d", want, k.data.size), false), nil
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
	if int64(len(chunks)) < k.total {
		err := c.changeUpload(ctx, tx, row, store.Row{"REST_UploadStatus": uploadUploading, "REST_TotalChunks": k.total})
		return http.StatusOK, receipt(fmt.Sprintf("Chunk %d of %d uploaded successfully.", k.order, k.total), false), err
	}
	err = c.assemble(ctx, tx, row, len(chunks))
	return http.StatusOK, receipt("All chunks uploaded successfully. The file is being processed.", true), err
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
// The session completes, or fails when the file is not what was announced; either
// way the chunks go.
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
	if err := dropChunkRows(ctx, tx, row); err != nil {
		return err
	}
	change := store.Row{"REST_TotalChunks": int64(chunks), "REST_ReceivedSize": strconv.FormatInt(size, 10)}
	if want := row.String("REST_SHA256"); !strings.EqualFold(want, hex.EncodeToString(sum.Sum(nil))) {
		change["REST_UploadStatus"], change["ErrorMsg"] = uploadFailed, "The checksum of the file does not match"
		return errors.Join(dropPieces(ctx, tx, row, 0), c.changeUpload(ctx, tx, row, change))
	}
	change["REST_UploadStatus"] = uploadCompleted
	if row.String("REST_UploadLocation") == "IMAGE" {
		data, err := uploadContent(ctx, tx, row)
		if err != nil {
			return err
		}
		id, err := c.newImage(ctx, tx, row.String("FileName"), data)
		if err != nil {
			return err
		}
		change["AD_Image_ID"] = id
	}
	c.srv.events.Info("upload completed", "upload", row.String("REST_UploadID"), "bytes", size)
	return c.changeUpload(ctx, tx, row, change)
}

// newImage makes an AD_Image of a file.
func (c *call) newImage(ctx context.Context, tx *store.Tx, name string, data []byte) (int64, error) {
	runes := []rune(name)
	image, err := c.session.InsertRow(ctx, tx, "AD_Image", store.Row{
		"AD_Client_ID": c.session.ClientID, "AD_Org_ID": int64(0), "Name": string(runes[:min(len(runes), 60)]), "BinaryData": data, "EntityType": "U",
	})
	if err != nil {
		return 0, err
	}
	return image.ID(), nil
}
