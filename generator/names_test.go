package generator

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A name that would hide another class is refused with where that class is from.
func TestNamesOfClassesInUse(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"String":     "is the name of a class of java.lang, which it would hide",
		"Record":     "is the name of a class of java.lang, which it would hide",
		"GridTab":    "is the name of a class that generated code uses, which it would hide",
		"Event":      "is the name of a class that generated code uses, which it would hide",
		"MTable":     "is the name of a class that generated code uses, which it would hide",
		"Path":       "is the name of a class that generated code uses, which it would hide",
		"BigDecimal": "is the name of a class that generated code uses, which it would hide",
		"Gridtab":    "",
		"Tables":     "",
	} {
		assert.Equal(t, want, checkClass(name), name)
	}
}
