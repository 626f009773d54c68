package erptest

import (
	"context"
	"encoding/base64"
	"net/http"
	"path"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// archiveRows are the archives of the record in the path, the latest first, or the
// one of that number.
func (c *call) archiveRows(ctx context.Context, tx *store.Tx, only int64) ([]store.Row, error) {
	t, row, err := c.pathRecord(ctx, tx)
	if err != nil {
		return nil, err
	}
	where, args := "AD_Table_ID=? AND Record_ID=? AND AD_Client_ID IN (0,?)", []any{t.ID, row.Int(t.Name + "_ID"), c.session.ClientID}
	if t.KeyColumn() == nil {
		where, args[1] = "AD_Table_ID=? AND Record_UU=? AND AD_Client_ID IN (0,?)", row.String(t.Name+"_UU")
	}
	if only > 0 {
		where, args = where+" AND AD_Archive_ID=?", append(args, only)
	}
	return engine.RowsWhere(ctx, tx, "AD_Archive", "Created DESC, AD_Archive_ID DESC", where, args...)
}

// archiveType is the media type of an archive by its name; most are printed documents.
func archiveType(row store.Row) string {
	if path.Ext(row.String("Name")) == "" {
		return "application/pdf"
	}
	return engine.MediaType(row.String("Name"))
}

// listArchives handles GET …/archives, which plugins of June 2026 and later have.
func listArchives(c *call) error {
	list := []any{}
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		rows, err := c.archiveRows(c.ctx(), tx, 0)
		for _, row := range rows {
			o := wire.NewObject("id", row.Int("AD_Archive_ID"))
			if name := row.String("Name"); name != "" {
				o.Set("name", name)
			}
			o.Set("contentType", archiveType(row))
			o.Set("isReport", row.Bool("IsReport"))
			if id := row.Int("AD_Process_ID"); id > 0 {
				o.Set("processId", id)
			}
			o.Set("created", row.String("Created")+".0")
			list = append(list, o)
		}
		return err
	})
	if err != nil {
		return err
	}
	c.json(http.StatusOK, wire.NewObject("archives", list))
	return nil
}

// getArchive handles GET …/archives/{archiveId}.
func getArchive(c *call) error {
	id, err := strconv.ParseInt(c.param("archiveId"), 10, 32)
	if err != nil {
		return page(http.StatusNotFound)
	}
	var found store.Row
	err = c.view(c.ctx(), func(tx *store.Tx) error {
		rows, err := c.archiveRows(c.ctx(), tx, max(id, 1))
		if err == nil && len(rows) > 0 {
			found = rows[0]
		}
		return err
	})
	if err != nil {
		return err
	}
	if found == nil {
		return fail(http.StatusNotFound, "Record not found", "The record has no archive with id: "+c.param("archiveId"))
	}
	data, ok := found["BinaryData"].([]byte)
	if !ok {
		data = []byte(found.String("BinaryData"))
	}
	if !c.query.has("json") {
		c.bytes(http.StatusOK, archiveType(found), data)
		return nil
	}
	c.json(http.StatusOK, wire.NewObject("name", found.String("Name"), "contentType", archiveType(found), "data", base64.StdEncoding.EncodeToString(data)))
	return nil
}
