package migration_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/migration"
)

// tagScript is a small script, with what a database needs for it.
func tagScript(t testing.TB, db *sql.DB) *migration.Script {
	t.Helper()
	plan := planOf(t, dict.NewTable("XX_Tag").With(dict.Standard, dict.ValueName))
	provide(t, db, plan)
	return build(t, plan, dict.PostgreSQL)
}

// footprint is what a script leaves in a database, its account apart.
func footprint(t testing.TB, db *sql.DB) []string {
	t.Helper()
	list := all(t, db, "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'adempiere' ORDER BY 1")
	for _, table := range []string{"ad_table", "ad_column", "ad_element", "ad_sequence"} {
		list = append(list, table+" "+one(t, db, "SELECT count(*) FROM adempiere."+table))
	}
	return append(list, one(t, db, "SELECT lastmigrationscriptapplied FROM adempiere.ad_system"))
}

func status(t testing.TB, db *sql.DB) string {
	t.Helper()
	return strings.Join(all(t, db, "SELECT status FROM adempiere.ad_migrationscript"), ",")
}

func TestFailureIsKept(t *testing.T) {
	t.Parallel()
	db, _ := erpDatabase(t)
	script := tagScript(t, db)
	// Somebody made a table of the name by hand.
	run(t, db, "CREATE TABLE adempiere.xx_tag (x int)")
	before := footprint(t, db)
	_, err := migration.Apply(t.Context(), db, script, nil)
	var failed *migration.StatementError
	require.ErrorAs(t, err, &failed)
	assert.True(t, strings.HasPrefix(failed.Statement, "CREATE TABLE XX_Tag"))
	assert.False(t, failed.Kept)
	lines := strings.Split(script.Text(), "\n")
	assert.True(t, strings.HasPrefix(lines[failed.Line-1], "CREATE TABLE XX_Tag"), "the line is the script's")
	assert.Equal(t, before, footprint(t, db))
	assert.Equal(t, "ER", status(t, db))
	assert.Contains(t, one(t, db, "SELECT description FROM adempiere.ad_migrationscript"), `relation "xx_tag" already exists`)
	assert.Equal(t, script.Text(), one(t, db, "SELECT convert_from(script, 'UTF8') FROM adempiere.ad_migrationscript"), "the script is kept beside the error")

	run(t, db, "DROP TABLE adempiere.xx_tag")
	result, err := migration.Apply(t.Context(), db, script, nil)
	require.NoError(t, err)
	assert.True(t, result.Retried)
	assert.Equal(t, "CO", status(t, db), "one row, and it is completed")
	assert.Equal(t, "NULL", one(t, db, "SELECT description FROM adempiere.ad_migrationscript"))
}

// The connection is cut after each statement in turn: nothing is left, the
// error is kept, and the next attempt goes through.
func TestConnectionCut(t *testing.T) {
	t.Parallel()
	db, _ := erpDatabase(t)
	script := tagScript(t, db)
	before := footprint(t, db)
	total := len(script.Statements) + 1
	const open = `FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'`
	for at := 1; at <= total; at += 7 {
		require.Eventually(t, func() bool { return len(all(t, db, "SELECT pid "+open)) == 0 }, 10*time.Second, time.Millisecond,
			"the connection that was cut before has not ended")
		cut := 0
		_, err := migration.Apply(t.Context(), db, script, &migration.ApplyOptions{Observe: func(number, _ int, _ string) {
			if number == at {
				cut += len(all(t, db, "SELECT pg_terminate_backend(pid) "+open))
			}
		}})
		require.Error(t, err)
		require.Equal(t, 1, cut, "one connection was cut")
		assert.Equal(t, before, footprint(t, db), "after statement %d", at)
		assert.Equal(t, "ER", status(t, db))
		assert.NotContains(t, one(t, db, "SELECT description FROM adempiere.ad_migrationscript"), "password")
	}
	_, err := migration.Apply(t.Context(), db, script, nil)
	require.NoError(t, err)
	assert.Equal(t, "CO", status(t, db))
}

func TestContextEnds(t *testing.T) {
	t.Parallel()
	db, _ := erpDatabase(t)
	script := tagScript(t, db)
	before := footprint(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := migration.Apply(ctx, db, script, &migration.ApplyOptions{Observe: func(number, _ int, _ string) {
		if number == 5 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, before, footprint(t, db))
	assert.Equal(t, "ER", status(t, db))
}

// Several apply the same script at once: one does, the others are told.
func TestOnlyOneApplies(t *testing.T) {
	t.Parallel()
	db, _ := erpDatabase(t)
	script := tagScript(t, db)
	var wg sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		wg.Go(func() { _, errs[i] = migration.Apply(t.Context(), db, script, nil) })
	}
	wg.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
			continue
		}
		assert.True(t, errors.Is(err, migration.ErrRunning) || errors.Is(err, migration.ErrApplied), "%v", err)
	}
	assert.Equal(t, 1, done)
	assert.Equal(t, "CO", status(t, db))
	assert.Len(t, all(t, db, "SELECT 1 FROM adempiere.ad_table WHERE tablename = 'XX_Tag'"), 1)
}

// killedScript is what the process that is killed applies, up to the statement
// in the environment.
const killedAt = "ERPHUB_TEST_KILLED_AT"

// TestKilledProcess kills a process of its own with SIGKILL while it applies a
// script.
func TestKilledProcess(t *testing.T) {
	if at := os.Getenv(killedAt); at != "" {
		applyUntilKilled(t, at)
		return
	}
	t.Parallel()
	db, url := erpDatabase(t)
	script := tagScript(t, db)
	before := footprint(t, db)
	for _, at := range []int{1, 20, len(script.Statements) + 1} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
		cmd.Env = append(os.Environ(), killedAt+"="+strconv.Itoa(at), "ERPHUB_TEST_URL="+url)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		reached := false
		for lines := bufio.NewScanner(out); !reached && lines.Scan(); {
			reached = lines.Text() == "here"
		}
		require.True(t, reached)
		assert.Equal(t, "IP", status(t, db), "it is seen to be running")
		_, err = migration.Apply(t.Context(), db, script, nil)
		require.ErrorIs(t, err, migration.ErrRunning)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		// The server notices that the process is gone; until then it holds the
		// row, which waiting for a lock on it shows.
		run(t, db, "SELECT 1 FROM adempiere.ad_migrationscript FOR UPDATE")
		assert.Equal(t, before, footprint(t, db))
		assert.Equal(t, "IP", status(t, db))
	}
	result, err := migration.Apply(t.Context(), db, script, nil)
	require.NoError(t, err)
	assert.True(t, result.Retried)
	assert.Equal(t, "CO", status(t, db))
}

// applyUntilKilled applies the script and stays at a statement for ever.
func applyUntilKilled(t *testing.T, at string) {
	db, err := sql.Open("pgx", os.Getenv("ERPHUB_TEST_URL"))
	require.NoError(t, err)
	plan := planOf(t, dict.NewTable("XX_Tag").With(dict.Standard, dict.ValueName))
	_, err = migration.Apply(t.Context(), db, build(t, plan, dict.PostgreSQL), &migration.ApplyOptions{Observe: func(number, _ int, _ string) {
		if strconv.Itoa(number) == at {
			os.Stdout.WriteString("here\n")
			select {}
		}
	}})
	t.Fatalf("it was not killed: %v", err)
}

func TestRefusedScripts(t *testing.T) {
	t.Parallel()
	db, _ := erpDatabase(t)
	apply := func(name, text string) error {
		_, err := migration.ApplySource(t.Context(), db, migration.Source{Name: name, Dialect: dict.PostgreSQL, Text: text}, nil)
		return err
	}
	for name, tt := range map[string]struct{ name, text, want string }{
		"commit":      {"a.sql", "SELECT 1;\ncommit;", "one transaction"},
		"begin":       {"a.sql", "BEGIN; SELECT 1; END;", "one transaction"},
		"start":       {"a.sql", "START  TRANSACTION;", "one transaction"},
		"not closed":  {"a.sql", "SELECT 'a;", "not closed"},
		"empty":       {"a.sql", "-- nothing\n", "no statement"},
		"folder":      {"../a.sql", "SELECT 1;", "not a name"},
		"long name":   {strings.Repeat("a", 61), "SELECT 1;", "not a name"},
		"no name":     {"", "SELECT 1;", "not a name"},
		"psql":        {"a.sql", "\\copy x from y", "psql"},
		"wrong names": {"a\nb.sql", "SELECT 1;", "not a name"},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, apply(tt.name, tt.text), tt.want) })
	}
	assert.Empty(t, status(t, db), "nothing was written")
	_, err := migration.ApplySource(t.Context(), db, migration.Source{Name: "a.sql", Dialect: "mysql", Text: "SELECT 1;"}, nil)
	require.ErrorContains(t, err, "dialect")
}

func TestMissingThings(t *testing.T) {
	t.Parallel()
	db, _ := erpDatabase(t)
	plan := planOf(t, dict.NewTable("XX_Need").With(dict.Standard).Column(dict.Column{Name: "XX_Value", Type: dict.TypeAmount, ValRule: "No'Such $$ Rule"}))
	provide(t, db, plan)
	before := footprint(t, db)
	_, err := migration.Apply(t.Context(), db, build(t, plan, dict.PostgreSQL), nil)
	require.ErrorContains(t, err, "this script needs AD_Val_Rule No'Such $$ Rule, which this database does not have")
	assert.Equal(t, before, footprint(t, db))

	run(t, db, "DROP FUNCTION adempiere.register_migration_script")
	_, err = migration.Apply(t.Context(), db, build(t, plan, dict.PostgreSQL), nil)
	require.ErrorIs(t, err, migration.ErrNotReady)
	_, err = migration.Apply(t.Context(), db, build(t, plan, dict.PostgreSQL), &migration.ApplyOptions{Schema: `no"such`})
	require.ErrorIs(t, err, migration.ErrNotReady)
}
