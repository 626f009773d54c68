package query

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/cmd/internal/output"
)

// CSV loses nothing: no digit, no line break, no row.
func TestResultAsCSV(t *testing.T) {
	t.Parallel()
	columns := func(names ...string) (all []api.Column) {
		for _, n := range names {
			all = append(all, api.Column{Name: n})
		}
		return all
	}
	for _, tt := range []struct {
		name string
		r    api.Result
		want string
	}{
		{"kinds", api.Result{Columns: columns("n", "t", "b", "j"), Rows: [][]any{{json.Number("12345678901234567890.10"), "x", true, []any{json.Number("1"), nil}}}},
			"n,t,b,j\n12345678901234567890.10,x,true,\"[1,null]\"\n"},
		{"quotes", api.Result{Columns: columns(`a"b`, "c,d"), Rows: [][]any{{`"`, " x "}}}, "\"a\"\"b\",\"c,d\"\n\"\"\"\",\" x \"\n"},
		{"breaks", api.Result{Columns: columns("a", "b"), Rows: [][]any{{"1\n2", "1\r\n2\r"}}}, "a,b\n\"1\n2\",\"1\r\n2\r\"\n"},
		{"nothing and empty", api.Result{Columns: columns("a", "b", "c"), Rows: [][]any{{nil, "", nil}}}, "a,b,c\n,\"\",\n"},
		{"nothing alone", api.Result{Columns: columns("a"), Rows: [][]any{{nil}, {""}}}, "a\n\"\"\n\"\"\n"},
		{"formulas", api.Result{Columns: columns("a", "b"), Rows: [][]any{{"=1+1", "-5"}}}, "a,b\n=1+1,-5\n"},
		{"no rows", api.Result{Columns: columns("a")}, "a\n"},
	} {
		var b bytes.Buffer
		_, err := (&output.Choice{Format: output.FormatCSV}).Write(t.Context(), &b, output.Screen{}, nil, resultTable(&tt.r))
		require.NoError(t, err, tt.name)
		assert.Equal(t, tt.want, b.String(), tt.name)
		rows, err := csv.NewReader(&b).ReadAll()
		require.NoError(t, err, tt.name)
		assert.Len(t, rows, 1+len(tt.r.Rows), tt.name)
	}
}

// The place of an error is shown under the line it is in.
func TestPointed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	for _, tt := range []struct {
		name, sql string
		position  int
		want      string // behind the error; "" for nothing
	}{
		{"first", "SELEC 1", 1, "\n  SELEC 1\n  ^"},
		{"later", "SELECT nme", 8, "\n  SELECT nme\n         ^"},
		{"another line", "SELECT a,\n\tb\nFROM c", 12, "\n   b\n   ^"},
		{"wide letters", "SELECT 'Ä' x y", 14, "\n  SELECT 'Ä' x y\n               ^"},
		{"the end", "SELECT", 7, "\n  SELECT\n        ^"},
		{"behind the end", "SELECT", 700, "\n  SELECT\n        ^"},
		{"within something long", long + "y" + long, 201, "\n  " + long[:60] + "y" + long[:59] + "\n  " + strings.Repeat(" ", 60) + "^"},
		{"nowhere", "SELECT", 0, ""},
		{"no statement", "", 5, "\n  \n  ^"},
	} {
		refused := &api.Error{Message: "no", Position: tt.position}
		got := pointed(refused, tt.sql)
		require.ErrorIs(t, got, error(refused), tt.name)
		assert.Equal(t, tt.want, strings.TrimPrefix(got.Error(), refused.Error()), tt.name)
	}
	other := errors.New("other")
	assert.Equal(t, other, pointed(other, "SELECT"))
}
