package plot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
)

// Kind is how a chart is drawn.
type Kind int

// The kinds of charts.
const (
	Bar Kind = iota
	Line
	Area
	Waterfall
	Pie
	Ring
)

// Chart is what is drawn. A pie or ring shows the first series.
type Chart struct {
	Kind                     Kind
	Title                    string
	DomainLabel, RangeLabel  string
	Horizontal, Stacked      bool
	Legend                   bool
	Categories               []string
	Series                   []Series
	left, top, right, bottom int // the plot area
}

// Series is a row of values, one for each category; NaN where there is none.
type Series struct {
	Name   string
	Values []float64
}

// Size bounds of images in points.
const (
	MinSize = 64
	MaxSize = 2000
)

var (
	white   = color.RGBA{255, 255, 255, 255}
	black   = color.RGBA{32, 32, 32, 255}
	grey    = color.RGBA{216, 216, 216, 255}
	palette = []color.RGBA{
		{66, 133, 244, 255}, {219, 68, 55, 255}, {244, 180, 0, 255}, {15, 157, 88, 255}, {171, 71, 188, 255},
		{0, 172, 193, 255}, {255, 112, 67, 255}, {158, 157, 36, 255}, {92, 107, 192, 255}, {240, 98, 146, 255},
	}
)

func colorOf(i int) color.RGBA { return palette[i%len(palette)] }

// PNG draws the chart. Sizes outside of the bounds are moved to them.
func (c Chart) PNG(width, height int) ([]byte, error) {
	width, height = min(max(width, MinSize), MaxSize), min(max(height, MinSize), MaxSize)
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	fill(img, 0, 0, width, height, white)
	c.left, c.top, c.right, c.bottom = 8, 8, width-8, height-8
	c.head(img)
	if len(c.Series) > 0 && len(c.Categories) > 0 && c.right-c.left > 8 && c.bottom-c.top > 8 {
		if c.Kind == Pie || c.Kind == Ring {
			c.pie(img)
		} else {
			c.axes(img)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encoding the chart: %w", err)
	}
	return b.Bytes(), nil
}

// head draws the title above and the legend below the plot area.
func (c *Chart) head(img *image.RGBA) {
	title := cut(c.Title, c.right-c.left)
	text(img, (c.left+c.right-textWidth(title))/2, c.top, title, black)
	c.top += glyphHeight + 8
	if !c.Legend {
		return
	}
	var names []string
	if c.Kind == Pie || c.Kind == Ring {
		names = c.Categories
	} else {
		for _, s := range c.Series {
			names = append(names, s.Name)
		}
	}
	x, y := c.left, c.bottom-glyphHeight
	for i, name := range names {
		name = cut(name, c.right-x-glyphHeight-4)
		if name == "" {
			break
		}
		fill(img, x, y, glyphHeight, glyphHeight, colorOf(i))
		text(img, x+glyphHeight+4, y, name, black)
		x += glyphHeight + 4 + textWidth(name) + 12
	}
	c.bottom -= glyphHeight + 8
}

// scale is the range of the values, with steps a person would choose.
type scale struct{ low, high, step float64 }

func newScale(low, high float64) scale {
	low, high = min(low, 0), max(high, 0)
	if low == high {
		high = 1
	}
	raw := (high - low) / 5
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	step := unit * 10
	for _, f := range []float64{1, 2, 5} {
		if unit*f >= raw {
			step = unit * f
			break
		}
	}
	return scale{math.Floor(low/step) * step, math.Ceil(high/step) * step, step}
}

// bounds are the lowest and highest value to be drawn.
func (c *Chart) bounds() (low, high float64) {
	for i := range c.Categories {
		var up, down float64
		for _, s := range c.Series {
			v := s.at(i)
			if math.IsNaN(v) {
				continue
			}
			if !c.Stacked {
				low, high = min(low, v), max(high, v)
				continue
			}
			up, down = up+max(v, 0), down+min(v, 0)
		}
		low, high = min(low, down), max(high, up)
	}
	if c.Kind == Waterfall {
		var sum float64
		for i := range c.Categories {
			if v := c.Series[0].at(i); !math.IsNaN(v) {
				sum += v
				low, high = min(low, sum), max(high, sum)
			}
		}
	}
	return low, high
}

// at is the value for a category; what cannot be drawn is none.
func (s Series) at(i int) float64 {
	if i >= len(s.Values) || math.IsInf(s.Values[i], 0) || math.Abs(s.Values[i]) > 1e300 {
		return math.NaN()
	}
	if math.Abs(s.Values[i]) < 1e-300 {
		return 0
	}
	return s.Values[i]
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
