package erptest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// maxChartPoints bounds the data of a chart.
const maxChartPoints = 10_000

// chart is an AD_Chart with what its sources found.
type chart struct {
	row    store.Row
	points []chartPoint
}

// chartPoint is a value of a chart; at is its category or its time.
type chartPoint struct{ series, at, value any }

// isPie reports whether the chart has slices.
func (ch *chart) isPie() bool {
	switch ch.row.String("ChartType") {
	case "PC", "P3", "RC":
		return true
	}
	return false
}

// isTimeSeries reports whether the chart runs over time; pies never do.
func (ch *chart) isTimeSeries() bool { return !ch.isPie() && ch.row.Bool("IsTimeSeries") }

// isXY reports whether the chart shows points in time rather than categories.
func (ch *chart) isXY() bool {
	switch ch.row.String("ChartType") {
	case "BC", "LC", "BS":
		return ch.row.Bool("IsTimeSeries")
	}
	return false
}

// loadChart reads the data of a chart from all its sources.
func (rd *reader) loadChart(ctx context.Context, row store.Row) (*chart, error) {
	ch := &chart{row: row}
	sources, err := engine.RowsWhere(ctx, rd.tx, "AD_ChartDatasource", "AD_ChartDatasource_ID", "AD_Chart_ID=? AND IsActive='Y'", row.Int("AD_Chart_ID"))
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		if err := rd.readSource(ctx, ch, source); err != nil {
			return nil, err
		}
	}
	return ch, nil
}

func (rd *reader) readSource(ctx context.Context, ch *chart, source store.Row) error {
	category := source.String("CategoryColumn")
	var conditions []string
	if clause := strings.TrimSpace(source.String("WhereClause")); clause != "" {
		conditions = append(conditions, "("+clause+")")
	}
	vars := engine.Variables{Session: rd.c.session, Record: &engine.Record{Table: &store.Table{}, Row: store.Row{}}}
	var scope []any
	if ch.isTimeSeries() {
		date := source.String("DateColumn")
		unit := ch.row.String("TimeUnit")
		category = truncated(unit, date)
		if n := ch.row.Int("TimeScope"); n > 0 && n < 10_000 {
			from, to := timeScope(rd.c.srv.now().UTC(), unit, int(n), int(source.Int("TimeOffset")))
			conditions = append(conditions, "("+date+")>=? AND ("+date+")<?")
			scope = []any{from.Format(engine.StoredDateTime), to.Format(engine.StoredDateTime)}
		}
	}
	if strings.TrimSpace(category) == "" {
		category = "NULL"
	}
	columns := "(" + source.String("ValueColumn") + "), " + category
	group := category
	series := strings.TrimSpace(source.String("SeriesColumn"))
	if series != "" {
		columns += ", " + series
		group += ", " + series
	}
	text := "SELECT " + columns + " FROM " + source.String("FromClause")
	if len(conditions) > 0 {
		text += " WHERE " + strings.Join(conditions, " AND ")
	}
	text += " GROUP BY " + group + " ORDER BY " + group + " LIMIT " + strconv.Itoa(maxChartPoints)
	bound, ok, err := vars.Bind(ctx, rd.tx, text)
	if err != nil || !ok {
		return err // without its context a source has no data
	}
	if len(scope) > 0 && strings.Contains(group, "@") {
		return engine.PublicError("The series of a chart over time cannot use context variables: " + ch.row.String("Name"))
	}
	bound.Args = append(bound.Args, scope...)
	return rd.c.session.QueryDictionary(ctx, rd.tx, bound, func(values []any) error {
		p := chartPoint{series: source.String("Name"), value: values[0]}
		if values[1] != nil {
			p.at = store.TextOf(values[1])
		}
		if series != "" && values[2] != nil {
			p.series = store.TextOf(values[2])
		}
		ch.points = append(ch.points, p)
		return nil
	})
}

// truncated is SQL for the beginning of the day, week, month, quarter or year
// a date lies in.
func truncated(unit, date string) string {
	date = "(" + date + ")"
	switch unit {
	case "W":
		return "date(" + date + ",'-6 days','weekday 1')||' 00:00:00'"
	case "M":
		return "substr(" + date + ",1,7)||'-01 00:00:00'"
	case "Q":
		return "substr(" + date + ",1,5)||substr('01010104040407070710101010',2*CAST(substr(" + date + ",6,2) AS INTEGER)-1,2)||'-01 00:00:00'"
	case "Y":
		return "substr(" + date + ",1,4)||'-01-01 00:00:00'"
	}
	return "substr(" + date + ",1,10)||' 00:00:00'"
}

// timeScope is the span of the last n units up to the end of the present one,
// moved by some units.
func timeScope(now time.Time, unit string, n, offset int) (from, to time.Time) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	add := func(t time.Time, n int) time.Time {
		switch unit {
		case "W":
			return t.AddDate(0, 0, 7*n)
		case "M":
			return t.AddDate(0, n, 0)
		case "Q":
			return t.AddDate(0, 3*n, 0)
		case "Y":
			return t.AddDate(n, 0, 0)
		}
		return t.AddDate(0, 0, n)
	}
	switch unit {
	case "W":
		day = day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case "M":
		day = day.AddDate(0, 0, 1-day.Day())
	case "Q":
		day = time.Date(day.Year(), (day.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
	case "Y":
		day = time.Date(day.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	}
	offset = max(min(offset, 10_000), -10_000)
	return add(day, offset-n), add(day, offset+1)
}

// number is a value as JSON.
func (p chartPoint) number() any {
	switch v := p.value.(type) {
	case nil:
		return nil
	case int64:
		return v
	case float64:
		return wire.Decimal(strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64))
	}
	if text, ok := engine.PlainDecimal(store.TextOf(p.value)); ok {
		return wire.Decimal(text)
	}
	return nil
}

// nullable is the text, or null for none.
func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// object is the chart's data as the API writes it, in one of three forms.
func (ch *chart) object() *wire.Object {
	row := ch.row
	o := wire.NewObject("name", row.String("Name"))
	data := make([]*wire.Object, 0, len(ch.points))
	if ch.isPie() {
		o.Set("displayLegend", row.Bool("IsDisplayLegend"))
		o.Set("chartType", row.String("ChartType"))
		for _, p := range ch.points {
			data = append(data, wire.NewObject("key", p.at, "value", p.number()))
		}
		o.Set("data", data)
		return o
	}
	o.Set("domainLabel", nullable(row.String("DomainLabel")))
	o.Set("rangeLabel", nullable(row.String("RangeLabel")))
	o.Set("displayLegend", row.Bool("IsDisplayLegend"))
	o.Set("chartOrientation", nullable(row.String("ChartOrientation")))
	o.Set("chartType", row.String("ChartType"))
	if !ch.isXY() {
		o.Set("data", ch.matrix())
		return o
	}
	for _, p := range ch.points {
		if p.at != nil {
			data = append(data, wire.NewObject("series", p.series, "x", p.at, "y", p.number()))
		}
	}
	o.Set("data", data)
	return o
}

// matrix is a value for each series and category, null where there is none.
func (ch *chart) matrix() []*wire.Object {
	var series, categories []any
	values := map[[2]any]any{}
	for _, p := range ch.points {
		if !slices.Contains(series, p.series) {
			series = append(series, p.series)
		}
		if !slices.Contains(categories, p.at) {
			categories = append(categories, p.at)
		}
		values[[2]any{p.series, p.at}] = p.number()
	}
	data := []*wire.Object{}
	for _, row := range series {
		for _, column := range categories {
			if len(data) == maxChartPoints {
				return data
			}
			data = append(data, wire.NewObject("row", row, "column", column, "value", values[[2]any{row, column}]))
		}
	}
	return data
}

// values are the chart's values as numbers.
func (ch *chart) values() []float64 {
	var list []float64
	for _, p := range ch.points {
		if v, err := strconv.ParseFloat(fmt.Sprint(p.number()), 64); err == nil {
			list = append(list, v)
		}
	}
	return list
}
