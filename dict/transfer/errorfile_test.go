package transfer

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Imports that want the same file of refused rows, at once and cut off at any moment,
// end with each of their rows in the file that they name, once, and nothing else in it.
// What was there before stays.
func TestErrorFilesOfSeveralRuns(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		path := filepath.Join(t.TempDir(), []string{"bad.csv", "bad", ".bad", "a.b.csv"}[seed%4])
		require.NoError(t, os.WriteFile(path, []byte("somebody's\n"), 0o600))
		type run struct {
			file  *errorFile // nil while the run is not at work
			state journal    // as it was saved last
			rows  int        // of which the journal knows
			added int
			ended bool
		}
		runs := make([]run, 3)
		for left := len(runs); left > 0; {
			r := &runs[random.IntN(len(runs))]
			switch {
			case r.ended:
			case r.file == nil:
				r.file = &errorFile{path: path}
				require.NoError(t, r.file.open(&r.state), "seed %d", seed)
				r.added = r.rows
			default:
				switch action := random.IntN(6); {
				case action < 2 && r.added < 4:
					r.added++
					name := fmt.Sprintf("row %d of %p", r.added, r)
					require.NoError(t, r.file.add([]string{"Name"}, &row{err: errors.New(name)}))
				case action == 2: // saved
					size, err := r.file.sync()
					require.NoError(t, err)
					r.state.ErrorBytes, r.rows = size, r.added
				case action == 3: // killed
					_, err := r.file.sync()
					require.NoError(t, errors.Join(err, r.file.f.Close()))
					r.file, r.state.resumed = nil, true
				case action == 4 && r.added == 4:
					require.NoError(t, r.file.close(true))
					r.ended, left = true, left-1
				}
			}
		}
		for i := range runs {
			r := &runs[i]
			text, err := os.ReadFile(r.file.path)
			require.NoError(t, err)
			assert.Equal(t, 5, strings.Count(string(text), "\n"), "seed %d: %s", seed, text)
			for n := range 4 {
				assert.Equal(t, 1, strings.Count(string(text), fmt.Sprintf("row %d of %p", n+1, r)), "seed %d: %s", seed, text)
			}
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "somebody's\n", string(text))
		files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*bad*"))
		require.NoError(t, err)
		assert.LessOrEqual(t, len(files), 1+len(runs), "seed %d: %s", seed, files)
	}
}

func TestNamesOfErrorFiles(t *testing.T) {
	t.Parallel()
	for wanted, second := range map[string]string{"bad.csv": "bad-2.csv", "bad": "bad-2", ".bad": ".bad-2", "a.b.csv": "a.b-2.csv"} {
		path := filepath.Join(t.TempDir(), wanted)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		e := &errorFile{path: path}
		require.NoError(t, e.open(&journal{}))
		assert.Equal(t, second, filepath.Base(e.path))
		require.NoError(t, e.close(true))
		assert.NoFileExists(t, e.path, "without rows")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in.csv"), []byte("Name\n"), 0o600))
	require.NoError(t, os.Symlink("in.csv", filepath.Join(dir, "link.csv")))
	for _, path := range []string{os.DevNull, dir, filepath.Join(dir, "link.csv")} {
		require.ErrorContains(t, (&errorFile{path: path}).open(&journal{}), "is not a regular file")
	}
	for _, name := range []string{"in.csv", "bad-1.csv", "bad-02.csv", "bad-.csv", "../bad.csv", "", "bad-2.csv/x"} {
		e := &errorFile{path: filepath.Join(dir, "bad.csv")}
		require.ErrorContains(t, e.open(&journal{resumed: true, Errors: name}), "no run gives it that name", name)
	}
	require.ErrorContains(t, (&errorFile{path: filepath.Join(dir, "link.csv")}).open(&journal{resumed: true, Errors: "link.csv"}), "not a regular file any more")
	content, err := os.ReadFile(filepath.Join(dir, "in.csv"))
	require.NoError(t, err)
	assert.Equal(t, "Name\n", string(content))
}
