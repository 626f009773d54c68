// Package plot draws the embedded ERP's charts: a bar for every value, and
// nothing else. The real ERP draws axes, texts and many kinds of charts; a
// client can tell from this image that it got one, of the size it asked for.
package plot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
)

// Size bounds of images in points.
const (
	MinSize = 64
	MaxSize = 2000
)

const border = 8

var bar = color.RGBA{66, 133, 244, 255}

// PNG draws the values, which may be NaN or infinite: those have no bar. Sizes
// outside of the bounds are moved to them.
func PNG(values []float64, width, height int) ([]byte, error) {
	width, height = min(max(width, MinSize), MaxSize), min(max(height, MinSize), MaxSize)
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	highest := 0.0
	for _, v := range values {
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			highest = max(highest, math.Abs(v))
		}
	}
	area := img.Bounds().Inset(border)
	for i, v := range values {
		share := v / highest // up from the middle, or down
		if math.IsNaN(share) || math.IsInf(share, 0) {
			continue
		}
		left, right := area.Min.X+area.Dx()*i/len(values), area.Min.X+area.Dx()*(i+1)/len(values)
		middle := area.Min.Y + area.Dy()/2
		r := image.Rect(left, middle, max(right-1, left+1), middle-int(share*float64(area.Dy()/2)))
		draw.Draw(img, r, image.NewUniform(bar), image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encoding the chart: %w", err)
	}
	return b.Bytes(), nil
}
