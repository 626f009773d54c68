package records

import (
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

func (a *app) chartCommand() *cli.Command {
	return &cli.Command{
		Name: "chart", Usage: "list and show the charts of the ERP",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list the charts", Action: a.chartList},
			{
				Name: "show", Usage: "draw a chart in the terminal, or save its image", ArgsUsage: "ID",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "output", Aliases: []string{"o"}, TakesFile: true, Usage: "PNG file to write instead"},
					&cli.IntFlag{Name: "width", Value: 800, Usage: "width of the image in pixels"},
					&cli.IntFlag{Name: "height", Value: 600, Usage: "height of the image in pixels"},
				},
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
	if c.Bool("json") {
		return a.PrintJSON(charts)
	}
	if len(charts) == 0 {
		a.Note("no charts")
		return nil
	}
	rows := make([][]string, len(charts))
	for i, l := range charts {
		rows[i] = []string{l.ID.String(), shell.Short(l.Name, 60), l.Type, shell.Short(l.Description, 60)}
	}
	a.PrintTable([]string{"id", "name", "type", "description"}, rows)
	return nil
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
	if path := c.String("output"); path != "" {
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
	if c.Bool("json") {
		return a.PrintJSON(chart)
	}
	return a.drawChart(chart)
}

// drawChart draws the points as bars. The numbers beside them are exact.
func (a *app) drawChart(chart *erp.Chart) error {
	if _, err := fmt.Fprintf(a.Streams.Out, "%s\n\n", shell.Printable(chart.Name)); err != nil {
		return err
	}
	if len(chart.Points) == 0 {
		a.Note("the chart has no data")
		return nil
	}
	values, series := make([]float64, len(chart.Points)), false
	for i, p := range chart.Points {
		values[i], _ = strconv.ParseFloat(p.Value.String(), 64)
		series = series || p.Series != "" && p.Series != chart.Points[0].Series
	}
	headings := []string{chart.DomainLabel, chart.RangeLabel, ""}
	if series {
		headings = append([]string{"series"}, headings...)
	}
	largest, rows := largestOf(values), make([][]string, len(chart.Points))
	for i, p := range chart.Points {
		rows[i] = []string{labelled(p.Label), p.Value.String(), bar(values[i], largest)}
		if series {
			rows[i] = append([]string{labelled(p.Series)}, rows[i]...)
		}
	}
	a.PrintTable(headings, rows)
	return nil
}
