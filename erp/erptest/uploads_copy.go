package erptest

import (
	"context"
	"mime"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	texts "github.com/erphub/erphub/internal/text"
)

// uploadedFile handles GET /uploads/{uploadId}/file, as the media type the file was
// announced with.
func uploadedFile(c *call) error {
	var row store.Row
	err := c.view(c.ctx(), func(tx *store.Tx) (err error) {
		row, err = c.completedUpload(c.ctx(), tx)
		return err
	})
	if err != nil {
		return orTitled("Server error", err)
	}
	contentType := row.String("REST_ContentType")
	if strings.TrimSpace(contentType) == "" {
		contentType = downloadType(row.String("FileName"))
	}
	if _, _, err := mime.ParseMediaType(contentType); err != nil || !strings.Contains(contentType, "/") {
		return page(http.StatusInternalServerError)
	}
	c.sendContent(row, contentType)
	return nil
}

// completedUpload is the session in the path when its file is there.
func (c *call) completedUpload(ctx context.Context, tx *store.Tx) (store.Row, error) {
	row, err := c.pathUpload(ctx, tx)
	if err != nil {
		return nil, err
	}
	if status := row.String("REST_UploadStatus"); status != uploadCompleted {
		return nil, fail(http.StatusBadRequest, "Upload is not completed yet or cancelled. Current status: "+status, c.param("uploadId"))
	}
	return row, nil
}

// copyRequest is the body of POST /uploads/{uploadId}/copy.
type copyRequest struct{ location, table, record string }

func (c *call) readCopy() (r copyRequest, err error) {
	m, err := c.readMembers("copyLocation", "tableName", "recordId")
	if err != nil {
		return r, err
	}
	for _, v := range []struct {
		name string
		into *string
	}{{"copyLocation", &r.location}, {"tableName", &r.table}, {"recordId", &r.record}} {
		if *v.into, _, err = m.text(v.name); err != nil {
			return r, err
		}
	}
	return r, nil
}

// copyUpload handles POST /uploads/{uploadId}/copy: what it tells of is the
// record with the new attachment, or the new archive or image.
func copyUpload(c *call) error {
	r, err := c.readCopy()
	if err != nil {
		return err
	}
	var copied *wire.Object
	err = c.update(c.ctx(), func(tx *store.Tx) error {
		ctx := c.ctx()
		row, err := c.completedUpload(ctx, tx)
		if err != nil {
			return err
		}
		if err := r.check(); err != nil {
			return err
		}
		data, err := uploadContent(ctx, tx, row)
		if err != nil {
			return err
		}
		to, err := c.copyFile(ctx, tx, r, row, data)
		if err != nil {
			return err
		}
		name := to.Table.Name
		if r.location == uploadToAttachment {
			name = r.table
		}
		copied = wire.NewObject("uploadId", c.param("uploadId"), "tableName", name, "recordId", to.ID(), "recordUU", engine.NullIfEmpty(to.UUID()),
			"copyLocation", r.location, "fileName", row.String("FileName"), "contentType", engine.NullIfEmpty(row.String("REST_ContentType")),
			"fileSize", sizeOf(row, "REST_FileSize"))
		return nil
	})
	if err != nil {
		return c.orShort("Save error", err)
	}
	c.json(http.StatusOK, copied)
	return nil
}

func (r copyRequest) check() error {
	blank := func(text string) bool { return strings.TrimSpace(text) == "" }
	switch {
	case blank(r.location):
		return &shortError{"copyLocation is required in request."}
	case !isUploadLocation(r.location):
		return &shortError{"Invalid copyLocation in request."}
	case r.location != uploadToImage && (blank(r.table) || blank(r.record)):
		return &shortError{"tableName and recordId are required in request."}
	}
	return nil
}

// copyFile makes an image or archive of a file, or attaches it to a record. The
// caller must be allowed to change the record.
func (c *call) copyFile(ctx context.Context, tx *store.Tx, r copyRequest, upload store.Row, data []byte) (*engine.Record, error) {
	if r.location == uploadToImage {
		return c.newImage(ctx, tx, upload.String("FileName"), data)
	}
	t, err := c.session.FindTable(ctx, tx, r.table, true)
	if err != nil {
		return nil, err
	}
	row, err := c.session.FindRow(ctx, tx, t, r.record)
	if err != nil {
		return nil, err
	}
	target := &engine.Record{Table: t, Old: row, Row: row}
	if err := c.mayChangeRow(t, row, r.record); err != nil {
		return nil, err
	}
	if r.location == uploadToArchive {
		return c.archiveFile(ctx, tx, target, upload, data)
	}
	return target, c.attachFile(ctx, tx, target, upload.String("FileName"), data)
}

// attachFile attaches a file to a record, in place of one of that name.
func (c *call) attachFile(ctx context.Context, tx *store.Tx, target *engine.Record, name string, data []byte) error {
	a, err := c.session.LoadAttachment(ctx, tx, target)
	if err != nil {
		return err
	}
	if a == nil {
		a = &engine.Attachment{}
	}
	if i := a.Find(name); i >= 0 {
		a.Entries[i].Data = data
	} else {
		a.Entries = append(a.Entries, engine.AttachmentEntry{Name: name, Data: data})
	}
	return c.session.SaveAttachment(ctx, tx, target, a)
}

func (c *call) archiveFile(ctx context.Context, tx *store.Tx, target *engine.Record, upload store.Row, data []byte) (*engine.Record, error) {
	row := store.Row{
		"AD_Client_ID": c.session.ClientID, "AD_Org_ID": target.Row.Int("AD_Org_ID"), "Name": texts.First(upload.String("FileName"), 60),
		"BinaryData": data, "AD_Table_ID": target.Table.ID, "IsReport": "N",
	}
	if id := target.ID(); id > 0 {
		row["Record_ID"] = id
	}
	if uu := target.UUID(); uu != "" {
		row["Record_UU"] = uu
	}
	return c.session.InsertRow(ctx, tx, "AD_Archive", row)
}
