package plot_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/plot"
)

var blue, red = color.RGBA{66, 133, 244, 255}, color.RGBA{219, 68, 55, 255}

func draw(t *testing.T, c plot.Chart, width, height int) image.Image {
	t.Helper()
	data, err := c.PNG(width, height)
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	return img
}

// points counts the points of a colour.
func points(img image.Image, c color.RGBA) (n int) {
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if color.RGBAModel.Convert(img.At(x, y)) == c {
				n++
			}
		}
	}
	return n
}

func TestBarsAreAsHighAsTheirValues(t *testing.T) {
	t.Parallel()
	c := plot.Chart{Categories: []string{"A"}, Series: []plot.Series{{"one", []float64{10}}, {"two", []float64{5}}}}
	for _, lying := range []bool{false, true} {
		c.Horizontal = lying
		img := draw(t, c, 400, 400)
		assert.InDelta(t, 2, float64(points(img, blue))/float64(points(img, red)), 0.05)
	}
}

func TestPieSlicesAreShares(t *testing.T) {
	t.Parallel()
	c := plot.Chart{Kind: plot.Pie, Categories: []string{"A", "B", "below"}, Series: []plot.Series{{"", []float64{3, 1, -5}}}}
	img := draw(t, c, 400, 300)
	assert.InDelta(t, 3, float64(points(img, blue))/float64(points(img, red)), 0.1)
	pie := points(img, blue)
	c.Kind = plot.Ring
	assert.InDelta(t, 0.75, float64(points(draw(t, c, 400, 300), blue))/float64(pie), 0.05)
}

func TestLinesAndAreas(t *testing.T) {
	t.Parallel()
	c := plot.Chart{Kind: plot.Line, Categories: []string{"A", "B", "C"}, Series: []plot.Series{{"one", []float64{1, 9, 4}}}}
	line := points(draw(t, c, 400, 300), blue)
	c.Kind = plot.Area
	area := points(draw(t, c, 400, 300), blue)
	assert.Positive(t, line)
	assert.Greater(t, area, 5*line)
}

func TestTitleAndLegend(t *testing.T) {
	t.Parallel()
	c := plot.Chart{Kind: plot.Pie, Categories: []string{"A"}, Series: []plot.Series{{"", []float64{1}}}}
	plain := draw(t, c, 300, 300)
	black := color.RGBA{32, 32, 32, 255}
	assert.Zero(t, points(plain, black))
	c.Title, c.Legend = "Sales ß 漢", true
	assert.Greater(t, points(draw(t, c, 300, 300), black), 50)
}

func TestSizesAndOddValues(t *testing.T) {
	t.Parallel()
	many := plot.Series{Name: "many"}
	var names []string
	for i := range 3000 {
		names = append(names, "category with a very long name")
		many.Values = append(many.Values, float64(i-1500))
	}
	for name, c := range map[string]plot.Chart{
		"nothing":   {},
		"odd":       {Categories: []string{"A", "B", "C"}, Series: []plot.Series{{"x", []float64{math.NaN(), math.Inf(1), -1e308}}}},
		"huge":      {Categories: []string{"A", "B"}, Series: []plot.Series{{"x", []float64{1e299, -1e299}}}},
		"tiny":      {Categories: []string{"A"}, Series: []plot.Series{{"x", []float64{5e-324}}}},
		"zero":      {Categories: []string{"A"}, Series: []plot.Series{{"x", []float64{0}}}},
		"few":       {Categories: []string{"A", "B"}, Series: []plot.Series{{"x", []float64{1}}}},
		"many":      {Categories: names, Series: []plot.Series{many}, Legend: true, DomainLabel: "d", RangeLabel: "r", Title: "t"},
		"waterfall": {Kind: plot.Waterfall, Categories: names, Series: []plot.Series{many}, Horizontal: true},
		"stacked":   {Kind: plot.Area, Stacked: true, Categories: names, Series: []plot.Series{many, many}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range [][2]int{{-1, 0}, {64, 64}, {300, 200}, {99999, 80}} {
				b := draw(t, c, size[0], size[1]).Bounds()
				assert.LessOrEqual(t, b.Dx(), plot.MaxSize)
				assert.GreaterOrEqual(t, b.Dy(), plot.MinSize)
			}
		})
	}
}
