package erptest

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/plot"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func chartRoutes() []route {
	const one = "v1/charts/{id}"
	return []route{
		{method: http.MethodGet, pattern: one, handle: getChart}, // claims to produce JSON although it is an image
		{method: http.MethodGet, pattern: one + "/data", handle: getChartData},
	}
}

// errNoChart is a chart that is not there for the session.
var errNoChart = errors.New("no such chart")

// pathChart is the chart the path names, by its id or UUID, with its data.
func (c *call) pathChart() (*chart, error) {
	id := c.param("id")
	if !engine.IsRecordID(id) {
		return nil, notNumber(id)
	}
	var found *chart
	err := c.read(func(ctx context.Context, rd *reader) error {
		t, err := rd.tx.Table(ctx, "AD_Chart")
		if err != nil {
			return err
		}
		row, err := c.session.FindRow(ctx, rd.tx, t, id)
		var api *apiError
		if asAPI(err, &api) {
			return errNoChart
		}
		if err != nil {
			return err
		}
		if row, err = rd.translatedRow(ctx, "AD_Chart", row); err != nil {
			return err
		}
		found, err = rd.loadChart(ctx, row)
		return err
	})
	return found, err
}

// translatedRow is a row in the session's language.
func (rd *reader) translatedRow(ctx context.Context, table string, row store.Row) (store.Row, error) {
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

// getChartData handles GET /charts/{id}/data. What goes wrong is outside the real
// handler's guard.
func getChartData(c *call) error {
	found, err := c.pathChart()
	if err != nil {
		c.logFailure(err)
		return page(http.StatusInternalServerError)
	}
	c.json(http.StatusOK, found.object())
	return nil
}

// chartSize is the width and height of charts that do not say theirs.
const chartSize = 100

// getChart handles GET /charts/{id}: the chart as an image, nothing when there is
// no such chart. The height and the width are the chart's when the request does not
// say.
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
	if errors.Is(err, errNoChart) {
		c.empty(http.StatusNoContent)
		return nil
	}
	if err != nil {
		return singleError("status line", err)
	}
	own := int(found.row.Int("WinHeight"))
	if own <= 0 {
		own = chartSize
	}
	if width <= 0 {
		width = own
	}
	if height <= 0 {
		height = own
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
