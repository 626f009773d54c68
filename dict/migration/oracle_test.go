package migration_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/migration"
)

// wire is a database/sql driver that writes down what an Oracle server would be
// sent, and returns what Apply reads: there is no such server to test with. It
// keeps the one row of AD_MigrationScript and knows nothing else.
type wire struct {
	mu          sync.Mutex
	sent        []string
	status      string // of the row; empty: none
	description any
	refuse      map[string]error // by the beginning of a statement
}

func (w *wire) Connect(context.Context) (driver.Conn, error) { return &wireConn{w}, nil }
func (w *wire) Driver() driver.Driver                        { return nil }

type wireConn struct{ *wire }

func (c *wireConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not used") }
func (c *wireConn) Close() error                        { return nil }
func (c *wireConn) Begin() (driver.Tx, error)           { return c, nil }
func (c *wireConn) Commit() error                       { return nil }
func (c *wireConn) Rollback() error                     { return nil }

func (c *wireConn) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(args) > 0 && !strings.Contains(query, ":1") {
		return nil, errors.New("ORA-01036: no place for a parameter")
	}
	c.sent = append(c.sent, query)
	for start, err := range c.refuse {
		if strings.HasPrefix(query, start) {
			return nil, err
		}
	}
	set := regexp.MustCompile(`Status='(\w\w)'`).FindStringSubmatch(query)
	switch {
	case strings.HasPrefix(query, "INSERT INTO AD_MigrationScript"):
		c.status = "IP"
	case strings.HasPrefix(query, "UPDATE AD_MigrationScript") && set != nil:
		c.status = set[1]
		if set[1] == "ER" {
			c.description = args[0].Value
		}
	}
	return driver.RowsAffected(1), nil
}

func (c *wireConn) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case strings.HasPrefix(query, "SELECT nextidfunc"):
		return &wireRows{values: []driver.Value{int64(1000007)}}, nil
	case strings.HasPrefix(query, "SELECT MAX(AD_MigrationScript_ID)"):
		if c.status == "" {
			return &wireRows{values: []driver.Value{nil}}, nil
		}
		return &wireRows{values: []driver.Value{int64(1000007)}}, nil
	case strings.HasPrefix(query, "SELECT Status, Updated"):
		return &wireRows{values: []driver.Value{c.status, when}}, nil
	case strings.HasPrefix(query, "SELECT 1 FROM AD_MigrationScript"):
		return &wireRows{values: []driver.Value{int64(1)}}, nil
	}
	return nil, errors.New("ORA-00942: " + query)
}

type wireRows struct {
	values []driver.Value
	done   bool
}

func (r *wireRows) Columns() []string { return make([]string, len(r.values)) }
func (r *wireRows) Close() error      { return nil }
func (r *wireRows) Next(into []driver.Value) error {
	if r.done {
		return io.EOF
	}
	r.done = true
	copy(into, r.values)
	return nil
}

func TestOracleStatementByStatement(t *testing.T) {
	t.Parallel()
	script := build(t, planOf(t, sample()), dict.Oracle)
	w := &wire{refuse: map[string]error{"ALTER TABLE XX_Sample ADD CONSTRAINT ADOrg_": errors.New("ORA-00060: deadlock")}}
	db := sql.OpenDB(w)
	defer db.Close()

	_, err := migration.Apply(t.Context(), db, script, nil)
	var failed *migration.StatementError
	require.ErrorAs(t, err, &failed)
	assert.True(t, failed.Kept)
	assert.Contains(t, err.Error(), "stay done")
	assert.Equal(t, "ER", w.status)
	assert.Contains(t, w.description, "ORA-00060")
	for _, s := range w.sent {
		assert.NotContains(t, s, "SET DEFINE")
		assert.False(t, strings.HasSuffix(s, ";") && !strings.HasSuffix(s, "END;"), s)
		assert.NotRegexp(t, `\$\d`, strings.Split(s, "'")[0], "parameters are Oracle's")
	}

	// Again: what is there is passed over.
	w.refuse = map[string]error{"CREATE TABLE": errors.New("ORA-00955: name is already used"), "ALTER TABLE XX_Sample ADD CONSTRAINT ADClient_": errors.New("ORA-02275: such a constraint exists")}
	w.sent = nil
	result, err := migration.Apply(t.Context(), db, script, nil)
	require.NoError(t, err)
	assert.True(t, result.Retried)
	assert.Equal(t, len(script.Statements)+1, result.Statements)
	assert.Equal(t, "CO", w.status)
	assert.Equal(t, `ALTER SESSION SET CURRENT_SCHEMA="ADEMPIERE"`, w.sent[0])

	_, err = migration.Apply(t.Context(), db, script, nil)
	require.ErrorIs(t, err, migration.ErrApplied)

	// On the first run the same errors are failures: somebody else's table.
	fresh := &wire{refuse: w.refuse}
	other := sql.OpenDB(fresh)
	defer other.Close()
	_, err = migration.Apply(t.Context(), other, script, nil)
	require.ErrorContains(t, err, "ORA-00955")
	assert.Equal(t, "ER", fresh.status)
}
