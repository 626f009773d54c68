package sqlite_test

import (
	"bufio"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/erphub/erphub/aiquery/embedded/internal/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cases reads statements that end in a semicolon at the end of a line; lines
// that begin with -- are headings.
func cases(t testing.TB, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	var out []string
	var b strings.Builder
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		line := sc.Text()
		if strings.HasPrefix(line, "--") || strings.TrimSpace(line) == "" {
			continue
		}
		if rest, ok := strings.CutSuffix(line, ";"); ok {
			b.WriteString(rest)
			out = append(out, b.String())
			b.Reset()
			continue
		}
		b.WriteString(line + "\n")
	}
	require.NoError(t, sc.Err())
	return out
}

// TestSameResults runs each statement on both databases.
func TestSameResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, statement := range cases(t, "testdata/same.sql") {
		t.Run(statement, func(t *testing.T) {
			want := w.postgres(t.Context(), statement)
			require.NoError(t, want.err, "on PostgreSQL")
			got, rendered := w.embedded(t.Context(), statement)
			require.NoError(t, got.err, rendered)
			assert.Equal(t, want.columns, got.columns)
			assert.Equal(t, want.types, got.types, rendered)
			if !strings.Contains(strings.ToLower(statement), "order by") {
				slices.Sort(want.rows)
				slices.Sort(got.rows)
			}
			assert.Equal(t, want.rows, got.rows, rendered)
		})
	}
}

// TestSameErrors runs statements that fail in PostgreSQL: here they are
// refused, or fail with the same code.
func TestSameErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, statement := range cases(t, "testdata/errors.sql") {
		t.Run(statement, func(t *testing.T) {
			want := w.postgres(t.Context(), statement)
			require.Error(t, want.err, "on PostgreSQL")
			got, rendered := w.embedded(t.Context(), statement)
			require.Error(t, got.err, rendered)
			var refused *sqlite.Unsupported
			if !errors.As(got.err, &refused) {
				assert.Equal(t, want.code, got.code, "%v\n%v\n%s", want.err, got.err, rendered)
			}
		})
	}
}

// TestRefused has statements that PostgreSQL runs and that cannot be
// written for SQLite: the error names the construct and its position.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, statement := range cases(t, "testdata/refused.sql") {
		t.Run(statement, func(t *testing.T) {
			require.NoError(t, w.postgres(t.Context(), statement).err, "on PostgreSQL")
			got, rendered := w.embedded(t.Context(), statement)
			require.Error(t, got.err, rendered)
			var refused *sqlite.Unsupported
			if errors.As(got.err, &refused) {
				assert.NotEmpty(t, refused.Construct)
				assert.Less(t, refused.Position, len(statement))
			} else {
				assert.NotEmpty(t, got.code, "%v\n%s", got.err, rendered)
			}
		})
	}
}
