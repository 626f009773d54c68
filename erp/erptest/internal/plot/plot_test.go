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

func decode(t *testing.T, values []float64, width, height int) image.Image {
	t.Helper()
	data, err := plot.PNG(values, width, height)
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	return img
}

// coloured counts the points of a part that are not white.
func coloured(img image.Image, part image.Rectangle) (n int) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if color.GrayModel.Convert(img.At(x, y)) != (color.Gray{255}) {
				n++
			}
		}
	}
	return n
}

func TestBarsAreAsHighAsTheirValues(t *testing.T) {
	t.Parallel()
	img := decode(t, []float64{10, -5}, 400, 400)
	first, second := coloured(img, image.Rect(0, 0, 200, 200)), coloured(img, image.Rect(200, 200, 400, 400))
	assert.InDelta(t, 2, float64(first)/float64(second), 0.05)
	assert.Equal(t, first+second, coloured(img, img.Bounds()), "down is below the middle")
}

func TestSizesAndOddValues(t *testing.T) {
	t.Parallel()
	many := make([]float64, 3000)
	for i := range many {
		many[i] = float64(i - 1500)
	}
	for name, c := range map[string]struct {
		values []float64
		drawn  bool
	}{
		"nothing": {nil, false},
		"zero":    {[]float64{0}, false},
		"none":    {[]float64{math.NaN(), math.Inf(1), math.Inf(-1)}, false},
		"odd":     {[]float64{math.NaN(), math.Inf(1), -1e308, 1}, true},
		"tiny":    {[]float64{5e-324}, true},
		"many":    {many, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range [][4]int{{-1, 0, 64, 64}, {64, 64, 64, 64}, {300, 200, 300, 200}, {99999, 80, 2000, 80}} {
				img := decode(t, c.values, size[0], size[1])
				assert.Equal(t, image.Rect(0, 0, size[2], size[3]), img.Bounds())
				assert.Equal(t, c.drawn, coloured(img, img.Bounds()) > 0)
			}
		})
	}
}
