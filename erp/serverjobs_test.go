package erp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// On the embedded ERP jobs are found by id and name, started, stopped and run.
func TestServerJobs(t *testing.T) {
	t.Parallel()
	c := system(t)
	ctx := t.Context()
	jobs, err := c.ServerJobs(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, jobs)
	job, err := c.FindServerJob(ctx, "check sequences")
	require.NoError(t, err)
	assert.Equal(t, "Scheduler100", job.ID)
	assert.Equal(t, "started", job.State())
	assert.NotEmpty(t, job.NextRun)
	assert.True(t, job.Sleeping)

	stopped, err := c.StopServerJob(ctx, job.Name)
	require.NoError(t, err)
	assert.Equal(t, "stopped", stopped.State())
	again, err := c.StopServerJob(ctx, job.ID)
	require.NoError(t, err)
	assert.False(t, again.Started, "a stopped job is not toggled")
	started, err := c.StartServerJob(ctx, job.ID)
	require.NoError(t, err)
	assert.True(t, started.Started)

	_, err = c.RunServerJob(ctx, job.ID)
	require.NoError(t, err)
	logs, err := c.ServerJobLogs(ctx, job.ID)
	require.NoError(t, err)
	require.NotEmpty(t, logs)
	assert.False(t, logs[0].Failed)
	assert.NotEmpty(t, logs[0].Summary)
	jobs, err = c.ReloadServerJobs(ctx)
	require.NoError(t, err)
	assert.NotEmpty(t, jobs)
}

func TestFindServerJobErrors(t *testing.T) {
	t.Parallel()
	c := system(t)
	tests := []struct {
		name, given, want string
		unknown           bool
	}{
		{"misspelt id", "Scheduler10", `there is no job "Scheduler10"; did you mean "Scheduler100"?`, true},
		{"unlike any", "zzzzzzzzzzzzzzz", `there is no job "zzzzzzzzzzzzzzz"`, true},
		{"no segment of a path", "a/b", `there is no job "a/b"`, true},
		{"empty", "", `there is no job ""`, true},
		{"name of two", "Sales Report", "Scheduler101, Scheduler1000000; give the id", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := c.FindServerJob(t.Context(), tt.given)
			require.ErrorContains(t, err, tt.want)
			var unknown *erp.UnknownServerJobError
			assert.Equal(t, tt.unknown, errors.As(err, &unknown))
			assert.Equal(t, tt.unknown, errors.Is(err, erp.ErrNotFound))
		})
	}
}

// Nothing that the server sends is lost, and what has no state is refused.
func TestServerJobJSON(t *testing.T) {
	t.Parallel()
	const text = `{"id":"Scheduler1","name":"A","started":false,"interruptd":true,"port":8080,"later":{"a":1.50}}`
	var job erp.ServerJob
	require.NoError(t, json.Unmarshal([]byte(text), &job))
	assert.True(t, job.Interrupted)
	assert.EqualValues(t, 8080, job.Port)
	back, err := json.Marshal([]erp.ServerJob{job})
	require.NoError(t, err)
	assert.Equal(t, "["+text+"]", string(back))
	var line erp.ServerJobLog
	const logged = `{"created":"today","error":true,"textMessage":"x","more":1}`
	require.NoError(t, json.Unmarshal([]byte(logged), &line))
	assert.True(t, line.Failed)
	back, err = json.Marshal(line)
	require.NoError(t, err)
	assert.Equal(t, logged, string(back))

	for _, bad := range []string{`{"id":"Scheduler1"}`, `{"started":true}`, `null`, `[]`, `{"id":1,"started":true}`} {
		_, client := serve(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, bad) })
		_, err := client.StartServerJob(t.Context(), "Scheduler1")
		require.ErrorIs(t, err, erp.ErrBadResponse, bad)
		_, client = serve(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, `{"servers":[`+bad+`]}`) })
		_, err = client.ServerJobs(t.Context())
		require.ErrorIs(t, err, erp.ErrBadResponse, bad)
	}
}

// The server toggles. A caller that another one interferes with is told, and a toggle
// is never sent again.
func TestServerJobToggledByAnother(t *testing.T) {
	t.Parallel()
	toggles := 0
	_, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/state") {
			toggles++
		}
		respond(w, 200, fmt.Sprintf(`{"id":"Scheduler1","name":"A","started":%t}`, r.Method == http.MethodPost))
	})
	job, err := client.StopServerJob(t.Context(), "Scheduler1")
	require.NoError(t, err)
	assert.False(t, job.Started)
	assert.Zero(t, toggles)

	_, client = serve(t, func(w http.ResponseWriter, r *http.Request) {
		respond(w, 200, `{"id":"Scheduler1","name":"A","started":false}`) // toggled twice
	})
	job, err = client.StartServerJob(t.Context(), "Scheduler1")
	require.ErrorContains(t, err, "job Scheduler1 is stopped, not started: somebody else changed it")
	require.NotNil(t, job)

	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			respond(w, 503, `{"title":"busy","status":503}`)
			return
		}
		respond(w, 200, `{"id":"Scheduler1","name":"A","started":false}`)
	})
	_, err = client.StartServerJob(t.Context(), "Scheduler1")
	require.ErrorIs(t, err, erp.ErrUnavailable)
	assert.Len(t, rec.seen(), 2, "one look, one toggle")
}
