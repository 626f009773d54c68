package diagram_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/diagram"
)

// area is what an element covers.
type area struct {
	what                     string
	left, top, right, bottom float64
}

var number = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// drawn reads a picture and gives its size, everything it draws and its boxes.
// A path covers its control points, a text what a fixed-width font needs for it,
// with two places for the wide characters of East Asia.
func drawn(t *testing.T, svg []byte) (paper area, all, boxes []area) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(svg))
	var open []area // texts that are read
	skip := 0       // inside definitions, titles and styles
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return paper, all, boxes
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			value := map[string]string{}
			for _, a := range token.Attr {
				value[a.Name.Local] = a.Value
			}
			at := func(name string) float64 {
				f, err := strconv.ParseFloat(value[name], 64)
				require.NoError(t, err, "%s of %s", name, token.Name.Local)
				return f
			}
			name := token.Name.Local
			if skip > 0 || name == "defs" || name == "title" || name == "desc" || name == "style" {
				skip++
				continue
			}
			switch name {
			case "svg":
				n := number.FindAllString(value["viewBox"], -1)
				require.Len(t, n, 4)
				for i, into := range []*float64{&paper.left, &paper.top, &paper.right, &paper.bottom} {
					*into, err = strconv.ParseFloat(n[i], 64)
					require.NoError(t, err)
				}
			case "rect":
				if value["class"] == "paper" {
					continue
				}
				r := area{"rect " + value["class"], at("x"), at("y"), at("x") + at("width"), at("y") + at("height")}
				all = append(all, r)
				if value["class"] == "box" {
					boxes = append(boxes, r)
				}
			case "path":
				n := number.FindAllString(value["d"], -1)
				require.NotEmpty(t, n)
				require.Zero(t, len(n)%2)
				for i := 0; i < len(n); i += 2 {
					x, errX := strconv.ParseFloat(n[i], 64)
					y, errY := strconv.ParseFloat(n[i+1], 64)
					require.NoError(t, errors.Join(errX, errY))
					all = append(all, area{"path " + value["d"], x, y, x, y})
				}
			case "text":
				open = append(open, area{value["text-anchor"], at("x"), at("y") - 10, 0, at("y") + 3})
			}
		case xml.EndElement:
			switch {
			case skip > 0:
				skip--
			case token.Name.Local == "text":
				open = open[:len(open)-1]
			}
		case xml.CharData:
			if skip > 0 || len(open) == 0 {
				continue
			}
			r := open[len(open)-1]
			width := 0.0
			for _, c := range string(token) {
				width += 7.3
				if unicode.In(c, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
					width += 7.3
				}
			}
			if r.what == "end" {
				r.left -= width
			}
			r.what, r.right = "text "+string(token), r.left+width
			all = append(all, r)
		}
	}
}

// Whatever tables there are and however they refer to each other and to
// themselves: all that is drawn lies within the picture, and no two boxes
// overlap.
func TestEverythingIsInThePicture(t *testing.T) {
	t.Parallel()
	words := []string{"C_Order", "Ref_OrderLine_ID", "Überweisung", "売上伝票明細", "주문", "M", strings.Repeat("W", 80), "日本" + strings.Repeat("長", 70)}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		word := func(i int) string { return fmt.Sprintf("%s%d", words[random.IntN(len(words))], i) }
		m := &diagram.Model{}
		for i := range 1 + random.IntN(14) {
			table := diagram.Table{Name: word(i), Label: word(i)}
			for j := range random.IntN(9) {
				table.Columns = append(table.Columns, diagram.Column{Name: word(j), Type: word(j), Key: j == 0, Mandatory: random.IntN(2) == 0})
			}
			m.Tables = append(m.Tables, table)
		}
		for range random.IntN(20) {
			from, to := m.Tables[random.IntN(len(m.Tables))], m.Tables[random.IntN(len(m.Tables))]
			if random.IntN(4) == 0 {
				to = from
			}
			column := "not shown"
			if n := len(from.Columns); n > 0 && random.IntN(5) > 0 {
				column = from.Columns[random.IntN(n)].Name
			}
			m.Links = append(m.Links, diagram.Link{From: from.Name, To: to.Name, Column: column})
		}
		var b bytes.Buffer
		require.NoError(t, m.WriteSVG(&b))
		paper, all, boxes := drawn(t, b.Bytes())
		require.Len(t, boxes, len(m.Tables))
		for _, a := range all {
			if a.left < paper.left || a.top < paper.top || a.right > paper.right || a.bottom > paper.bottom {
				t.Fatalf("seed %d: %+v leaves the picture %+v", seed, a, paper)
			}
		}
		for i, a := range boxes {
			for _, o := range boxes[i+1:] {
				assert.False(t, a.left < o.right && o.left < a.right && a.top < o.bottom && o.top < a.bottom, "seed %d: %v and %v overlap", seed, a, o)
			}
		}
		for _, a := range all { // a text stays in its box, too
			if !strings.HasPrefix(a.what, "text") {
				continue
			}
			inside := false
			for _, o := range boxes {
				inside = inside || a.left >= o.left && a.right <= o.right && a.top >= o.top && a.bottom <= o.bottom
			}
			assert.True(t, inside, "seed %d: %v is in no box", seed, a)
		}
		if t.Failed() {
			return
		}
	}
}
