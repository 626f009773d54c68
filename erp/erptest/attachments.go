package erptest

import (
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// listAttachments answers GET …/attachments.
func listAttachments(c *call) error {
	list := []any{}
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		a, err := c.pathAttachment(c.ctx(), tx)
		if err != nil || a == nil {
			return err
		}
		for _, e := range a.entries {
			list = append(list, wire.NewObject("name", e.name, "contentType", mediaType(e.name)))
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
func (c *call) pathAttachment(ctx context.Context, tx *store.Tx) (*attachment, error) {
	t, row, err := c.pathRecord(ctx, tx, false)
	if err != nil {
		return nil, err
	}
	return c.session.loadAttachment(ctx, tx, &record{table: t, old: row, row: row})
}

// attachmentsZip answers GET …/attachments/zip.
func attachmentsZip(c *call) error {
	var a *attachment
	err := c.view(c.ctx(), func(tx *store.Tx) (err error) {
		a, err = c.pathAttachment(c.ctx(), tx)
		return err
	})
	if err != nil {
		return err
	}
	if a == nil || len(a.entries) == 0 {
		c.empty(http.StatusNoContent)
		return nil
	}
	data, err := a.zip()
	if err != nil {
		return titled("IO error", "", err)
	}
	c.download("application/octet-stream", data)
	return nil
}

// download answers with a file, or with it in base64 inside JSON.
func (c *call) download(contentType string, data []byte) {
	if c.query.has("json") {
		c.json(http.StatusOK, wire.NewObject("data", base64.StdEncoding.EncodeToString(data)))
		return
	}
	c.bytes(http.StatusOK, contentType, data)
}

// getAttachment answers GET …/attachments/{file}.
func getAttachment(c *call) error {
	var found *attachmentEntry
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		a, err := c.pathAttachment(c.ctx(), tx)
		if err != nil || a == nil {
			return err
		}
		if i := a.find(c.param("file")); i >= 0 {
			found = &a.entries[i]
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
	c.download(mediaType(found.name), found.data)
	return nil
}

// upload is the body of an upload.
type upload struct {
	name      string
	data      []byte
	overwrite bool
}

// uploadBody reads an upload. Its failures come before anything is said about
// table and record.
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
		if u.name = scalarMember(o, "name"); strings.TrimSpace(u.name) == "" {
			return upload{}, fail(http.StatusBadRequest, "name property is mandatory", "")
		}
		if strings.ContainsRune(u.name, 0) || len(u.name) > maxEntryName {
			return upload{}, fail(http.StatusBadRequest, "name property is mandatory", "The name is no file name")
		}
	}
	encoded := scalarMember(o, "data")
	if strings.TrimSpace(encoded) == "" {
		return upload{}, fail(http.StatusBadRequest, "data property is mandatory", "")
	}
	u.overwrite = strings.EqualFold(scalarMember(o, "overwrite"), "true")
	if u.data, err = decodeBase64(encoded); err != nil || len(u.data) == 0 {
		return upload{}, fail(http.StatusBadRequest, "Can't parse data", "The data property is not base64")
	}
	return u, nil
}

// addAttachment answers POST …/attachments.
func addAttachment(c *call) error {
	u, err := c.uploadBody(true)
	if err != nil {
		return orTitled("Save error", err)
	}
	return c.addEntries([]attachmentEntry{{name: u.name, data: u.data}}, u.overwrite, "Save error")
}

// addAttachmentsZip answers POST …/attachments/zip.
func addAttachmentsZip(c *call) error {
	u, err := c.uploadBody(false)
	if err != nil {
		return orTitled("Create attachment error", err)
	}
	entries, err := unzip(u.data)
	if err != nil {
		return titled("Create attachment error", "", err)
	}
	return c.addEntries(entries, u.overwrite, "Create attachment error")
}

// addEntries adds files to the record's attachment, all or none.
func (c *call) addEntries(entries []attachmentEntry, overwrite bool, title string) error {
	err := c.update(c.ctx(), func(tx *store.Tx) error {
		t, row, err := c.pathRecord(c.ctx(), tx, false)
		if err != nil {
			return err
		}
		r := &record{table: t, old: row, row: row}
		a, err := c.session.loadAttachment(c.ctx(), tx, r)
		if err != nil {
			return err
		}
		if a == nil {
			a = &attachment{}
		}
		for _, e := range entries {
			if i := a.find(e.name); i >= 0 {
				if !overwrite {
					return fail(http.StatusConflict, "Duplicate file name", "Duplicate file name: "+e.name)
				}
				a.entries = slices.Delete(a.entries, i, i+1)
			}
			a.entries = append(a.entries, e)
		}
		return c.session.saveAttachment(c.ctx(), tx, r, a)
	})
	if err != nil {
		return orTitled(title, err)
	}
	c.empty(http.StatusCreated)
	return nil
}

// deleteAttachments answers DELETE …/attachments.
func deleteAttachments(c *call) error {
	return c.dropEntries(func(a *attachment) error {
		a.entries = nil
		return nil
	})
}

// deleteAttachment answers DELETE …/attachments/{file}.
func deleteAttachment(c *call) error {
	return c.dropEntries(func(a *attachment) error {
		name := c.param("file")
		i := a.find(name)
		if i < 0 {
			return fail(http.StatusNotFound, "No matching attachment entry", "No attachment entry is found for name "+name)
		}
		a.entries = slices.Delete(a.entries, i, i+1)
		return nil
	})
}

func (c *call) dropEntries(drop func(*attachment) error) error {
	err := c.update(c.ctx(), func(tx *store.Tx) error {
		t, row, err := c.pathRecord(c.ctx(), tx, false)
		if err != nil {
			return err
		}
		r := &record{table: t, old: row, row: row}
		a, err := c.session.loadAttachment(c.ctx(), tx, r)
		if err != nil {
			return err
		}
		if a == nil {
			return fail(http.StatusNotFound, "No attachments", "No attachment is found for record with id "+c.param("id"))
		}
		if err := drop(a); err != nil {
			return err
		}
		return c.session.saveAttachment(c.ctx(), tx, r, a)
	})
	if err != nil {
		return orTitled("Delete error", err)
	}
	c.json(http.StatusOK, wire.NewObject("msg", msgDeleted))
	return nil
}
