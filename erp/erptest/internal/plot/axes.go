package plot

import (
	"image"
	"image/color"
	"math"
)

// axes draws everything but pies. Coordinates are thought with upright bars;
// point turns them when the chart lies.
func (c *Chart) axes(img *image.RGBA) {
	s := newScale(c.bounds())
	labels := 0
	for v := s.low; v <= s.high+s.step/2; v += s.step {
		labels = max(labels, textWidth(number(v)))
	}
	if c.Horizontal && c.Kind != Line && c.Kind != Area {
		labels = 0
		for _, name := range c.Categories {
			labels = max(labels, textWidth(name))
		}
		labels = min(labels, (c.right-c.left)/3)
	} else {
		c.Horizontal = false
	}
	domain, rangeLabel := c.DomainLabel, c.RangeLabel
	if c.Horizontal {
		domain, rangeLabel = rangeLabel, domain
	}
	if rangeLabel != "" {
		text(img, c.left, c.top, cut(rangeLabel, c.right-c.left), black)
		c.top += glyphHeight + 4
	}
	if domain != "" {
		domain = cut(domain, c.right-c.left)
		text(img, (c.left+c.right-textWidth(domain))/2, c.bottom-glyphHeight, domain, black)
		c.bottom -= glyphHeight + 4
	}
	c.left += labels + 6
	c.bottom -= glyphHeight + 6
	if c.right-c.left < 4 || c.bottom-c.top < 4 {
		return
	}
	c.grid(img, s)
	c.names(img)
	switch c.Kind {
	case Line, Area:
		c.lines(img, s)
	default:
		c.bars(img, s)
	}
}

// along is the position of a share of the way along the axis of categories,
// across of a value.
func (c *Chart) along(share float64) int {
	if c.Horizontal {
		return c.top + int(share*float64(c.bottom-c.top))
	}
	return c.left + int(share*float64(c.right-c.left))
}

func (c *Chart) across(s scale, v float64) int {
	share := (v - s.low) / (s.high - s.low)
	if c.Horizontal {
		return c.left + int(math.Round(share*float64(c.right-c.left)))
	}
	return c.bottom - int(math.Round(share*float64(c.bottom-c.top)))
}

func (c *Chart) grid(img *image.RGBA, s scale) {
	for v := s.low; v <= s.high+s.step/2; v += s.step {
		if math.Abs(v) < s.step/1e6 {
			v = 0
		}
		at, tint := c.across(s, v), grey
		if v == 0 {
			tint = black
		}
		label := number(v)
		if c.Horizontal {
			fill(img, at, c.top, 1, c.bottom-c.top, tint)
			text(img, at-textWidth(label)/2, c.bottom+4, label, black)
		} else {
			fill(img, c.left, at, c.right-c.left, 1, tint)
			text(img, c.left-4-textWidth(label), at-glyphHeight/2, label, black)
		}
	}
}

// names writes the categories, as many as fit.
func (c *Chart) names(img *image.RGBA) {
	n := len(c.Categories)
	free := math.MinInt
	for i, name := range c.Categories {
		middle := c.along((float64(i) + 0.5) / float64(n))
		if c.Horizontal {
			if middle-glyphHeight/2 < free {
				continue
			}
			name = cut(name, c.left-12)
			text(img, c.left-4-textWidth(name), middle-glyphHeight/2, name, black)
			free = middle + glyphHeight/2 + 2
			continue
		}
		width := max((c.right-c.left)/n, 6*glyphWidth)
		name = cut(name, width-2)
		x := middle - textWidth(name)/2
		if x < free {
			continue
		}
		text(img, x, c.bottom+4, name, black)
		free = x + textWidth(name) + 4
	}
}

// box fills between two values over a span of the axis of categories.
func (c *Chart) box(img *image.RGBA, s scale, from, to int, v1, v2 float64, tint color.Color) {
	a, b := c.across(s, v1), c.across(s, v2)
	low, high := min(a, b), max(a, b)
	if high == low {
		high++
	}
	if c.Horizontal {
		fill(img, low, from, high-low, max(to-from, 1), tint)
	} else {
		fill(img, from, low, max(to-from, 1), high-low, tint)
	}
}

func (c *Chart) bars(img *image.RGBA, s scale) {
	n := float64(len(c.Categories))
	var sum float64
	for i := range c.Categories {
		var up, down float64
		for j, series := range c.Series {
			v := series.at(i)
			if math.IsNaN(v) {
				continue
			}
			start, share, base := 0.1, 0.8, 0.0
			switch {
			case c.Kind == Waterfall:
				if j > 0 {
					continue
				}
				base = sum
				sum += v
			case c.Stacked && v >= 0:
				base = up
				up += v
			case c.Stacked:
				base = down
				down += v
			default:
				share = 0.8 / float64(len(c.Series))
				start = 0.1 + share*float64(j)
			}
			from := c.along((float64(i) + start) / n)
			to := c.along((float64(i) + start + share) / n)
			c.box(img, s, from, to, base, base+v, colorOf(j))
		}
	}
}

func (c *Chart) lines(img *image.RGBA, s scale) {
	n := float64(len(c.Categories))
	base := make([]float64, len(c.Categories))
	for j, series := range c.Series {
		px, py, started := 0, 0, false
		for i := range c.Categories {
			v := series.at(i)
			if math.IsNaN(v) {
				continue
			}
			if c.Stacked {
				base[i] += v
				v = base[i]
			}
			x, y := c.along((float64(i)+0.5)/n), c.across(s, v)
			if started {
				c.segment(img, px, py, x, y, c.across(s, 0), colorOf(j))
			}
			fill(img, x-2, y-2, 5, 5, colorOf(j))
			px, py, started = x, y, true
		}
	}
}

// segment draws a line two points thick; of an area everything down to zero.
func (c *Chart) segment(img *image.RGBA, x1, y1, x2, y2, zero int, tint color.Color) {
	steps := max(abs(x2-x1), abs(y2-y1), 1)
	for i := range steps + 1 {
		x := x1 + (x2-x1)*i/steps
		y := y1 + (y2-y1)*i/steps
		if c.Kind == Area {
			fill(img, x, min(y, zero), 1, abs(zero-y)+1, tint)
		} else {
			fill(img, x, y, 2, 2, tint)
		}
	}
}

func abs(n int) int { return max(n, -n) }
