package plot

import (
	"image"
	"math"
)

// pie draws the first series as slices, clockwise from the top. Values below
// zero have no slice.
func (c *Chart) pie(img *image.RGBA) {
	var total float64
	values := make([]float64, len(c.Categories))
	for i := range values {
		if v := c.Series[0].at(i); v > 0 {
			values[i] = v
			total += v
		}
	}
	if total == 0 {
		return
	}
	ends := make([]float64, len(values))
	var sum float64
	for i, v := range values {
		sum += v
		ends[i] = sum / total
	}
	cx, cy := (c.left+c.right)/2, (c.top+c.bottom)/2
	radius := min(c.right-c.left, c.bottom-c.top) / 2
	hole := 0
	if c.Kind == Ring {
		hole = radius / 2
	}
	for y := -radius; y <= radius; y++ {
		for x := -radius; x <= radius; x++ {
			if d := x*x + y*y; d > radius*radius || d < hole*hole {
				continue
			}
			share := math.Atan2(float64(x), float64(-y)) / (2 * math.Pi)
			if share < 0 {
				share++
			}
			for i, end := range ends {
				if share < end || i == len(ends)-1 {
					img.SetRGBA(cx+x, cy+y, colorOf(i))
					break
				}
			}
		}
	}
}
