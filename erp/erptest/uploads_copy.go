package erptest

import (
	"context"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// uploadedFile handles GET /uploads/{uploadId}/file. The file comes as a stream
// of bytes whatever type it was announced with.
func uploadedFile(c *call) error {
	var row store.Row
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		var err error
		if row, err = c.pathUpload(c.ctx(), tx); err != nil {
			return err
		}
		if row.String("REST_UploadStatus") != uploadCompleted {
			return fail(http.StatusBadRequest, "Upload is not completed", "Upload session "+c.param("uploadId")+" is not completed")
		}
		return nil
	})
	if err != nil {
		return orTitled("Server error", err)
	}
	c.sendContent(row)
	return nil
}

// copyUpload handles POST /uploads/{uploadId}/copy. To attach a file to a
// record, the permission to read the record is enough.
func copyUpload(c *call) error {
	m, err := c.readMembers("copyLocation", "tableName", "recordId")
	if err != nil {
		return err
	}
	var location, table, record string
	for _, v := range []struct {
		name string
		into *string
	}{{"copyLocation", &location}, {"tableName", &table}, {"recordId", &record}} {
		if *v.into, _, err = m.text(v.name); err != nil {
			return err
		}
	}
	var response *wire.Object
	err = c.update(c.ctx(), func(tx *store.Tx) error {
		ctx := c.ctx()
		row, err := c.pathUpload(ctx, tx)
		if err != nil {
			return err
		}
		if !uploadLocations[location] {
			return &shortError{"Invalid copyLocation in request."}
		}
		if row.String("REST_UploadStatus") != uploadCompleted {
			return &shortError{"The upload is not completed."}
		}
		data, err := uploadContent(ctx, tx, row)
		if err != nil {
			return err
		}
		response = wire.NewObject("uploadId", row.String("REST_UploadID"), "tableName", nil, "recordId", 0, "recordUU", nil,
			"copyLocation", location, "fileName", row.String("FileName"), "contentType", row.String("REST_ContentType"), "fileSize", len(data))
		if location == "IMAGE" {
			id, err := c.newImage(ctx, tx, row.String("FileName"), data)
			if err != nil {
				return err
			}
			return c.changeUpload(ctx, tx, row, store.Row{"AD_Image_ID": id})
		}
		target, err := c.copyTarget(ctx, tx, table, record)
		if err != nil {
			return err
		}
		response.Set("tableName", target.Table.Name)
		response.Set("recordId", target.ID())
		if uu := target.UUID(); uu != "" {
			response.Set("recordUU", uu)
		}
		if location == "ARCHIVE" {
			return c.archiveFile(ctx, tx, target, row, data)
		}
		return c.attachFile(ctx, tx, target, row.String("FileName"), data)
	})
	if err != nil {
		return c.orShort("Server error", err)
	}
	c.json(http.StatusOK, response)
	return nil
}

// copyTarget is the record a file is copied to. That the caller may not read
// it is said as everywhere, all else in the short form.
func (c *call) copyTarget(ctx context.Context, tx *store.Tx, table, id string) (*engine.Record, error) {
	if table == "" || id == "" {
		return nil, &shortError{"tableName and recordId are mandatory."}
	}
	t, err := c.session.FindTable(ctx, tx, table, false)
	if err != nil {
		return nil, shortenedError(err)
	}
	row, err := c.session.FindRow(ctx, tx, t, id)
	if err != nil {
		return nil, shortenedError(err)
	}
	return &engine.Record{Table: t, Old: row, Row: row}, nil
}

// shortenedError is the short form of a record or table that is not there.
func shortenedError(err error) error {
	var api *apiError
	if !asAPI(err, &api) || api.status == http.StatusForbidden {
		return err
	}
	text := api.detail
	if text == "" {
		text = api.title
	}
	return &shortError{text}
}

func (c *call) attachFile(ctx context.Context, tx *store.Tx, target *engine.Record, name string, data []byte) error {
	a, err := c.session.LoadAttachment(ctx, tx, target)
	if err != nil {
		return err
	}
	if a == nil {
		a = &engine.Attachment{}
	}
	if a.Find(name) >= 0 {
		return &shortError{"Duplicate file name: " + name}
	}
	a.Entries = append(a.Entries, engine.AttachmentEntry{Name: name, Data: data})
	return c.session.SaveAttachment(ctx, tx, target, a)
}

func (c *call) archiveFile(ctx context.Context, tx *store.Tx, target *engine.Record, upload store.Row, data []byte) error {
	runes := []rune(upload.String("FileName"))
	row := store.Row{
		"AD_Client_ID": c.session.ClientID, "AD_Org_ID": target.Row.Int("AD_Org_ID"), "Name": string(runes[:min(len(runes), 60)]),
		"BinaryData": data, "AD_Table_ID": target.Table.ID, "IsReport": "N",
	}
	if id := target.ID(); id > 0 {
		row["Record_ID"] = id
	}
	if uu := target.UUID(); uu != "" {
		row["Record_UU"] = uu
	}
	_, err := c.session.InsertRow(ctx, tx, "AD_Archive", row)
	return err
}
