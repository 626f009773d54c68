package pgmirror_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/pgmirror"
	"github.com/erphub/erphub/internal/testkit/testpg"
)

// Programs that read the copy are not kept waiting while a process makes it anew or
// changes it, and one that does not end its transaction is named as the reason.
func TestOthersReadTheCopy(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a PostgreSQL several times")
	}
	t.Parallel()
	srv := fewer(t)
	write(t, srv, `CREATE VIEW XX_Names AS SELECT Name FROM C_BPartner`)
	address := testpg.URL(t)
	first, err := pgmirror.Open(t.Context(), srv, pgmirror.Options{URL: address})
	require.NoError(t, err)
	require.NoError(t, first.Close())

	holder, reader := connect(t, address), connect(t, address)
	hold := func(what string) func() {
		list(t, holder, "BEGIN")
		require.NotEmpty(t, list(t, holder, `SELECT name FROM adempiere.`+what))
		return func() { list(t, holder, "COMMIT") }
	}
	list(t, reader, "SET lock_timeout = '1s'")
	// beside reads as statements of the AI API do while something is done.
	beside := func(do func() error) error {
		ctx, cancel := context.WithCancel(t.Context())
		reads := make(chan error, 1)
		go func() {
			often := time.NewTicker(20 * time.Millisecond) // one reader needs no processor of its own
			defer often.Stop()
			for {
				var n int
				if err := reader.QueryRow(t.Context(), `SELECT count(*) FROM adempiere.c_bpartner p, adempiere.xx_names`).Scan(&n); err != nil {
					reads <- err
					return
				}
				select {
				case <-ctx.Done():
					reads <- nil
					return
				case <-often.C:
				}
			}
		}()
		err := do()
		cancel()
		require.NoError(t, <-reads, "a statement waited too long")
		return err
	}
	var second *pgmirror.Mirror
	reopen := func() (err error) {
		second, err = pgmirror.Open(t.Context(), srv, pgmirror.Options{URL: address})
		return err
	}
	release := hold("c_bpartner")
	require.ErrorIs(t, beside(reopen), pgmirror.ErrBusy)
	assert.Empty(t, list(t, reader, `SELECT nspname::text FROM pg_namespace WHERE nspname = 'adempiere_new'`), "what was begun is still there")
	release()
	require.NoError(t, beside(reopen), "nobody holds it any more")
	t.Cleanup(func() { assert.NoError(t, second.Close()) })

	// A structure that changes later is as patient.
	release = hold("xx_names")
	write(t, srv, `CREATE VIEW XX_Values AS SELECT Value FROM C_BPartner`)
	update := func() error {
		leave, err := second.Enter(t.Context())
		if err == nil {
			leave()
		}
		return err
	}
	require.ErrorIs(t, beside(update), pgmirror.ErrBusy)
	release()
	require.NoError(t, beside(update))
	assert.NotEmpty(t, list(t, reader, `SELECT value FROM adempiere.xx_values`))
}

// Nothing is dropped under locks that readers wait for: a thousand tables take longer
// than they wait.
func TestReadersDoNotWaitForDrops(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a PostgreSQL several times")
	}
	t.Parallel()
	srv := fewer(t)
	address := testpg.URL(t)
	o := pgmirror.Options{URL: address, Empty: large()}
	first, err := pgmirror.Open(t.Context(), srv, o)
	require.NoError(t, err)
	require.NoError(t, first.Close())
	_, err = connect(t, address).Exec(t.Context(), `CREATE FUNCTION public.look() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
		IF EXISTS (SELECT FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
			WHERE l.pid = pg_backend_pid() AND l.mode = 'AccessExclusiveLock' AND c.relnamespace = 'adempiere'::regnamespace) THEN
			RAISE EXCEPTION 'readers wait';
		END IF;
	END $$;
	CREATE EVENT TRIGGER look ON ddl_command_end WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION public.look()`)
	require.NoError(t, err)
	second := open(t, srv, o)
	conn := connect(t, address)
	same(t, srv, second, conn, large(), "the copy that was made anew")
	assert.Equal(t, []string{"adempiere"}, list(t, conn, `SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'adempiere%'`))
}
