package records

import (
	"math"
	"strings"
)

// barWidth is the length of the longest bar of a chart, in characters.
const barWidth = 40

// eighths are the ends of a bar, by the eighth of a character that they fill.
var eighths = []rune(" ▏▎▍▌▋▊▉")

// bar draws a value as a part of the largest. What is below 0 has the sign in
// front.
func bar(value, largest float64) string {
	if largest <= 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return ""
	}
	length := int(math.Round(math.Abs(value) / largest * barWidth * 8))
	if value != 0 {
		length = max(length, 1)
	}
	text := strings.Repeat("█", length/8)
	if rest := length % 8; rest > 0 {
		text += string(eighths[rest])
	}
	if value < 0 {
		text = "-" + text
	}
	return text
}

// largestOf is the largest of values, whatever their sign.
func largestOf(values []float64) float64 {
	largest := 0.0
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			largest = max(largest, math.Abs(v))
		}
	}
	return largest
}
