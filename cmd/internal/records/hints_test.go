package records

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The words of the server that name a column it does not know.
func TestNoColumn(t *testing.T) {
	t.Parallel()
	for detail, want := range map[string]string{
		"Nmae is not a valid column of table C_BPartner": "Nmae",
		"Invalid column for filter: Nmae":                "Nmae",
		"Column Nmae does not exist":                     "Nmae",
		"Invalid date":                                   "",
		"Foreign ID 999 not found in C_BPartner_ID":      "",
	} {
		got := ""
		if m := noColumn().FindStringSubmatch(detail); m != nil {
			got = m[1] + m[2]
		}
		assert.Equal(t, want, got, detail)
	}
}
