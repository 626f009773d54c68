package adid

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOfficial(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		id   int
		want bool
	}{
		"negative":         {-1, false},
		"none":             {0, false},
		"first":            {1, true},
		"last":             {999_999, true},
		"own installation": {1_000_000, false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, Official(c.id))
			assert.Equal(t, c.want, Official(int64(c.id)))
		})
	}
}

func TestIdentifier(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, bad string }{
		"a table":            {"C_Order", ""},
		"digits":             {"C_BPartner2", ""},
		"one letter":         {"a", ""},
		"empty":              {"", "is empty"},
		"digit first":        {"2C", "starts with '2' instead of a letter A to Z"},
		"underscore first":   {"_C", "starts with '_' instead of a letter A to Z"},
		"blank":              {"C Order", "contains ' '; only A to Z, digits and underscore are possible"},
		"quote":              {`C"`, `contains '"'; only A to Z, digits and underscore are possible`},
		"other alphabet":     {"Größe", "contains 'ö'; only A to Z, digits and underscore are possible"},
		"letters look alike": {"С_Order", "starts with 'С' instead of a letter A to Z"},
		"line break at end":  {"C_Order\n", "contains '\\n'; only A to Z, digits and underscore are possible"},
		"not UTF-8":          {"C\xff", "is not valid UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.bad, BadIdentifier(c.in))
			assert.Equal(t, c.bad == "", IsIdentifier(c.in))
		})
	}
}
