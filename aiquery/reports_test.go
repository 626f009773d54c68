package aiquery_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// report is an ordinary query, which must run.
type report struct {
	name, sql string
	params    []string // as JSON
}

// corpus reads the reports of testdata.
func corpus(t testing.TB) []report {
	t.Helper()
	text, err := os.ReadFile("testdata/reports.sql")
	require.NoError(t, err)
	var all []report
	for part := range strings.SplitSeq(string(text), "\n-- name: ") {
		name, body, _ := strings.Cut(part, "\n")
		r := report{name: name}
		if rest, ok := strings.CutPrefix(body, "-- params: "); ok {
			var line string
			line, body, _ = strings.Cut(rest, "\n")
			for d := json.NewDecoder(strings.NewReader(line)); d.More(); {
				var v json.RawMessage
				require.NoError(t, d.Decode(&v), name)
				r.params = append(r.params, string(v))
			}
		}
		r.sql = strings.TrimSuffix(strings.TrimSpace(body), ";")
		if !strings.HasPrefix(part, "-- ") { // the file's heading
			all = append(all, r)
		}
	}
	return all
}

// refusedByEmbedded are the reports that are not translated for the embedded
// database, with what it says.
var refusedByEmbedded = map[string]string{
	"change from the month before":      "the window function lag",
	"three months moving average":       "a frame of a window",
	"quartiles of orders":               "the window function ntile",
	"pivot of sales by status":          "the function date_part",
	"numbers in an array":               "the aggregate array_agg",
	"median and mode":                   "the aggregate percentile_cont",
	"discrete percentiles":              "the aggregate percentile_disc",
	"deviation":                         "the aggregate stddev",
	"stock value at list price":         "LATERAL",
	"partners by group":                 "the aggregate bool_or",
	"every month of the year":           "a function in FROM",
	"dates written out":                 "the function to_char(numeric, text)",
	"months between":                    "the function age",
	"calendar by recursion":             "this format of to_char",
	"best order of each customer":       "LATERAL",
	"first and last values":             "WINDOW",
	"distance to the next order":        "the window function lead",
	"percent rank":                      "the window function percent_rank",
	"search by name":                    "the operator ~*",
	"parts of texts":                    "the function split_part",
	"a row as JSON":                     "the function json_build_object",
	"lines as JSON":                     "the function json_build_object",
	"array joined":                      "a function in FROM",
	"natural join":                      "NATURAL JOIN",
	"with ties":                         "WITH TIES",
	"correlation of quantity and price": "the aggregate corr(float8, float8)",
}

// direct runs a report as it is.
func direct(t testing.TB, conn *pgx.Conn, r report) ([][]string, error) {
	t.Helper()
	args := make([][]byte, len(r.params))
	for i, p := range r.params {
		var v any
		require.NoError(t, json.Unmarshal([]byte(p), &v))
		switch v := v.(type) {
		case nil:
		case string:
			args[i] = []byte(v)
		case []any:
			args[i] = []byte("{" + strings.Trim(p, "[]") + "}")
		default:
			args[i] = []byte(p)
		}
	}
	result := conn.PgConn().ExecParams(t.Context(), r.sql, args, nil, nil, nil).Read()
	if result.Err != nil {
		return nil, result.Err
	}
	return textRows(result), nil
}

// TestReports: every report runs, with the result of the reduced database.
func TestReports(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	all := corpus(t)
	require.GreaterOrEqual(t, len(all), 100)
	reduced := connection(t, aitest.Reduced(t), "")
	want := map[string][][]string{}
	full := 0
	for _, r := range all {
		rows, err := direct(t, reduced, r)
		require.NoError(t, err, r.name)
		require.NotContains(t, want, r.name, "twice")
		want[r.name] = rows
		if len(rows) > 0 {
			full++
		}
	}
	assert.Greater(t, full, len(all)*9/10, "reports without rows show little")
	both(t, func(t *testing.T, w *world) {
		for i, r := range all {
			if w.srv != nil && testing.Short() && i%4 != 0 {
				continue
			}
			q := query(r.sql, r.params...)
			q.MaxRows = 1000
			got, err := w.Query(t.Context(), user, q)
			if reason, ok := refusedByEmbedded[r.name]; ok && w.srv != nil {
				var e *api.Error
				if assert.ErrorAs(t, err, &e, "%s runs now: take it off the list", r.name) {
					assert.Equal(t, api.CodeUnsupported, e.Code, r.name)
					assert.Contains(t, e.Message, reason, r.name)
				}
				continue
			}
			if !assert.NoError(t, err, "%s\n%s", r.name, hintOf(err)) {
				continue
			}
			if strings.Contains(r.sql, "ORDER BY") {
				assert.Equal(t, equalNumbers(want[r.name]), equalNumbers(resultRows(got)), r.name)
			} else {
				assert.Equal(t, sorted(equalNumbers(want[r.name])), sorted(equalNumbers(resultRows(got))), r.name)
			}
			assert.Empty(t, aitest.Leaks(shown(t, got)), r.name)
		}
	})
}

func hintOf(err error) string {
	var e *api.Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
