package restdict

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

func testRunner(t testing.TB, opts Options) *runner {
	t.Helper()
	client, err := erp.New("http://127.0.0.1:1")
	require.NoError(t, err)
	plan, err := dict.NewPlan(nil, dict.NewTable("XX_Foo").With(dict.ValueName))
	require.NoError(t, err)
	return newRunner(client, plan, &opts)
}

func TestCheckpointRoundTrip(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.json")
	r := testRunner(t, Options{Checkpoint: path})
	r.states[0].status, r.states[0].outcome, r.states[0].id, r.states[0].uuid = Done, Created, 1000001, "u"
	r.states[1].fail(assert.AnError)
	require.NoError(t, r.save())

	st, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(data), `"status":"done"`)
	assert.Contains(t, string(data), `"status":"FAILED"`)
	assert.Contains(t, string(data), `"status":"pending"`)

	again := testRunner(t, Options{Checkpoint: path})
	require.NoError(t, again.load())
	require.NotNil(t, again.states[0].claim)
	assert.EqualValues(t, 1000001, again.states[0].claim.ID)
	assert.Equal(t, Created, again.states[0].claim.Outcome)
	assert.Equal(t, Pending, again.states[0].status, "the ERP has the last word")
	assert.Nil(t, again.states[1].claim, "what failed is tried again")
}

func TestCheckpointOfAnotherRun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.json")
	require.NoError(t, testRunner(t, Options{Checkpoint: path}).save())

	other := testRunner(t, Options{Checkpoint: path})
	plan, err := dict.NewPlan(nil, dict.NewTable("XX_Foo").With(dict.ValueName).WithDescription("changed"))
	require.NoError(t, err)
	other.plan = plan
	require.ErrorIs(t, other.load(), ErrOtherPlan)

	elsewhere := testRunner(t, Options{Checkpoint: path})
	elsewhere.client, err = erp.New("http://127.0.0.1:2")
	require.NoError(t, err)
	require.ErrorIs(t, elsewhere.load(), ErrOtherPlan)
}

func TestCheckpointMissingIsABeginning(t *testing.T) {
	t.Parallel()
	r := testRunner(t, Options{Checkpoint: filepath.Join(t.TempDir(), "none.json")})
	require.NoError(t, r.load())
	assert.Equal(t, Pending, r.states[0].status)
}

func TestBadCheckpoints(t *testing.T) {
	t.Parallel()
	good := testRunner(t, Options{Checkpoint: filepath.Join(t.TempDir(), "run.json")})
	good.states[0].status, good.states[0].outcome, good.states[0].id = Done, Created, 7
	require.NoError(t, good.save())
	data, err := os.ReadFile(good.opts.Checkpoint)
	require.NoError(t, err)
	edit := func(change func(*checkpoint)) string {
		var cp checkpoint
		require.NoError(t, json.Unmarshal(data, &cp))
		change(&cp)
		out, err := json.Marshal(cp)
		require.NoError(t, err)
		return string(out)
	}
	tests := map[string]string{
		"empty":            "",
		"not JSON":         "status: done",
		"cut off":          string(data[:len(data)/2]),
		"future version":   edit(func(cp *checkpoint) { cp.Version++ }),
		"earlier version":  edit(func(cp *checkpoint) { cp.Version = 1 }),
		"no plan":          edit(func(cp *checkpoint) { cp.Plan = nil }),
		"a changed plan":   strings.Replace(string(data), `"value":"XX_Foo"`, `"value":"XX_Bar"`, 1),
		"unknown status":   edit(func(cp *checkpoint) { cp.Steps[1].Status = "perhaps" }),
		"done by nothing":  edit(func(cp *checkpoint) { cp.Steps[0].Outcome = "" }),
		"negative id":      edit(func(cp *checkpoint) { cp.Steps[0].ID = -1 }),
		"one key twice":    edit(func(cp *checkpoint) { cp.Steps[1].Key = cp.Steps[0].Key }),
		"a step too many":  edit(func(cp *checkpoint) { cp.Steps[1].Key = "XX_Other" }),
		"a step of no key": edit(func(cp *checkpoint) { cp.Steps[1].Key = "" }),
	}
	for name, content := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "run.json")
			require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
			err := testRunner(t, Options{Checkpoint: path}).load()
			require.ErrorIs(t, err, ErrBadCheckpoint)
			assert.Less(t, len(err.Error()), 600)
		})
	}
}

func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte(`{"version":3,"plan":{"name":"x","steps":[]},"server":"y","steps":[{"key":"XX_Foo","status":"done","outcome":"created","id":1}]}`))
	f.Add([]byte(`{"version":3,"steps":null}`))
	f.Add([]byte(strings.Repeat("[", 1000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		cp, err := parseCheckpoint(data)
		if err != nil {
			return
		}
		r := testRunner(t, Options{})
		cp.plan, cp.Server = r.plan, r.client.BaseURL()
		if r.claim(cp) != nil {
			return
		}
		for _, st := range r.states {
			if st.status != Pending {
				t.Fatalf("step %s is %s before anybody looked", st.step.StepKey(), st.status)
			}
			if st.claim != nil && (st.claim.Status != Done || st.claim.Outcome == "") {
				t.Fatalf("step %s is claimed to be done by nothing", st.step.StepKey())
			}
		}
	})
}
