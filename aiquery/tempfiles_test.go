package aiquery_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// A statement cannot fill the disk with temporary files: the session limits them
// where its login may, and where it may not and nobody has, that is said.
func TestTemporaryFilesAreLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	d := prepare(t, aitest.Postgres(t))
	const unlimited, entitled, narrow = "aiq_unlimited", "aiq_entitled", "aiq_narrow"
	for _, login := range []string{unlimited, entitled, narrow} {
		// Logins belong to the whole server, and so does what an earlier run has left.
		execute(t, d.owner, "DO $$ BEGIN CREATE ROLE "+login+" LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$; GRANT USAGE ON SCHEMA adempiere TO "+login+"; GRANT SELECT ON ALL TABLES IN SCHEMA adempiere TO "+login)
	}
	execute(t, d.owner, "GRANT SET ON PARAMETER temp_file_limit TO "+entitled+"; ALTER ROLE "+narrow+" SET temp_file_limit = '8MB'")
	const big = "SELECT count(*) FROM (SELECT g::text || g::text AS x FROM generate_series(1, 600000) g ORDER BY 1) q"
	for name, tt := range map[string]struct {
		login   string // "" the owner, who is a superuser
		limit   string
		stopped bool
		warns   bool
	}{
		"a superuser":                        {"", "8MB", true, false},
		"a login that may set it":            {entitled, "8MB", true, false},
		"a login that may set it, enough":    {entitled, "", false, false},
		"a login with a limit of its own":    {narrow, "", true, false},
		"a login without":                    {unlimited, "8MB", false, true},
		"a superuser, and no limit is meant": {"", "-1", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			login := d.owner
			if tt.login != "" {
				login = aitest.As(t, d.owner, tt.login)
			}
			w := d.world(t, login, &postgres.Options{Connections: 1, WorkMem: "64kB", TempFileLimit: tt.limit}, nil)
			for range 2 { // the session is set up anew after a failure
				r, err := w.Query(t.Context(), user, query(big))
				if tt.stopped {
					require.Error(t, err)
					assert.Equal(t, api.CodeResources, code(t, err))
				} else {
					require.NoError(t, err, w.log)
					assert.Equal(t, `[[600000]]`, shown(t, r.Rows))
				}
			}
			warned := strings.Contains(strings.Join(w.Health(t.Context()).Warnings, "\n"), "temp_file_limit")
			assert.Equal(t, tt.warns, warned)
		})
	}
}
