package diagram

import (
	"cmp"
	"slices"
	"unicode"

	"github.com/erphub/erphub/internal/text"
)

// Measures of the picture, in its units.
const (
	lineHeight = 18
	headHeight = 28
	charWidth  = 7.3 // of the fixed-width font at 12 units
	minWidth   = 140
	maxChars   = 60
	gapX       = 90
	gapY       = 40
	margin     = 24
	loopWidth  = 50 // of the curve of a table that refers to itself
)

// box is a table with its place.
type box struct {
	table               Table
	x, y, width, height float64
	rank                int
}

// layout places the tables in columns: a table stands to the right of those it
// points at, and within a column in the order that keeps lines short. Loops are
// cut at the last requested table.
func (m *Model) layout() (boxes []*box, byName map[string]*box, width, height float64) {
	byName = map[string]*box{}
	for _, t := range m.Tables {
		b := &box{table: t, width: widthOf(t), height: headHeight + lineHeight*float64(len(t.Columns)) + 8}
		boxes = append(boxes, b)
		byName[t.Name] = b
	}
	m.rank(byName)
	var columns [][]*box
	for _, b := range boxes {
		for len(columns) <= b.rank {
			columns = append(columns, nil)
		}
		columns[b.rank] = append(columns[b.rank], b)
	}
	columns = fold(columns)
	loops := map[string]bool{}
	for _, l := range m.Links {
		loops[l.From] = loops[l.From] || l.From == l.To
	}
	x := float64(margin)
	for i, column := range columns {
		if i > 0 {
			m.order(column, byName)
		}
		y, widest := float64(margin), 0.0
		for _, b := range column {
			b.x, b.y = x, y
			y += b.height + gapY
			widest = max(widest, b.width)
			right := b.x + b.width
			if loops[b.table.Name] {
				right += loopWidth
			}
			width = max(width, right+margin)
		}
		height = max(height, y-gapY+margin)
		x += widest + gapX
	}
	return boxes, byName, width, height
}

// rank counts how far each table is from one that points at no other.
func (m *Model) rank(byName map[string]*box) {
	targets := map[string][]string{}
	for _, l := range m.Links {
		if l.From != l.To {
			targets[l.From] = append(targets[l.From], l.To)
		}
	}
	state := map[string]int{} // 1 being looked at, 2 done
	var visit func(name string) int
	visit = func(name string) int {
		b := byName[name]
		if state[name] == 2 {
			return b.rank
		}
		state[name] = 1
		for _, to := range targets[name] {
			if state[to] != 1 { // else a loop
				b.rank = max(b.rank, visit(to)+1)
			}
		}
		state[name] = 2
		return b.rank
	}
	for _, t := range m.Tables {
		visit(t.Name)
	}
}

// fold splits columns that would be far higher than the picture is wide.
func fold(columns [][]*box) [][]*box {
	const most = 6
	var out [][]*box
	for _, column := range columns {
		for len(column) > most {
			out, column = append(out, column[:most:most]), column[most:]
		}
		if len(column) > 0 {
			out = append(out, column)
		}
	}
	return out
}

// order sorts a column by the height of what its tables point at, which stands
// to the left and has its place.
func (m *Model) order(column []*box, byName map[string]*box) {
	middle := map[*box]float64{}
	for _, b := range column {
		sum, n := 0.0, 0
		for _, l := range m.Links {
			if to := byName[l.To]; l.From == b.table.Name && to != b && to.x > 0 {
				sum, n = sum+to.y+to.height/2, n+1
			}
		}
		if n > 0 {
			middle[b] = sum / float64(n)
		}
	}
	slices.SortStableFunc(column, func(a, b *box) int { return cmp.Compare(middle[a], middle[b]) })
}

func widthOf(t Table) float64 {
	chars := cells(clip(t.Name))
	for _, c := range t.Columns {
		chars = max(chars, cells(clip(c.Name))+cells(clip(c.Type))+6)
	}
	return max(minWidth, float64(chars)*charWidth+24)
}

// cells is how many places of a fixed-width font a text takes; the wide
// characters of East Asia take two.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0xff01 && r <= 0xff60 || r >= 0x1f300 && r <= 0x1faff {
			n++
		}
	}
	return n
}

// clip shortens what would make a box too wide.
func clip(s string) string { return text.Shorten(s, maxChars) }
