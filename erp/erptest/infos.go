package erptest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func infoRoutes() []route {
	const one = "v1/infos/{slug}"
	return []route{
		{method: http.MethodGet, pattern: "v1/infos", handle: listInfos},
		{method: http.MethodGet, pattern: one, handle: queryInfo},
		{method: http.MethodGet, pattern: one + "/columns", handle: listInfoColumns},
		{method: http.MethodGet, pattern: one + "/processes", handle: listInfoProcesses},
		{method: http.MethodGet, pattern: one + "/relateds", handle: listInfoRelateds},
	}
}

// listInfos handles GET /infos: whole records of the info windows.
func listInfos(c *call) error {
	list, err := c.slugged("AD_InfoWindow", engine.KindInfo, nil, `"AD_InfoWindow"."Name", "AD_InfoWindow"."AD_InfoWindow_ID"`)
	if err != nil {
		return listError("InfoWindows", err)
	}
	c.json(http.StatusOK, wire.NewObject("infowindows", list))
	return nil
}

// findInfo is the active info window with that slug, which the role must have
// access to.
func (rd *reader) findInfo(ctx context.Context, slug string) (store.Row, error) {
	row, err := rd.findBySlug(ctx, "AD_InfoWindow", slug)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, fail(http.StatusNotFound, "Invalid info window name", "No match found for info window name: "+slug)
	}
	read, _, err := rd.c.session.ObjectAccess(ctx, rd.tx, engine.KindInfo, row.Int("AD_InfoWindow_ID"))
	if err != nil {
		return nil, err
	}
	if !read {
		return nil, fail(http.StatusForbidden, "Access denied", "Access denied for info window: "+slug)
	}
	return row, nil
}

// infoParts lists the records of a table that belong to the info window of the
// path and that keep, which may complete them, lets through.
func (c *call) infoParts(table string, keep func(ctx context.Context, rd *reader, r dictionaryRecord) (bool, error)) (list []*wire.Object, err error) {
	err = c.read(func(ctx context.Context, rd *reader) error {
		info, err := rd.findInfo(ctx, c.param("slug"))
		if err != nil {
			return err
		}
		records, err := rd.dictionary(ctx, dictionaryQuery{
			table: table, where: "AD_InfoWindow_ID=?", args: []any{info.Int("AD_InfoWindow_ID")}, orderBy: "SeqNo, " + table + "_ID",
		})
		if err != nil {
			return err
		}
		list = make([]*wire.Object, 0, len(records))
		for _, r := range records {
			ok, err := keep(ctx, rd, r)
			if err != nil {
				return err
			}
			if ok {
				list = append(list, r.object)
			}
		}
		return nil
	})
	return list, err
}

// listInfoColumns handles GET /infos/{slug}/columns.
func listInfoColumns(c *call) error {
	list, err := c.infoParts("AD_InfoColumn", func(context.Context, *reader, dictionaryRecord) (bool, error) { return true, nil })
	if err != nil {
		return readError(err)
	}
	c.json(http.StatusOK, wire.NewObject("infowindowcolumns", list))
	return nil
}

// slugFrom gives the object of a record the slug of another one's name.
func (rd *reader) slugFrom(ctx context.Context, o *wire.Object, table, column string, id int64) error {
	row, err := engine.OneRow(ctx, rd.tx, table, id)
	if err != nil {
		return err
	}
	o.Set("slug", slug.Of(row.String(column)))
	return nil
}

// listInfoProcesses handles GET /infos/{slug}/processes: those the role may run,
// each with the slug of the process.
func listInfoProcesses(c *call) error {
	list, err := c.infoParts("AD_InfoProcess", func(ctx context.Context, rd *reader, r dictionaryRecord) (bool, error) {
		_, run, err := c.session.ProcessAccess(ctx, rd.tx, r.row.Int("AD_Process_ID"))
		if err != nil || !run {
			return false, err
		}
		return true, rd.slugFrom(ctx, r.object, "AD_Process", "Value", r.row.Int("AD_Process_ID"))
	})
	if err != nil {
		return readError(err)
	}
	c.json(http.StatusOK, wire.NewObject("infowindowprocesses", list))
	return nil
}

// listInfoRelateds handles GET /infos/{slug}/relateds, each with the slug of the
// related info window.
func listInfoRelateds(c *call) error {
	list, err := c.infoParts("AD_InfoRelated", func(ctx context.Context, rd *reader, r dictionaryRecord) (bool, error) {
		return true, rd.slugFrom(ctx, r.object, "AD_InfoWindow", "Name", r.row.Int("RelatedInfo_ID"))
	})
	if err != nil {
		return readError(err)
	}
	c.json(http.StatusOK, wire.NewObject("infowindowrelateds", list))
	return nil
}

// infoPageSize is how many rows a page of an info window has.
const infoPageSize = 100

// queryInfo handles GET /infos/{slug}: a page of its rows. As on the real server
// X-Page is always 1 and X-Next-Page, which is there when more rows follow, 2.
func queryInfo(c *call) error {
	number, err := c.intQuery("$page_no")
	if err != nil {
		return err
	}
	rows, more, err := c.infoPage(max(number, 1))
	if err != nil {
		return readError(err)
	}
	if len(rows) > 0 {
		h := c.w.Header()
		h.Set("X-Array-Count", strconv.Itoa(len(rows)))
		h.Set("X-Page", "1")
		h.Set("X-Per-Page", strconv.Itoa(infoPageSize))
		if more {
			h.Set("X-Next-Page", "2")
		}
	}
	c.json(http.StatusOK, wire.NewObject("row-count", len(rows), "infowindow-records", rows))
	return nil
}
