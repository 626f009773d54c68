package records

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

func (a *app) chartCommand() *cli.Command {
	return &cli.Command{
		Name: "chart", Usage: "list and show the charts of the ERP",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list the charts", Flags: shell.OutputFlags(), Action: a.chartList},
			{
				Name: "show", Usage: "draw a chart in the terminal, or save its image", ArgsUsage: "ID",
				Flags: append([]cli.Flag{
					&cli.StringFlag{Name: "image", TakesFile: true, Usage: "PNG file to write instead, drawn by the ERP"},
					&cli.IntFlag{Name: "width", Value: 800, Usage: "width of the image in pixels"},
					&cli.IntFlag{Name: "height", Value: 600, Usage: "height of the image in pixels"},
				}, shell.OutputFlags()...),
				Action: a.chartShow,
			},
		},
	}
}

func (a *app) chartList(c *cli.Context) error {
	if c.NArg() > 0 {
		return shell.Usagef("chart list takes no arguments")
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	type line struct {
		ID          erp.ID `json:"id"`
		Name        string `json:"name"`
		Type        string `json:"chartType"`
		Description string `json:"description,omitempty"`
	}
	charts := []line{}
	for rec, err := range client.Records(c.Context, "AD_Chart", &erp.Query{OrderBy: []string{"Name"}}) {
		if err != nil {
			return err
		}
		l := line{ID: rec.ID()}
		l.Name, _ = rec.Text("Name")
		l.Description, _ = rec.Text("Description")
		if ref, ok := rec.Ref("ChartType"); ok {
			l.Type = ref.Identifier
		}
		charts = append(charts, l)
	}
	t := output.Table{Columns: []output.Column{{Name: "id", Right: true}, {Name: "name", Max: 60}, {Name: "type", Key: "chartType"}, {Name: "description"}}, Empty: "no charts"}
	for _, l := range charts {
		t.Rows = append(t.Rows, []string{l.ID.String(), l.Name, l.Type, l.Description})
	}
	return a.Print(c, charts, t)
}

func (a *app) chartShow(c *cli.Context) error {
	if err := shell.Arguments(c, "the id of a chart (see chart list)"); err != nil {
		return err
	}
	id, err := erp.ParseID(c.Args().First())
	if err != nil {
		return shell.Usage(err)
	}
	if c.Int("width") < 1 || c.Int("height") < 1 {
		return shell.Usagef("--width and --height must be 1 or more")
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	if path := c.String("image"); path != "" {
		image, err := client.ChartImage(c.Context, id, c.Int("width"), c.Int("height"))
		if err != nil {
			return err
		}
		defer image.Close()
		_, err = shell.SaveStream(path, image)
		return err
	}
	chart, err := client.Chart(c.Context, id)
	if err != nil {
		return err
	}
	return a.Print(c, chart, chartTable(chart))
}

// chartTable are the points with bars. The numbers beside them are exact.
func chartTable(chart *erp.Chart) output.Table {
	t := output.Table{
		Columns: []output.Column{{Name: cmp.Or(chart.DomainLabel, "label"), Key: "label", Max: 60}, {Name: cmp.Or(chart.RangeLabel, "value"), Key: "value", Right: true}, {Name: ""}},
		List:    "data", Empty: "the chart has no data",
	}
	values, series := make([]float64, len(chart.Points)), false
	for i, p := range chart.Points {
		values[i], _ = strconv.ParseFloat(p.Value.String(), 64)
		series = series || p.Series != chart.Points[0].Series
	}
	if series {
		t.Columns = slices.Insert(t.Columns, 0, output.Column{Name: "series", Max: 60})
	}
	largest := largestOf(values)
	for i, p := range chart.Points {
		row := []string{p.Label, p.Value.String(), bar(values[i], largest)}
		if series {
			row = slices.Insert(row, 0, p.Series)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
