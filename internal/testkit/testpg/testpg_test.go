package testpg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testpg"
)

func TestEachTestHasADatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := testpg.Open(t)
			_, err := db.ExecContext(t.Context(), `CREATE TABLE only_here (x int)`) // would be there twice otherwise
			require.NoError(t, err)
			var user string
			require.NoError(t, db.QueryRowContext(t.Context(), `SELECT current_user`).Scan(&user))
			require.Equal(t, "test", user)
		})
	}
}
