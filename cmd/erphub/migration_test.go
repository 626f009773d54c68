package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/migration"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testpg"
)

// erpDatabase is a PostgreSQL database with the dictionary's tables and the
// functions that scripts call, and what tables of the Standard template need.
func erpDatabase(t *testing.T) (*sql.DB, string) {
	t.Helper()
	url := testpg.URL(t)
	url += "&options=-c%20search_path%3Dadempiere,public"
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	exec := func(statement string, args ...any) {
		_, err := db.ExecContext(t.Context(), statement, args...)
		require.NoError(t, err, statement)
	}
	exec("CREATE SCHEMA adempiere")
	for _, file := range []string{"dictionary.sql", "functions.sql"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "dict", "migration", "testdata", file))
		require.NoError(t, err)
		parts, err := migration.Split(string(text), dict.PostgreSQL)
		require.NoError(t, err)
		for _, p := range parts {
			exec(p.Text)
		}
	}
	for _, c := range dict.NewTable("XX_T").With(dict.Standard, dict.ValueName).AllColumns() {
		exec(`INSERT INTO ad_reference (ad_client_id, ad_org_id, createdby, updatedby, ad_reference_id, name, validationtype, showinactive, entitytype)
			VALUES (0, 0, 100, 100, $1::int, 'Reference ' || $1::int, 'D', 'N', 'D') ON CONFLICT DO NOTHING`, int(c.Type))
		if c.Reference != nil {
			exec(`INSERT INTO ad_reference (ad_client_id, ad_org_id, createdby, updatedby, ad_reference_id, name, validationtype, showinactive, entitytype)
				VALUES (0, 0, 100, 100, $1, $2, 'T', 'N', 'D') ON CONFLICT DO NOTHING`, c.Reference.ID, c.Reference.Name)
		}
		if c.ElementID != 0 {
			exec(`INSERT INTO ad_element (ad_client_id, ad_org_id, createdby, updatedby, ad_element_id, columnname, name, printname, entitytype)
				VALUES (0, 0, 100, 100, $1, $2, $2::varchar, $2::varchar, 'D') ON CONFLICT DO NOTHING`, c.ElementID, c.Name)
		}
	}
	return db, url
}

// erphub runs the program in a folder of its own.
func erphub(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(t.Context(), append([]string{"erphub"}, args...), append([]string{"HOME=" + t.TempDir(), "NO_COLOR=1"}, env...),
		shell.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	return code, out.String(), errs.String()
}

func TestApplyOffline(t *testing.T) {
	t.Parallel()
	db, url := erpDatabase(t)
	dir := t.TempDir()
	env := []string{"ERP_DATABASE_URL=" + url}
	add := func(args ...string) (int, string, string) {
		return erphub(t, env, append([]string{"add", "table", "XX_Bag", "--offline", "--with-name", "--apply", "--output", dir}, args...)...)
	}
	query := func(statement string) string {
		var value sql.NullString
		require.NoError(t, db.QueryRowContext(t.Context(), statement).Scan(&value))
		return value.String
	}

	// It fails: somebody has a table of the name. The error is kept, and what was
	// written is applied under its name when the way is free.
	_, err := db.ExecContext(t.Context(), "CREATE TABLE xx_bag (x int)")
	require.NoError(t, err)
	code, _, stderr := add("--stamp", "202608010900")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, `relation "xx_bag" already exists`)
	assert.Contains(t, stderr, "nothing of the script was kept")
	assert.Equal(t, "ER", query("SELECT status FROM ad_migrationscript"))
	_, err = db.ExecContext(t.Context(), "DROP TABLE xx_bag")
	require.NoError(t, err)
	code, stdout, stderr := add("--json")
	require.Equal(t, 0, code, stderr)
	var report struct {
		Name       string
		Existing   bool
		Applied    bool
		Statements int
		Files      []string
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	assert.Equal(t, "202608010900_XX_Bag.sql", report.Name)
	assert.True(t, report.Existing && report.Applied)
	assert.Greater(t, report.Statements, 20)
	assert.Len(t, report.Files, 2)
	assert.Equal(t, "CO", query("SELECT status FROM ad_migrationscript"))
	assert.Equal(t, "0", query("SELECT count(*) FROM xx_bag"))

	// Not twice, whenever it is asked for.
	code, _, stderr = add()
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "202608010900_XX_Bag.sql was applied on")

	// With the database, foreign keys and terms are known.
	code, stdout, stderr = erphub(t, env, "add", "table", "XX_Full", "--format", "sql", "--full", "--output", filepath.Join(dir, "ddl"))
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "01_table_XX_Full.sql")
}

func TestSyncWithDatabase(t *testing.T) {
	t.Parallel()
	db, url := erpDatabase(t)
	dir := t.TempDir()
	run := func(args ...string) (int, string, string) {
		return erphub(t, nil, append(args, "--database", url, "--output", dir)...)
	}
	code, _, stderr := run("add", "table", "XX_Jar", "--offline", "--with-name", "--apply")
	require.Equal(t, 0, code, stderr)
	code, stdout, stderr := run("sync", "table", "XX_Jar", "--format", "migration")
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "nothing to write")

	_, err := db.ExecContext(t.Context(), "ALTER TABLE xx_jar DROP COLUMN value, ALTER COLUMN name TYPE varchar(10)")
	require.NoError(t, err)
	code, stdout, _ = run("sync", "column", "XX_Jar.Name", "--format", "sql", "--dry-run")
	require.Equal(t, 0, code)
	assert.Contains(t, stdout, "values('xx_jar','Name','VARCHAR(60)',null,null);")
	assert.NotContains(t, stdout, "ADD COLUMN")
	code, stdout, stderr = run("sync", "table", "xx_jar", "--format", "migration", "--apply", "--stamp", "202608010905")
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "applied 202608010905_sync_XX_Jar.sql: 3 statements")
	oracle, err := os.ReadFile(filepath.Join(dir, "migration-local", "iD12", "oracle", "202608010905_sync_XX_Jar.sql"))
	require.NoError(t, err)
	assert.Contains(t, string(oracle), "ALTER TABLE XX_Jar MODIFY Name VARCHAR2(60 CHAR)\n")
	code, stdout, _ = run("sync", "table", "XX_Jar", "--format", "migration")
	require.Equal(t, 0, code)
	assert.Contains(t, stdout, "nothing to write")

	code, _, stderr = run("sync", "table", "XX_Jug", "--format", "sql")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, `no table "XX_Jug"`)
}

// A dictionary that is as the files say is not enough where the database has
// stayed behind.
func TestDriftOfTheDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("one command after another")
	}
	t.Parallel()
	db, url := erpDatabase(t)
	srv := erptest.New(t, erptest.Options{})
	dir := t.TempDir()
	file := filepath.Join(dir, "jar.yaml")
	run := func(args ...string) (int, string, string) {
		return erphub(t, []string{"ERP_URL=" + srv.URL(), "ERP_USERNAME=SuperUser", "ERP_PASSWORD=System"}, args...)
	}
	for _, args := range [][]string{
		{"add", "table", "XX_Jar", "--with-name", "--checkpoint", filepath.Join(dir, "run.json")},
		{"dict", "inspect", "XX_Jar", "--output", file},
	} {
		code, _, stderr := run(args...)
		require.Equal(t, 0, code, stderr)
	}

	code, stdout, stderr := run("dict", "diff", "-f", file, "--database", url)
	require.Equal(t, 5, code, stderr)
	assert.Contains(t, stdout, "The dictionary is as the definitions say.")
	assert.Contains(t, stdout, "`erphub sync table XX_Jar` would do:\n  CREATE TABLE XX_Jar (")

	// What it says helps.
	drift := func() []string {
		code, stdout, stderr := run("dict", "diff", "-f", file, "--database", url, "--json")
		var report struct {
			Database []struct{ Statements []string }
		}
		require.NoError(t, json.Unmarshal([]byte(stdout), &report), stderr)
		if len(report.Database) == 0 {
			require.Equal(t, 0, code, stderr)
			return nil
		}
		require.Equal(t, 5, code, stderr)
		return report.Database[0].Statements
	}
	for _, statement := range drift() {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	assert.Empty(t, drift())
	_, err := db.ExecContext(t.Context(), "ALTER TABLE xx_jar ALTER COLUMN name DROP NOT NULL")
	require.NoError(t, err)
	assert.Equal(t, []string{"INSERT INTO t_alter_column values('xx_jar','Name',null,'NOT NULL',null)"}, drift())
}

// What was inspected compares without a difference, the ERP's own tables too: those
// that no definition could ask for, and with ERPHUB_PROOF all of them.
func TestInspectedIsNoDrift(t *testing.T) {
	if testing.Short() {
		t.Skip("one command after another")
	}
	t.Parallel()
	srv := erptest.New(t, erptest.Options{})
	dir := filepath.Join(t.TempDir(), "tables") + "/"
	run := func(args ...string) (int, string, string) {
		return erphub(t, []string{"ERP_URL=" + srv.URL(), "ERP_USERNAME=SuperUser", "ERP_PASSWORD=System"}, args...)
	}
	tables, wrote := []string{"AD_WF_Node", "M_StorageOnHand", "AD_TreeBar", "C_BPartner"}, "Wrote 4 definitions to "
	if os.Getenv("ERPHUB_PROOF") != "" {
		tables, wrote = []string{"--all"}, "Wrote 9"
	}
	code, stdout, stderr := run(append([]string{"dict", "inspect", "-o", dir}, tables...)...)
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, wrote)
	code, stdout, stderr = run("dict", "plan", "-f", dir)
	require.Equal(t, 0, code, stderr)
	assert.Contains(t, stdout, "No changes: the ERP is as the definitions say.")
	code, _, stderr = run("dict", "inspect", "--all", "XX_Jar")
	require.Equal(t, 2, code)
	assert.Contains(t, stderr, "or --all")
}
