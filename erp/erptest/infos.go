package erptest

import (
	"net/http"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func infoRoutes() []route {
	return []route{{method: http.MethodGet, pattern: "v1/infos/{slug}", handle: queryInfo}}
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
