package generator

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// diffContext is how many equal lines a diff shows around a change.
const diffContext = 3

// diffWork bounds the comparison of two files; larger ones are shown as
// replaced altogether.
const diffWork = 4_000_000

// unified writes the difference of two contents as a unified diff. before is
// nil for a file that is not there.
func unified(w io.Writer, name string, before, after []byte) {
	from := "a/" + name
	if before == nil {
		from = "/dev/null"
	}
	fmt.Fprintf(w, "--- %s\n+++ b/%s\n", from, name)
	if binary(before) || binary(after) {
		fmt.Fprintf(w, "binary file, %d bytes before and %d after\n", len(before), len(after))
		return
	}
	a, b := lines(before), lines(after)
	for _, h := range hunks(edits(a, b)) {
		h.write(w, a, b)
	}
}

func binary(data []byte) bool { return bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) }

func lines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	all := strings.SplitAfter(string(data), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// edit is one line of a diff: kept (' '), removed ('-') or added ('+'). i and j
// are its places in the two contents.
type edit struct {
	op   byte
	i, j int
}

func equalStart(a, b []string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonLengths are those of the longest common subsequences behind each pair of places.
func commonLengths(a, b []string) [][]int {
	common := make([][]int, len(a)+1)
	common[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		common[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}

// edits finds a shortest way from a to b, by the lengths of longest common
// subsequences between what equal beginnings and ends leave over.
func edits(a, b []string) []edit {
	same := func(i, j int) bool { return a[i] == b[j] }
	start := equalStart(a, b)
	end := 0
	for end < len(a)-start && end < len(b)-start && same(len(a)-1-end, len(b)-1-end) {
		end++
	}
	var out []edit
	for k := range start {
		out = append(out, edit{' ', k, k})
	}
	n, m := len(a)-start-end, len(b)-start-end
	i, j := 0, 0
	if n*m <= diffWork {
		common := commonLengths(a[start:start+n], b[start:start+m])
		for i < n && j < m {
			switch {
			case same(start+i, start+j):
				out = append(out, edit{' ', start + i, start + j})
				i, j = i+1, j+1
			case common[i+1][j] >= common[i][j+1]:
				out = append(out, edit{'-', start + i, start + j})
				i++
			default:
				out = append(out, edit{'+', start + i, start + j})
				j++
			}
		}
	}
	for ; i < n; i++ {
		out = append(out, edit{'-', start + i, start + j})
	}
	for ; j < m; j++ {
		out = append(out, edit{'+', start + i, start + j})
	}
	for k := range end {
		out = append(out, edit{' ', len(a) - end + k, len(b) - end + k})
	}
	return out
}

// hunk is a run of edits with the equal lines around them.
type hunk []edit

func hunks(all []edit) []hunk {
	var out []hunk
	last := -1 // index behind the hunk under way
	for i, e := range all {
		if e.op == ' ' {
			continue
		}
		from, to := max(0, i-diffContext), min(len(all), i+diffContext+1)
		if len(out) > 0 && from <= last {
			out[len(out)-1] = append(out[len(out)-1], all[last:max(last, to)]...)
			last = max(last, to)
			continue
		}
		out = append(out, append(hunk{}, all[from:to]...))
		last = to
	}
	return out
}

func (h hunk) write(w io.Writer, a, b []string) {
	var removed, added int
	for _, e := range h {
		if e.op != '+' {
			removed++
		}
		if e.op != '-' {
			added++
		}
	}
	fmt.Fprintf(w, "@@ -%s +%s @@\n", span(h[0].i, removed), span(h[0].j, added))
	for _, e := range h {
		line := ""
		if e.op == '+' {
			line = b[e.j]
		} else {
			line = a[e.i]
		}
		fmt.Fprintf(w, "%c%s", e.op, line)
		if !strings.HasSuffix(line, "\n") {
			fmt.Fprint(w, "\n\\ No newline at end of file\n")
		}
	}
}

// span writes where a hunk is, counting from 1.
func span(start, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprintf("%d", start+1)
	}
	return fmt.Sprintf("%d,%d", start+1, n)
}
