package erptest

import (
	"context"
	"encoding/base64"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/plot"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func chartRoutes() []route {
	const one = "v1/charts/{id}"
	return []route{
		{method: http.MethodGet, pattern: "v1/charts/data", handle: listChartData},
		{method: http.MethodGet, pattern: one, handle: getChart}, // claims to produce JSON although it is an image
		{method: http.MethodGet, pattern: one + "/data", handle: getChartData},
	}
}

// findChart is the chart with that id or UUID.
func (rd *reader) findChart(ctx context.Context, id string) (store.Row, error) {
	t, err := rd.tx.Table(ctx, "AD_Chart")
	if err != nil {
		return nil, err
	}
	notFound := fail(http.StatusNotFound, "Chart not found", "No chart found matching id: "+id)
	if !engine.IsRecordID(id) {
		return nil, notFound
	}
	row, err := rd.c.session.FindRow(ctx, rd.tx, t, id)
	var api *apiError
	if asAPI(err, &api) && api.status == http.StatusNotFound {
		return nil, notFound
	}
	return row, err
}

// pathChart is the chart the path names, with its data.
func (c *call) pathChart() (*chart, error) {
	var found *chart
	err := c.read(func(ctx context.Context, rd *reader) error {
		row, err := rd.findChart(ctx, c.param("id"))
		if err != nil {
			return err
		}
		rows, err := rd.dictionaryRows(ctx, "AD_Chart", row)
		if err != nil {
			return err
		}
		found, err = rd.loadChart(ctx, rows)
		return err
	})
	if err != nil {
		return nil, singleError("charts", err)
	}
	return found, nil
}

// dictionaryRows is a row in the session's language.
func (rd *reader) dictionaryRows(ctx context.Context, table string, row store.Row) (store.Row, error) {
	t, err := rd.tx.Table(ctx, table)
	if err != nil {
		return nil, err
	}
	rows, err := rd.translate(ctx, t, t.Columns, []store.Row{row})
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// getChartData handles GET /charts/{id}/data.
func getChartData(c *call) error {
	found, err := c.pathChart()
	if err != nil {
		return err
	}
	c.json(http.StatusOK, found.object())
	return nil
}

// listChartData handles GET /charts/data: the data of all charts a filter finds.
func listChartData(c *call) error {
	list := []*wire.Object{}
	err := c.read(func(ctx context.Context, rd *reader) error {
		records, err := rd.dictionary(ctx, dictionaryQuery{
			table: "AD_Chart", columns: []string{"Name"}, filter: c.query.get("$filter"), orderBy: `"AD_Chart"."AD_Chart_ID"`,
		})
		if err != nil {
			return err
		}
		for _, r := range records {
			row, err := rd.dictionaryRows(ctx, "AD_Chart", r.row)
			if err != nil {
				return err
			}
			found, err := rd.loadChart(ctx, row)
			if err != nil {
				return err
			}
			o := found.object()
			o.Set("id", r.row.Int("AD_Chart_ID"))
			list = append(list, o)
		}
		return nil
	})
	if err != nil {
		return listError("charts", err)
	}
	c.json(http.StatusOK, wire.NewObject("charts", list))
	return nil
}

// Size of a chart's image when the request does not say.
const (
	chartWidth  = 800
	chartHeight = 400
)

// getChart handles GET /charts/{id}: the chart as an image, nothing when it has
// no data.
func getChart(c *call) error {
	width, err := c.intQuery("width")
	if err != nil {
		return err
	}
	height, err := c.intQuery("height")
	if err != nil {
		return err
	}
	found, err := c.pathChart()
	if err != nil {
		return err
	}
	if len(found.points) == 0 {
		c.empty(http.StatusNoContent)
		return nil
	}
	if width <= 0 {
		width = chartWidth
	}
	if height <= 0 {
		if height = int(found.row.Int("WinHeight")); height <= 0 {
			height = chartHeight
		}
	}
	image, err := plot.PNG(found.values(), width, height)
	if err != nil {
		return err
	}
	if c.query.has("json") {
		c.json(http.StatusOK, wire.NewObject("data", base64.StdEncoding.EncodeToString(image)))
		return nil
	}
	c.bytes(http.StatusOK, "image/png", image)
	return nil
}
