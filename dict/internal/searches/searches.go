// Package searches writes conditions that find many records by texts, in few requests.
package searches

import (
	"net/url"

	"github.com/erphub/erphub/erp"
)

// Bounds of one condition.
const (
	maxFilter = 4_500 // bytes of a condition, which travels in an address
	maxValues = 50    // texts in one condition
)

// AnyOf is true if a column is one of the texts; left are those that the filter
// language cannot write.
func AnyOf(column string, names []string) (f erp.Filter, left []string) {
	var listed []string
	var filters []erp.Filter
	for _, name := range names {
		if one := erp.In(erp.Column(column), name); !broken(one) {
			listed = append(listed, name)
		} else if one := erp.Eq(erp.Column(column), name); !broken(one) {
			filters = append(filters, one)
		} else {
			left = append(left, name)
		}
	}
	if len(listed) > 0 {
		filters = append(filters, erp.In(erp.Column(column), listed...))
	}
	return erp.Or(filters...), left
}

func broken(f erp.Filter) bool {
	_, err := f.Render()
	return err != nil
}

// Chunks splits texts so that a condition fits into an address that has each of
// them as often as there are columns.
func Chunks(names []string, columns int) [][]string {
	var out [][]string
	size := 0
	for _, name := range names {
		length := len(url.QueryEscape(name)) + 9 // quotes and a comma
		if n := len(out); n == 0 || len(out[n-1]) == maxValues || size+length > maxFilter/columns {
			out, size = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], name)
		size += length
	}
	return out
}
