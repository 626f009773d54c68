package aiquery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// attack is a statement that wants what [aitest.Reader] may not see. A bare one
// may be refused or run, as long as the result is that of the reduced
// database and everything is free of marks.
type attack struct {
	name, sql string
	params    []string
	// must is refused for statements that may not run at all, same for
	// ones that must be, as on the reduced database.
	must outcome
}

type outcome int

const (
	either outcome = iota
	refused
	same
)

// attacks are all of them, by category.
func attacks() map[string][]attack {
	return map[string][]attack{
		"tables": tableAttacks, "columns": columnAttacks, "calls without a call": notationAttacks, "functions": functionAttacks,
		"scopes": scopeAttacks, "joins": joinAttacks, "views": viewAttacks, "whole rows": rowAttacks, "oracles": oracleAttacks,
		"types and operators": typeAttacks, "statements": statementAttacks, "text": textAttacks, "parameters": parameterAttacks,
		"set operations": setAttacks, "size": sizeAttacks,
	}
}

// plainRows runs a statement in text format and returns its rows.
func plainRows(ctx context.Context, conn *pgx.Conn, sql string) ([][]string, error) {
	results, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(results) != 1 {
		return nil, errors.New("not one result")
	}
	return textRows(results[0]), nil
}

// textRows are the rows of a result in text format.
func textRows(result *pgconn.Result) [][]string {
	rows := [][]string{}
	for _, row := range result.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = "NULL"
			if c != nil {
				cells[i] = string(c)
				if kind := result.FieldDescriptions[i].DataTypeOID; kind == pgtype.JSONOID || kind == pgtype.JSONBOID {
					cells[i] = compact(cells[i])
				}
			}
		}
		rows = append(rows, cells)
	}
	return rows
}

// connection is one to a database, with the ERP's tables in sight.
func connection(t testing.TB, address, settings string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	_, err = conn.PgConn().Exec(t.Context(), "SET search_path = adempiere, pg_catalog; SET IntervalStyle = 'iso_8601'; SET TimeZone = 'UTC';"+settings).ReadAll()
	require.NoError(t, err)
	return conn
}

// resultRows are the rows of a result as PostgreSQL writes them.
func resultRows(r *api.Result) [][]string {
	rows := [][]string{}
	for _, row := range r.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = serverText(c, r.Columns[i].Type)
		}
		rows = append(rows, cells)
	}
	return rows
}

// serverText is a value of a result as PostgreSQL writes it, but for the
// blanks and the order of keys in JSON; see [plainRows].
func serverText(v any, kind string) string {
	switch {
	case v == nil:
		return "NULL"
	case kind == "json" || kind == "jsonb":
		text, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		return compact(string(text))
	case kind == "timestamp" || kind == "timestamptz":
		text := strings.Replace(plain(v), "T", " ", 1)
		return strings.Replace(text, "Z", "+00", 1)
	}
	switch v := v.(type) {
	case string:
		return v
	case []any:
		cells := make([]string, len(v))
		for i, c := range v {
			cells[i] = serverText(c, strings.TrimSuffix(strings.TrimPrefix(kind, "_"), "[]"))
			if s, ok := c.(string); ok && (s == "" || strings.EqualFold(s, "null") || strings.ContainsAny(cells[i], " ,{}\"\\")) {
				cells[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(cells[i]) + `"`
			}
		}
		return "{" + strings.Join(cells, ",") + "}"
	}
	return plain(v)
}

// compact is a JSON text with sorted keys and no blanks, or any other text as
// it is.
func compact(text string) string {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return text
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return text
	}
	again, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return string(again)
}

func sorted(rows [][]string) []string {
	list := make([]string, len(rows))
	for i, row := range rows {
		list[i] = strings.Join(row, "\x1f")
	}
	slices.Sort(list)
	return list
}

// TestAttacks runs every attack on both databases and looks for marks in all
// that comes back and all that is kept.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	total := 0
	names := map[string]bool{}
	for category, list := range attacks() {
		for _, a := range list {
			total++
			assert.False(t, names[category+"/"+a.name], "%s/%s twice", category, a.name)
			names[category+"/"+a.name] = true
		}
	}
	require.GreaterOrEqual(t, total, 150)
	reduced := connection(t, aitest.Reduced(t), "")
	impatient := func(o *aiquery.Options) { o.StatementTimeout = 1500 * time.Millisecond }
	run := func(t *testing.T, w *world) {
		refusals, ran := 0, 0
		for category, list := range attacks() {
			for _, a := range list {
				ran++
				name := category + "/" + a.name
				q := query(a.sql, a.params...)
				q.MaxRows = 1000
				r, err := w.Query(t.Context(), user, q)
				var shownError *api.Error
				switch {
				case err == nil:
					assert.NotEqual(t, refused, a.must, "%s was run: %v", name, r)
					assert.Empty(t, aitest.Leaks(shown(t, r)), name)
				case !errors.As(err, &shownError):
					t.Errorf("%s: %v", name, err)
					continue
				default:
					refusals++
					assert.Empty(t, aitest.Leaks(shown(t, shownError)+err.Error()), name)
					assert.NotEqual(t, api.CodeInternal, shownError.Code, "%s: %v\n%s", name, err, w.log)
					// The embedded database refuses more.
					assert.False(t, a.must == same && w.srv == nil, "%s: %v (%s)", name, err, shownError.Hint)
				}
				x, explainError := w.Explain(t.Context(), user, q)
				assert.Empty(t, aitest.Leaks(shown(t, x)+fmt.Sprint(explainError)), name)
				if err == nil && len(a.params) == 0 && w.srv == nil {
					want, err := plainRows(t.Context(), reduced, a.sql)
					if assert.NoError(t, err, "%s runs, but not on the reduced database", name) {
						assert.Equal(t, sorted(equalNumbers(want)), sorted(equalNumbers(resultRows(r))), name)
					}
				}
			}
		}
		assert.Greater(t, refusals, ran/3)
		assert.Empty(t, aitest.Leaks(w.log.String()), "the service's log")
		for _, record := range w.audit(t) {
			for column, value := range record {
				if column != "aig_querysql" && column != "aig_securedsql" { // the caller's own words
					assert.Empty(t, aitest.Leaks(value), "%s: %s", column, record["aig_querysql"])
				}
			}
		}
		assert.Len(t, w.audit(t), 2*ran)
	}
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		run(t, onPostgres(t, impatient))
	})
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		if testing.Short() {
			t.Skip("the same code runs for each statement")
		}
		run(t, onEmbedded(t, impatient))
	})
}

// TestAttacksWorkWithoutTheGuard runs them as they are: attacks that would not
// work anyway prove nothing.
func TestAttacksWorkWithoutTheGuard(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	conn := connection(t, aitest.Postgres(t), "SET statement_timeout = '300ms'; SET default_transaction_read_only = on;")
	leaked := map[string]int{}
	total := 0
	for category, list := range attacks() {
		for _, a := range list {
			first := strings.ToUpper(strings.SplitN(strings.Trim(a.sql, "( "), " ", 2)[0])
			if category == "size" || len(a.params) > 0 || !slices.Contains([]string{"SELECT", "WITH", "TABLE", "VALUES"}, first) ||
				strings.Contains(a.sql, "set_config") || strings.Contains(a.sql, ";") {
				continue
			}
			rows, err := plainRows(t.Context(), conn, a.sql)
			if len(aitest.Leaks(fmt.Sprint(rows, err))) > 0 {
				leaked[category]++
				total++
			}
		}
	}
	t.Logf("%d leak: %v", total, leaked)
	assert.Greater(t, total, 90)
	for _, category := range []string{"tables", "columns", "calls without a call", "functions", "scopes", "joins", "views", "whole rows", "oracles", "set operations"} {
		assert.Greater(t, leaked[category], 2, category)
	}
}
