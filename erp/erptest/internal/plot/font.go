package plot

import (
	"image"
	"image/color"
	"strings"
)

// glyphs are letters of three by five points, drawn for this package: one
// octal digit a row, from the top.
var glyphs = map[rune]string{
	'A': "25755", 'B': "65656", 'C': "34443", 'D': "65556", 'E': "74647", 'F': "74644", 'G': "34553", 'H': "55755",
	'I': "72227", 'J': "11152", 'K': "55655", 'L': "44447", 'M': "57755", 'N': "65555", 'O': "25552", 'P': "65644",
	'Q': "25563", 'R': "65655", 'S': "34216", 'T': "72222", 'U': "55557", 'V': "55552", 'W': "55775", 'X': "55255",
	'Y': "55222", 'Z': "71247",
	'0': "75557", '1': "26227", '2': "61247", '3': "61216", '4': "55711", '5': "74616", '6': "34757", '7': "71222",
	'8': "75757", '9': "75716",
	' ': "00000", '.': "00002", ',': "00024", '-': "00700", '+': "02720", '/': "11244", ':': "02020", '(': "24442",
	')': "21112", '%': "51245", '&': "25253", '_': "00007", '\'': "22000", '#': "57575", '=': "07070", '*': "52500",
}

// unknown stands for characters without a glyph.
const unknown = "61202"

const (
	zoom        = 2
	glyphWidth  = 4 * zoom // with the gap after it
	glyphHeight = 5 * zoom
)

func textWidth(s string) int { return glyphWidth * len([]rune(s)) }

// text draws s, in capitals, with its upper left corner at x, y.
func text(img *image.RGBA, x, y int, s string, c color.Color) {
	for _, r := range strings.ToUpper(s) {
		rows, ok := glyphs[r]
		if !ok {
			rows = unknown
		}
		for dy, row := range rows {
			for dx := range 3 {
				if (row-'0')>>(2-dx)&1 == 1 {
					fill(img, x+dx*zoom, y+dy*zoom, zoom, zoom, c)
				}
			}
		}
		x += glyphWidth
	}
}

// cut shortens s to what fits in a width.
func cut(s string, width int) string {
	r := []rune(s)
	if n := max(width/glyphWidth, 0); len(r) > n {
		return string(r[:n])
	}
	return s
}

func fill(img *image.RGBA, x, y, width, height int, c color.Color) {
	r := image.Rect(x, y, x+width, y+height).Intersect(img.Rect)
	rgba := color.RGBAModel.Convert(c).(color.RGBA)
	for py := r.Min.Y; py < r.Max.Y; py++ {
		for px := r.Min.X; px < r.Max.X; px++ {
			img.SetRGBA(px, py, rgba)
		}
	}
}
