package erptest

import (
	"archive/zip"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// listAttachments handles GET …/attachments.
func listAttachments(c *call) error {
	list := []any{}
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		a, err := c.pathAttachment(c.ctx(), tx)
		if err != nil || a == nil {
			return err
		}
		for _, e := range a.Entries {
			list = append(list, wire.NewObject("name", e.Name, "contentType", engine.MediaType(e.Name)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.json(http.StatusOK, wire.NewObject("attachments", list))
	return nil
}

// pathAttachment is the attachment of the record a path names, nil when it has
// none.
func (c *call) pathAttachment(ctx context.Context, tx *store.Tx) (*engine.Attachment, error) {
	t, row, err := c.pathRecord(ctx, tx)
	if err != nil {
		return nil, err
	}
	return c.session.LoadAttachment(ctx, tx, &engine.Record{Table: t, Old: row, Row: row})
}

// attachmentsZip handles GET …/attachments/zip.
func attachmentsZip(c *call) error {
	var a *engine.Attachment
	err := c.view(c.ctx(), func(tx *store.Tx) (err error) {
		a, err = c.pathAttachment(c.ctx(), tx)
		return err
	})
	if err != nil {
		return err
	}
	if a == nil || len(a.Entries) == 0 {
		c.empty(http.StatusNoContent)
		return nil
	}
	data, err := a.Zip()
	if err != nil {
		return titled("IO error", "", err)
	}
	c.download("application/octet-stream", data)
	return nil
}

// download responds with a file, or with it in base64 inside JSON.
func (c *call) download(contentType string, data []byte) {
	if c.query.has("json") {
		c.json(http.StatusOK, wire.NewObject("data", base64.StdEncoding.EncodeToString(data)))
		return
	}
	c.bytes(http.StatusOK, contentType, data)
}

// getAttachment handles GET …/attachments/{file}.
func getAttachment(c *call) error {
	var found *engine.AttachmentEntry
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		a, err := c.pathAttachment(c.ctx(), tx)
		if err != nil || a == nil {
			return err
		}
		if i := a.Find(c.param("file")); i >= 0 {
			found = &a.Entries[i]
		}
		return nil
	})
	if err != nil {
		return err
	}
	if found == nil {
		c.empty(http.StatusNoContent)
		return nil
	}
	c.download(engine.MediaType(found.Name), found.Data)
	return nil
}

// upload is the body of an upload.
type upload struct {
	name      string
	encoded   string // base64
	overwrite bool
}

// data is the file that comes with an upload.
func (u upload) data() ([]byte, error) {
	data, ok := engine.LenientBase64(u.encoded)
	switch {
	case !ok:
		return nil, page(http.StatusInternalServerError)
	case len(data) == 0:
		return nil, fail(http.StatusBadRequest, "Can't parse data", "Can't parse data in Json content, not base64 encoded")
	}
	return data, nil
}

// uploadBody reads an upload. What it refuses comes before anything is said about
// table and record; whether the data are base64 is looked at after that.
func (c *call) uploadBody(named bool) (upload, error) {
	v, err := c.bodyValue()
	if err != nil {
		return upload{}, err
	}
	o, ok := v.(*wire.Object)
	if !ok {
		return upload{}, page(http.StatusInternalServerError)
	}
	var u upload
	if named {
		if u.name = engine.ScalarMember(o, "name"); strings.TrimSpace(u.name) == "" {
			return upload{}, fail(http.StatusBadRequest, "name property is mandatory", "")
		}
		if strings.ContainsRune(u.name, 0) || len(u.name) > engine.MaxEntryName {
			return upload{}, fail(http.StatusBadRequest, "name property is mandatory", "The name is no file name")
		}
	}
	u.encoded = engine.ScalarMember(o, "data")
	if strings.TrimSpace(u.encoded) == "" {
		return upload{}, fail(http.StatusBadRequest, "data property is mandatory", "")
	}
	u.overwrite = strings.EqualFold(engine.ScalarMember(o, "overwrite"), "true")
	return u, nil
}

// addAttachment handles POST …/attachments.
func addAttachment(c *call) error {
	u, err := c.uploadBody(true)
	if err != nil {
		return orTitled("Save error", err)
	}
	return c.addEntries(u, "Save error", func(data []byte) ([]engine.AttachmentEntry, error) {
		return []engine.AttachmentEntry{{Name: u.name, Data: data}}, nil
	})
}

// addAttachmentsZip handles POST …/attachments/zip.
func addAttachmentsZip(c *call) error {
	u, err := c.uploadBody(false)
	if err != nil {
		return orTitled("Create attachment error", err)
	}
	return c.addEntries(u, "Create attachment error", func(data []byte) ([]engine.AttachmentEntry, error) {
		entries, err := engine.Unzip(data)
		if errors.Is(err, zip.ErrFormat) {
			return nil, nil // the real server finds no files in it
		}
		return entries, err
	})
}

// addEntries adds the files of an upload to the record's attachment, all or none.
func (c *call) addEntries(u upload, title string, files func(data []byte) ([]engine.AttachmentEntry, error)) error {
	err := c.update(c.ctx(), func(tx *store.Tx) error {
		t, row, err := c.pathRecord(c.ctx(), tx)
		if err != nil {
			return err
		}
		data, err := u.data()
		if err != nil {
			return err
		}
		entries, err := files(data)
		if err != nil {
			return err
		}
		r := &engine.Record{Table: t, Old: row, Row: row}
		a, err := c.session.LoadAttachment(c.ctx(), tx, r)
		if err != nil {
			return err
		}
		if a == nil {
			a = &engine.Attachment{}
		}
		for _, e := range entries {
			if i := a.Find(e.Name); i >= 0 {
				if !u.overwrite {
					return fail(http.StatusConflict, "Duplicate file name", "Duplicate file name: "+e.Name)
				}
				a.Entries = slices.Delete(a.Entries, i, i+1)
			}
			a.Entries = append(a.Entries, e)
		}
		return c.session.SaveAttachment(c.ctx(), tx, r, a)
	})
	if err != nil {
		return orTitled(title, err)
	}
	c.empty(http.StatusCreated)
	return nil
}

// deleteAttachments handles DELETE …/attachments.
func deleteAttachments(c *call) error {
	return c.changeAttachment(c.session.DeleteAttachment)
}

// deleteAttachment handles DELETE …/attachments/{file}. The attachment stays, if
// only without a file.
func deleteAttachment(c *call) error {
	return c.changeAttachment(func(ctx context.Context, tx *store.Tx, r *engine.Record, a *engine.Attachment) error {
		name := c.param("file")
		i := a.Find(name)
		if i < 0 {
			return fail(http.StatusNotFound, "No matching attachment entry", "No attachment entry is found for name "+name)
		}
		a.Entries = slices.Delete(a.Entries, i, i+1)
		return c.session.SaveAttachment(ctx, tx, r, a)
	})
}

// changeAttachment deletes from the attachment of the record in the path.
func (c *call) changeAttachment(change func(context.Context, *store.Tx, *engine.Record, *engine.Attachment) error) error {
	err := c.update(c.ctx(), func(tx *store.Tx) error {
		t, row, err := c.pathRecord(c.ctx(), tx)
		if err != nil {
			return err
		}
		r := &engine.Record{Table: t, Old: row, Row: row}
		a, err := c.session.LoadAttachment(c.ctx(), tx, r)
		if err != nil {
			return err
		}
		if a == nil {
			return fail(http.StatusNotFound, "No attachments", "No attachment is found for record with id "+c.param("id"))
		}
		return change(c.ctx(), tx, r, a)
	})
	if err != nil {
		return orTitled("Delete error", err)
	}
	c.json(http.StatusOK, wire.NewObject("msg", c.translated(engine.MsgDeleted)))
	return nil
}
