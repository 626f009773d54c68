package migration_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/migration"
)

// A script of any shape takes time in proportion to its length: a megabyte is
// far below a second, and would take minutes if anything looked back.
func TestSplitIsLinear(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"statements": "SELECT 1;\n", "words": "abc ", "brackets": "(", "dollars": "$", "names": "$a", "blanks": "      ", "slashes": "/ ",
		"lines of slashes": "x\n/\n", "quotes": "''", "minus": "- ", "begin": "BEGIN ", "stars": "* / ", "settings": "SET A\n", "quoted": `"a"`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, dialect := range []dict.Dialect{dict.PostgreSQL, dict.Oracle} {
				started := time.Now()
				_, err := migration.Split(strings.Repeat(unit, 1<<20/len(unit)), dialect)
				require.NoError(t, err)
				assert.Less(t, time.Since(started), 20*time.Second)
			}
		})
	}
}
