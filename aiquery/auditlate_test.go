package aiquery

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// A panic is an error of ours, and its record is kept like any other.
func TestPanic(t *testing.T) {
	t.Parallel()
	err := func() (err error) {
		defer recovered(&err)
		panic("at the wrong place")
	}()
	var known *api.Error
	require.ErrorAs(t, err, &known)
	assert.Equal(t, api.CodeInternal, known.Code)
	assert.Equal(t, "internal error", err.Error())
}

func TestLateRecords(t *testing.T) {
	t.Parallel()
	t.Run("waited for", func(t *testing.T) {
		t.Parallel()
		var l lateRecords
		l.init()
		written := false
		require.True(t, l.add(func(context.Context) { written = true }))
		require.NoError(t, l.close(t.Context()))
		assert.True(t, written)
		assert.False(t, l.add(func(context.Context) {}), "after the end there is nobody to write")
	})
	t.Run("given up", func(t *testing.T) {
		t.Parallel()
		var l lateRecords
		l.init()
		ended := make(chan error, maxLate)
		for range maxLate {
			require.True(t, l.add(func(ctx context.Context) {
				<-ctx.Done()
				ended <- ctx.Err()
			}))
		}
		assert.False(t, l.add(func(context.Context) {}), "memory is bounded")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, l.close(ctx), context.Canceled)
		assert.Len(t, ended, maxLate, "all have ended")
		assert.True(t, errors.Is(<-ended, context.Canceled))
	})
}

// Refusals that share a record are written without another request.
func TestGatheredRefusalsAreWrittenInTime(t *testing.T) {
	t.Parallel()
	srv := aitest.Embedded(t)
	db, err := embedded.Open(srv)
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	require.NoError(t, Install(t.Context(), db))
	source, err := dbdict.New(srv.Database(), dbdict.SQLite, nil)
	require.NoError(t, err)
	reg, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	e, err := New(db, reg, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close(context.WithoutCancel(t.Context()))) }()
	e.gather.every = 50 * time.Millisecond
	read := srv.Database()
	defer read.Close()
	messages := func() (all []string) {
		rows, err := read.QueryContext(t.Context(), "SELECT AIG_ErrorMessage FROM AIG_QueryLog ORDER BY AIG_QueryLog_ID")
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var message string
			require.NoError(t, rows.Scan(&message))
			all = append(all, message)
		}
		require.NoError(t, rows.Err())
		return all
	}
	together := regexp.MustCompile(`^(\d+) statements from`)
	for round := 1; round <= 2; round++ {
		for range 3 {
			_ = e.Refused(t.Context(), Caller{UserID: aitest.User}, Request{RoleID: -1}, &api.Error{Code: api.CodeRateLimited, Message: "too many"})
		}
		require.Eventually(t, func() bool {
			accounted := 0
			for _, message := range messages() {
				n := 1
				if m := together.FindStringSubmatch(message); m != nil {
					n, _ = strconv.Atoi(m[1])
				}
				accounted += n
			}
			return accounted == 3*round
		}, 20*time.Second, 10*time.Millisecond)
	}
}
